import type { Tool } from "@toolpact/contract";
import * as z from "zod";
import { person } from "../ids.ts";
import { writeUpAndUtilityWrite as profiles } from "../profiles.ts";
import { flagIn } from "../shapes/x-object.ts";
import { xReadPage } from "../tools/x-read.ts";
import { xWrite } from "../tools/x-write.ts";

const category = "moderation";
const own = person.default("me").describe("Your own account");
const target_user_id = person.describe("Person: id or @name");
const muting = z.object({ muting: z.boolean(), target_user_id: z.string() });

export const moderationTools: readonly Tool[] = [
  xReadPage({
    name: "x_v2_mutes_list",
    title: "Whom I mute",
    describe: "People whom you have muted.",
    category,
    profiles,
    operation: "getUsersMuting",
    kind: "users",
    params: { user_id: own },
    people: ["user_id"],
    page: [1, 1000],
    fields: ["user_fields"],
    place: ({ user_id }) => ({ path: { id: user_id } }),
  }),
  xWrite({
    name: "x_v2_mutes_create",
    title: "Mute somebody",
    describe: "See no more of somebody, who is not told. Undo with x_v2_mutes_delete.",
    category,
    effect: "mark",
    profiles,
    operation: "muteUser",
    params: { user_id: own, target_user_id },
    people: ["user_id", "target_user_id"],
    place: ({ user_id, target_user_id }) => ({ path: { id: user_id }, body: { target_user_id } }),
    output: muting,
    answer: (data, { target_user_id }) => ({ muting: flagIn(data, "muting") ?? false, target_user_id }),
  }),
  xWrite({
    name: "x_v2_mutes_delete",
    title: "Unmute somebody",
    describe: "See somebody again.",
    category,
    effect: "undo",
    profiles,
    operation: "unmuteUser",
    params: { user_id: own, target_user_id },
    people: ["user_id", "target_user_id"],
    place: ({ user_id, target_user_id }) => ({ path: { source_user_id: user_id, target_user_id } }),
    output: muting,
    answer: (data, { target_user_id }) => ({ muting: flagIn(data, "muting") ?? true, target_user_id }),
  }),
  xReadPage({
    name: "x_v2_blocks_list",
    title: "Whom I block",
    describe: "People whom you have blocked.",
    category,
    profiles,
    operation: "getUsersBlocking",
    kind: "users",
    params: { user_id: own },
    people: ["user_id"],
    page: [1, 1000],
    fields: ["user_fields"],
    place: ({ user_id }) => ({ path: { id: user_id } }),
  }),
];
