import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { flagIn } from "../../x/shapes/x-object.ts";
import { myself, somebodyElse } from "../params.ts";
import { byUserId, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const about = { category: "moderation", profiles: writeUpAndUtilityWrite } as const;
const ofMine = byUserId(myself);
const muting = z.object({ muting: z.boolean(), target_user_id: z.string() });

export const moderationTools: readonly TuitbotTool[] = [
  xReadPage({
    name: "x_v2_mutes_list",
    searchWords: "whom did I mute, muted accounts",
    title: "List muted people",
    description: "List the people whom you have muted.",
    ...about,
    operation: "getUsersMuting",
    kind: "users",
    ...ofMine,
    page: [1, 1000],
    fields: ["user_fields"],
  }),
  xWrite({
    name: "x_v2_mutes_create",
    searchWords: "mute somebody, I do not want to see a person's posts, block somebody, silence a person",
    title: "Mute a person",
    description:
      "Mute a person: their posts no longer appear in your timeline, and they are not notified. Undo with x_v2_mutes_delete.",
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
    searchWords: "unmute somebody, see a muted person again",
    title: "Unmute a person",
    description: "Unmute a person; their posts appear in your timeline again.",
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
    searchWords: "whom did I block, blocked accounts",
    title: "List blocked people",
    description: "List the people whom you have blocked.",
    ...about,
    operation: "getUsersBlocking",
    kind: "users",
    ...ofMine,
    page: [1, 1000],
    fields: ["user_fields"],
  }),
];
