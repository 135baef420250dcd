import { type Answer, success } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { forbidden, missing, notFound } from "../http/problems.ts";
import { iso, type JsonObject } from "../json.ts";
import { pageMeta, pageOf } from "../render/page.ts";
import { withFields } from "../render/requested-fields.ts";
import type { View } from "../render/view.ts";
import type { Person } from "../world/person.ts";
import { merged, type Readable } from "../world/timeline.ts";
import type { PeopleList } from "../world/world.ts";
import {
  aboutPerson,
  forUser,
  type Handler,
  type Handlers,
  type OperationContext,
  onOwn,
  personAt,
  viewOf,
} from "./context.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";

export const lists = {
  getListsById: (input, context) =>
    aboutList(input, context, (list) => {
      const view = viewOf(input, context);
      return view.one(view.things([list], renderList)[0]);
    }),

  getListsPosts: (input, context) =>
    aboutList(input, context, (list) => {
      const members = context.world.listMembers.from(list.id).items();
      return pageOfPosts(
        merged(members.map((id) => context.world.postsBy.of(id))),
        `list posts ${list.id}`,
        input,
        context,
      );
    }),

  getListsMembers: (input, context) =>
    aboutList(input, context, (list) =>
      pageOfPeople(context.world.listMembers.from(list.id), `members ${list.id}`, input, context),
    ),

  getListsFollowers: (input, context) =>
    aboutList(input, context, (list) =>
      pageOfPeople(context.world.listFollowers.to(list.id), `list followers ${list.id}`, input, context),
    ),

  getUsersOwnedLists: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfLists(context.world.listsBy.of(person.id), `owned ${person.id}`, input, context),
    ),

  getUsersListMemberships: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfLists(context.world.listMembers.to(person.id), `memberships ${person.id}`, input, context),
    ),

  getUsersFollowedLists: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfLists(context.world.listFollowers.from(person.id), `followed ${person.id}`, input, context),
    ),

  getUsersPinnedLists: onOwn("id", (input, context, me) => {
    const view = viewOf(input, context);
    const pinned = [...context.world.pinnedLists.from(me.id).older()].flatMap(
      ({ item }) => context.world.lists.get(item) ?? [],
    );
    return view.list(view.things(pinned, renderList), { result_count: pinned.length });
  }),

  createLists: forUser((input, context, me) => {
    const list: PeopleList = {
      id: context.world.idAt(context.now),
      ownerId: me.id,
      createdAt: context.now,
      name: input.body.text("name") ?? "",
      description: input.body.text("description") ?? "",
      private: input.body.flag("private") ?? false,
    };
    context.world.lists.set(list.id, list);
    context.world.listsBy.add(me.id, list.id);
    return success({ data: { id: list.id, name: list.name } }, 201);
  }),

  updateLists: ownList((input, _scene, list) => {
    list.name = input.body.text("name") ?? list.name;
    list.description = input.body.text("description") ?? list.description;
    list.private = input.body.flag("private") ?? list.private;
    return success({ data: { updated: true } });
  }),

  deleteLists: ownList((_input, { world }, list) => {
    world.lists.delete(list.id);
    world.listsBy.remove(list.ownerId, list.id);
    for (const relation of [world.listMembers, world.listFollowers, world.pinnedLists])
      relation.drop(list.id);
    return success({ data: { deleted: true } });
  }),

  addListsMember: ownList((input, { world, now }, list) => {
    const person = personAt(world, "user_id", input.body.text("user_id"));
    if ("status" in person) return person;
    if (world.blocks.has(person.id, list.ownerId))
      return forbidden("You aren't allowed to add members to this list.");
    world.listMembers.add(list.id, person.id, world.relationKeyAt(now));
    return success({ data: { is_member: true } });
  }),

  removeListsMemberByUserId: ownList((input, { world }, list) => {
    world.listMembers.remove(list.id, input.text("user_id"));
    return success({ data: { is_member: false } });
  }),

  followList: onOwn("id", (input, context, me) =>
    withList(input.body.text("list_id"), context, (list) => {
      if (list.ownerId === me.id) return forbidden("You can not follow a list of your own.");
      context.world.listFollowers.add(me.id, list.id, context.world.relationKeyAt(context.now));
      return success({ data: { following: true } });
    }),
  ),

  unfollowList: onOwn("id", (input, context, me) => {
    context.world.listFollowers.remove(me.id, input.text("list_id"));
    return success({ data: { following: false } });
  }),

  pinList: onOwn("id", (input, context, me) =>
    withList(input.body.text("list_id"), context, (list) => {
      context.world.pinnedLists.add(me.id, list.id, context.world.relationKeyAt(context.now));
      return success({ data: { pinned: true } });
    }),
  ),

  unpinList: onOwn("id", (input, context, me) => {
    context.world.pinnedLists.remove(me.id, input.text("list_id"));
    return success({ data: { pinned: false } });
  }),
} satisfies Handlers;

function visibleList(id: string, { world, viewer }: OperationContext): PeopleList | undefined {
  const list = world.lists.get(id);
  return list === undefined || (list.private && list.ownerId !== viewer?.id) ? undefined : list;
}

function aboutList(input: Input, context: OperationContext, answer: (list: PeopleList) => Answer): Answer {
  const list = visibleList(input.text("id"), context);
  if (list !== undefined) return answer(list);
  return success({ errors: [notFound({ type: "list", parameter: "id", value: input.text("id") })] });
}

function withList(
  id: string | undefined,
  context: OperationContext,
  act: (list: PeopleList) => Answer,
): Answer {
  const list = visibleList(id ?? "", context);
  return list === undefined ? missing({ type: "list", parameter: "list_id", value: id ?? "" }) : act(list);
}

function ownList(
  act: (input: Input, context: OperationContext, list: PeopleList, me: Person) => Answer,
): Handler {
  return forUser((input, context, me) => {
    const list = visibleList(input.text("id"), context);
    if (list === undefined) return missing({ type: "list", parameter: "id", value: input.text("id") });
    return list.ownerId === me.id
      ? act(input, context, list, me)
      : forbidden("You are not allowed to change this list.");
  });
}

function pageOfLists(source: Readable, scope: string, input: Input, context: OperationContext): Answer {
  const page = pageOf(source, input, {
    scope,
    accept: (id) => visibleList(id, context) !== undefined,
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, context);
  const found = page.items.flatMap((id) => context.world.lists.get(id) ?? []);
  return view.list(view.things(found, renderList), pageMeta(page));
}

function renderList(list: PeopleList, view: View): JsonObject {
  const { world } = view;
  const out = withFields({ id: list.id, name: list.name }, view.requested.lists, {
    created_at: iso(list.createdAt),
    description: list.description,
    follower_count: world.listFollowers.to(list.id).size,
    member_count: world.listMembers.from(list.id).size,
    owner_id: list.ownerId,
    private: list.private,
  });
  if (!view.wants("owner_id")) return out;
  view.includePerson(list.ownerId);
  return { ...out, owner_id: list.ownerId };
}
