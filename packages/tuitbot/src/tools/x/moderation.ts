import * as z from "zod";
import type { KnownTool } from "../../mutation/plan.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { flagIn } from "../../x/shapes/x-object.ts";
import { myself, somebodyElse } from "../params.ts";
import { byUserId, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const about = { category: "moderation", profiles: writeUpAndUtilityWrite } as const;
const ofMine = byUserId(myself);
const muting = z.object({ muting: z.boolean(), target_user_id: z.string() });

export const moderationTools: readonly KnownTool[] = [
  xReadPage({
    name: "x_v2_mutes_list",
    title: "Whom I mute",
    describe: "People whom you have muted.",
    ...about,
    operation: "getUsersMuting",
    kind: "users",
    ...ofMine,
    page: [1, 1000],
    fields: ["user_fields"],
  }),
  xWrite({
    name: "x_v2_mutes_create",
    title: "Mute somebody",
    describe: "See no more of somebody, who is not told. Undo with x_v2_mutes_delete.",
    ...about,
    effect: "mark",
    operation: "muteUser",
    params: { user_id: myself, target_user_id: somebodyElse },
    people: ["user_id", "target_user_id"],
    place: ({ user_id, target_user_id }) => ({ path: { id: user_id }, body: { target_user_id } }),
    output: muting,
    answer: (data, { target_user_id }) => ({ muting: flagIn(data, "muting") ?? false, target_user_id }),
  }),
  xWrite({
    name: "x_v2_mutes_delete",
    title: "Unmute somebody",
    describe: "See somebody again.",
    ...about,
    effect: "undo",
    operation: "unmuteUser",
    params: { user_id: myself, target_user_id: somebodyElse },
    people: ["user_id", "target_user_id"],
    place: ({ user_id, target_user_id }) => ({ path: { source_user_id: user_id, target_user_id } }),
    output: muting,
    answer: (data, { target_user_id }) => ({ muting: flagIn(data, "muting") ?? true, target_user_id }),
  }),
  xReadPage({
    name: "x_v2_blocks_list",
    title: "Whom I block",
    describe: "People whom you have blocked.",
    ...about,
    operation: "getUsersBlocking",
    kind: "users",
    ...ofMine,
    page: [1, 1000],
    fields: ["user_fields"],
  }),
];
