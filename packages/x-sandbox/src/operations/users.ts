import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { pageOf } from "../render/page.ts";
import { isPerson, visiblePerson } from "../rules/visibility.ts";
import type { Person } from "../world/person.ts";
import { forUser, type Handlers, type Scene, viewOf } from "./scene.ts";

export const users = {
  getUsersMe: forUser((input, scene, me) => {
    const view = viewOf(input, scene);
    return view.one(view.users([me])[0]);
  }),

  getUsersById: (input, scene) => onePerson(input, scene, "id", (id) => scene.world.people.get(id)),

  getUsersByUsername: (input, scene) =>
    onePerson(input, scene, "username", (name) => scene.world.personNamed(name)),

  getUsersByIds: (input, scene) => manyPeople(input, scene, "ids", (id) => scene.world.people.get(id)),

  getUsersByUsernames: (input, scene) =>
    manyPeople(input, scene, "usernames", (name) => scene.world.personNamed(name)),

  searchUsers: (input, scene) => {
    const { world } = scene;
    const words = input.text("query").toLowerCase();
    const page = pageOf(world.everyone, input, {
      scope: `people ${words}`,
      accept: (id) => {
        const person = world.people.get(id);
        if (person === undefined || person.standing === "suspended") return false;
        return `${person.username} ${person.name} ${person.bio}`.toLowerCase().includes(words);
      },
    });
    if ("refusal" in page) return page.refusal;
    const view = viewOf(input, scene);
    const people = page.items.flatMap((id) => world.people.get(id) ?? []);
    return view.list(view.users(people), {
      ...(page.next !== undefined && { next_token: page.next }),
      ...(page.previous !== undefined && { previous_token: page.previous }),
    });
  },
} satisfies Handlers;

type FindPerson = (value: string) => Person | undefined;

function onePerson(input: Input, scene: Scene, parameter: string, find: FindPerson): Answer {
  const view = viewOf(input, scene);
  const value = input.text(parameter);
  const found = visiblePerson(find(value), { type: "user", parameter, value });
  if (isPerson(found)) return view.one(view.users([found])[0]);
  view.errors.push(found);
  return view.one(undefined);
}

function manyPeople(input: Input, scene: Scene, parameter: string, find: FindPerson): Answer {
  const view = viewOf(input, scene);
  const people: Person[] = [];
  for (const value of new Set(input.list(parameter))) {
    const found = visiblePerson(find(value), { type: "user", parameter, value });
    if (isPerson(found)) people.push(found);
    else view.errors.push(found);
  }
  return view.list(view.users(people));
}
