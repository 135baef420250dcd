import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { listId } from "../../x/ids.ts";
import { flagIn, textIn } from "../../x/shapes/x-object.ts";
import { aPerson, myself } from "../params.ts";
import { byId, byUserId, xReadOne, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const about = { category: "list", profiles: writeUpAndUtilityWrite } as const;
const id = listId.describe("List id or URL, such as 84839422");
const list_id = id;
const ofList = byId(id);
const ofPerson = byUserId(aPerson);
const ofMine = byUserId(myself);
const name = z.string().min(1).max(25);
const description = z.string().max(100).optional().describe("Up to 100 characters");

const following = z.object({ following: z.boolean(), list_id: z.string() });
const member = z.object({ is_member: z.boolean(), list_id: z.string(), user_id: z.string() });

export const listTools: readonly TuitbotTool[] = [
  xReadOne({
    name: "x_v2_lists_get",
    title: "Get a list",
    description: "Get one list of people by id: name, owner and counts.",
    ...about,
    operation: "getListsById",
    kind: "lists",
    ...ofList,
    fields: ["list_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_lists_owned",
    title: "List a person's lists",
    description:
      "List the lists that a person owns. Lists that a person was put on are in x_v2_lists_memberships.",
    ...about,
    operation: "getUsersOwnedLists",
    kind: "lists",
    ...ofPerson,
    page: [1, 100],
    fields: ["list_fields"],
  }),
  xReadPage({
    name: "x_v2_lists_memberships",
    title: "List memberships",
    description: "List the lists that a person was put on by others.",
    ...about,
    operation: "getUsersListMemberships",
    kind: "lists",
    ...ofPerson,
    page: [1, 100],
    fields: ["list_fields"],
  }),
  xReadPage({
    name: "x_v2_lists_pinned",
    title: "List my pinned lists",
    description: "List the lists that you have pinned.",
    ...about,
    operation: "getUsersPinnedLists",
    kind: "lists",
    ...ofMine,
    fields: ["list_fields"],
  }),
  xReadPage({
    name: "x_v2_lists_tweets",
    title: "List posts of a list",
    description: "List what the people on a list posted, newest first.",
    ...about,
    operation: "getListsPosts",
    kind: "posts",
    ...ofList,
    page: [1, 100],
    fields: ["tweet_fields", "user_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_lists_members",
    title: "List members of a list",
    description: "List the people on a list.",
    ...about,
    operation: "getListsMembers",
    kind: "users",
    ...ofList,
    page: [1, 100],
    fields: ["user_fields"],
  }),
  xReadPage({
    name: "x_v2_lists_followers",
    title: "List followers of a list",
    description: "List the people who follow a list.",
    ...about,
    operation: "getListsFollowers",
    kind: "users",
    ...ofList,
    page: [1, 100],
    fields: ["user_fields"],
  }),
  xWrite({
    name: "x_v2_lists_create",
    title: "Create a list",
    description:
      "Create an empty list and return its id. Add people with x_v2_lists_members_add. Undo with x_v2_lists_delete.",
    ...about,
    effect: "create",
    operation: "createLists",
    facts: { undo: (_, { id }) => ({ params: { id: id ?? "" } }) },
    params: {
      name: name.describe("Up to 25 characters"),
      description,
      private: z.boolean().default(false).describe("true: only you see it"),
    },
    place: (body) => ({ body }),
    output: z.object({ id: z.string(), name: z.string() }),
    answer: (data, input) => ({ id: textIn(data, "id") ?? "", name: input.name }),
  }),
  xWrite({
    name: "x_v2_lists_update",
    title: "Change a list",
    description:
      "Change the name, description or visibility of a list of yours. What is left out stays as it is.",
    ...about,
    effect: "update",
    operation: "updateLists",
    params: {
      id,
      name: name.optional().describe("Up to 25 characters"),
      description,
      private: z.boolean().optional().describe("true: only you see it"),
    },
    place: ({ id, ...body }) => ({ path: { id }, body }),
    output: z.object({ updated: z.boolean(), id: z.string() }),
    answer: (data, { id }) => ({ updated: flagIn(data, "updated") ?? false, id }),
  }),
  xWrite({
    name: "x_v2_lists_delete",
    title: "Delete a list",
    description: "Delete a list of yours. It cannot be brought back.",
    ...about,
    effect: "delete",
    operation: "deleteLists",
    params: { id },
    place: ({ id }) => ({ path: { id } }),
    output: z.object({ deleted: z.boolean(), id: z.string() }),
    answer: (data, { id }) => ({ deleted: flagIn(data, "deleted") ?? false, id }),
  }),
  xWrite({
    name: "x_v2_lists_members_add",
    title: "Add to a list",
    description: "Add a person to a list of yours. Undo with x_v2_lists_members_remove.",
    ...about,
    effect: "mark",
    operation: "addListsMember",
    facts: { undo: ({ id }, { user_id }) => ({ params: { id: id ?? "", target_user_id: user_id ?? "" } }) },
    params: { id, user_id: aPerson },
    people: ["user_id"],
    place: ({ id, user_id }) => ({ path: { id }, body: { user_id } }),
    output: member,
    answer: (data, { id, user_id }) => ({
      is_member: flagIn(data, "is_member") ?? false,
      list_id: id,
      user_id,
    }),
  }),
  xWrite({
    name: "x_v2_lists_members_remove",
    title: "Remove from a list",
    description: "Remove a person from a list of yours.",
    ...about,
    effect: "undo",
    operation: "removeListsMemberByUserId",
    facts: { undo: ({ id }, { user_id }) => ({ params: { id: id ?? "", user_id: user_id ?? "" } }) },
    params: { id, target_user_id: aPerson },
    people: ["target_user_id"],
    place: ({ id, target_user_id }) => ({ path: { id, user_id: target_user_id } }),
    output: member,
    answer: (data, { id, target_user_id }) => ({
      is_member: flagIn(data, "is_member") ?? true,
      list_id: id,
      user_id: target_user_id,
    }),
  }),
  xWrite({
    name: "x_v2_lists_follow",
    title: "Follow a list",
    description: "Follow somebody's list. Undo with x_v2_lists_unfollow.",
    ...about,
    effect: "mark",
    operation: "followList",
    params: { user_id: myself, list_id },
    people: ["user_id"],
    place: ({ user_id, list_id }) => ({ path: { id: user_id }, body: { list_id } }),
    output: following,
    answer: (data, { list_id }) => ({ following: flagIn(data, "following") ?? false, list_id }),
  }),
  xWrite({
    name: "x_v2_lists_unfollow",
    title: "Unfollow a list",
    description: "Stop following a list.",
    ...about,
    effect: "undo",
    operation: "unfollowList",
    params: { user_id: myself, list_id },
    people: ["user_id"],
    place: ({ user_id, list_id }) => ({ path: { id: user_id, list_id } }),
    output: following,
    answer: (data, { list_id }) => ({ following: flagIn(data, "following") ?? true, list_id }),
  }),
  xWrite({
    name: "x_v2_lists_pin",
    title: "Pin a list",
    description: "Pin a list so that it is shown first among your lists.",
    ...about,
    effect: "mark",
    operation: "pinList",
    params: { user_id: myself, list_id },
    people: ["user_id"],
    place: ({ user_id, list_id }) => ({ path: { id: user_id }, body: { list_id } }),
    output: z.object({ pinned: z.boolean(), list_id: z.string() }),
    answer: (data, { list_id }) => ({ pinned: flagIn(data, "pinned") ?? false, list_id }),
  }),
];
