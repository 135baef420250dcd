import { type Answer, done } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { forbidden, missing, notFound } from "../problems.ts";
import { renderList } from "../render/list.ts";
import { pageMeta, pageOf } from "../render/page.ts";
import { merged, type Readable } from "../world/chronicle.ts";
import type { PeopleList } from "../world/list.ts";
import type { Person } from "../world/person.ts";
import { aboutPerson, personAt } from "./about-person.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";
import { forUser, type Handler, type Handlers, onOwn, type Scene, viewOf } from "./scene.ts";

export const lists = {
  getListsById: (input, scene) =>
    aboutList(input, scene, (list) => {
      const view = viewOf(input, scene);
      return view.one(view.things([list], renderList)[0]);
    }),

  getListsPosts: (input, scene) =>
    aboutList(input, scene, (list) => {
      const members = scene.world.listMembers.from(list.id).items();
      return pageOfPosts(
        merged(members.map((id) => scene.world.postsBy.of(id))),
        `list posts ${list.id}`,
        input,
        scene,
      );
    }),

  getListsMembers: (input, scene) =>
    aboutList(input, scene, (list) =>
      pageOfPeople(scene.world.listMembers.from(list.id), `members ${list.id}`, input, scene),
    ),

  getListsFollowers: (input, scene) =>
    aboutList(input, scene, (list) =>
      pageOfPeople(scene.world.listFollowers.to(list.id), `list followers ${list.id}`, input, scene),
    ),

  getUsersOwnedLists: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfLists(scene.world.listsBy.of(person.id), `owned ${person.id}`, input, scene),
    ),

  getUsersListMemberships: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfLists(scene.world.listMembers.to(person.id), `memberships ${person.id}`, input, scene),
    ),

  getUsersFollowedLists: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfLists(scene.world.listFollowers.from(person.id), `followed ${person.id}`, input, scene),
    ),

  getUsersPinnedLists: onOwn("id", (input, scene, me) => {
    const view = viewOf(input, scene);
    const pinned = [...scene.world.pinnedLists.from(me.id).older()].flatMap(
      ({ item }) => scene.world.lists.get(item) ?? [],
    );
    return view.list(view.things(pinned, renderList), { result_count: pinned.length });
  }),

  createLists: forUser((input, scene, me) => {
    const list: PeopleList = {
      id: scene.world.idAt(scene.now),
      ownerId: me.id,
      createdAt: scene.now,
      name: input.body.text("name") ?? "",
      description: input.body.text("description") ?? "",
      private: input.body.flag("private") ?? false,
    };
    scene.world.lists.set(list.id, list);
    scene.world.listsBy.add(me.id, list.id);
    return done({ data: { id: list.id, name: list.name } }, 201);
  }),

  updateLists: ownList((input, _scene, list) => {
    list.name = input.body.text("name") ?? list.name;
    list.description = input.body.text("description") ?? list.description;
    list.private = input.body.flag("private") ?? list.private;
    return done({ data: { updated: true } });
  }),

  deleteLists: ownList((_input, { world }, list) => {
    world.lists.delete(list.id);
    world.listsBy.remove(list.ownerId, list.id);
    for (const bond of [world.listMembers, world.listFollowers, world.pinnedLists]) bond.drop(list.id);
    return done({ data: { deleted: true } });
  }),

  addListsMember: ownList((input, { world, now }, list) => {
    const person = personAt(world, "user_id", input.body.text("user_id"));
    if ("status" in person) return person;
    if (world.blocks.has(person.id, list.ownerId))
      return forbidden("You aren't allowed to add members to this list.");
    world.listMembers.add(list.id, person.id, world.bondKeyAt(now));
    return done({ data: { is_member: true } });
  }),

  removeListsMemberByUserId: ownList((input, { world }, list) => {
    world.listMembers.remove(list.id, input.text("user_id"));
    return done({ data: { is_member: false } });
  }),

  followList: onOwn("id", (input, scene, me) =>
    withList(input.body.text("list_id"), scene, (list) => {
      if (list.ownerId === me.id) return forbidden("You can not follow a list of your own.");
      scene.world.listFollowers.add(me.id, list.id, scene.world.bondKeyAt(scene.now));
      return done({ data: { following: true } });
    }),
  ),

  unfollowList: onOwn("id", (input, scene, me) => {
    scene.world.listFollowers.remove(me.id, input.text("list_id"));
    return done({ data: { following: false } });
  }),

  pinList: onOwn("id", (input, scene, me) =>
    withList(input.body.text("list_id"), scene, (list) => {
      scene.world.pinnedLists.add(me.id, list.id, scene.world.bondKeyAt(scene.now));
      return done({ data: { pinned: true } });
    }),
  ),

  unpinList: onOwn("id", (input, scene, me) => {
    scene.world.pinnedLists.remove(me.id, input.text("list_id"));
    return done({ data: { pinned: false } });
  }),
} satisfies Handlers;

/** Private lists exist for their owner only. */
function visibleList(id: string, { world, viewer }: Scene): PeopleList | undefined {
  const list = world.lists.get(id);
  return list === undefined || (list.private && list.ownerId !== viewer?.id) ? undefined : list;
}

function aboutList(input: Input, scene: Scene, answer: (list: PeopleList) => Answer): Answer {
  const list = visibleList(input.text("id"), scene);
  if (list !== undefined) return answer(list);
  return done({ errors: [notFound({ type: "list", parameter: "id", value: input.text("id") })] });
}

function withList(id: string | undefined, scene: Scene, act: (list: PeopleList) => Answer): Answer {
  const list = visibleList(id ?? "", scene);
  return list === undefined ? missing({ type: "list", parameter: "list_id", value: id ?? "" }) : act(list);
}

function ownList(act: (input: Input, scene: Scene, list: PeopleList, me: Person) => Answer): Handler {
  return forUser((input, scene, me) => {
    const list = visibleList(input.text("id"), scene);
    if (list === undefined) return missing({ type: "list", parameter: "id", value: input.text("id") });
    return list.ownerId === me.id
      ? act(input, scene, list, me)
      : forbidden("You are not allowed to change this list.");
  });
}

function pageOfLists(source: Readable, scope: string, input: Input, scene: Scene): Answer {
  const page = pageOf(source, input, {
    scope,
    accept: (id) => visibleList(id, scene) !== undefined,
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, scene);
  const found = page.items.flatMap((id) => scene.world.lists.get(id) ?? []);
  return view.list(view.things(found, renderList), pageMeta(page));
}
