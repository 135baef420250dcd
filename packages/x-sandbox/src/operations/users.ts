import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { pageOf } from "../render/page.ts";
import { isPerson, visiblePerson } from "../rules/visibility.ts";
import type { Person } from "../world/person.ts";
import { forUser, type Handlers, type OperationContext, viewOf } from "./context.ts";

export const users = {
  getUsersMe: forUser((input, context, me) => {
    const view = viewOf(input, context);
    return view.one(view.users([me])[0]);
  }),

  getUsersById: (input, context) => onePerson(input, context, "id", (id) => context.world.people.get(id)),

  getUsersByUsername: (input, context) =>
    onePerson(input, context, "username", (name) => context.world.personNamed(name)),

  getUsersByIds: (input, context) => manyPeople(input, context, "ids", (id) => context.world.people.get(id)),

  getUsersByUsernames: (input, context) =>
    manyPeople(input, context, "usernames", (name) => context.world.personNamed(name)),

  searchUsers: (input, context) => {
    const { world } = context;
    const words = input.text("query").toLowerCase();
    const page = pageOf(world.everyone, input, {
      scope: `people ${words}`,
      accept: (id) => {
        const person = world.people.get(id);
        if (person === undefined || person.accountStatus === "suspended") return false;
        return `${person.username} ${person.name} ${person.bio}`.toLowerCase().includes(words);
      },
    });
    if ("refusal" in page) return page.refusal;
    const view = viewOf(input, context);
    const people = page.items.flatMap((id) => world.people.get(id) ?? []);
    return view.list(view.users(people), {
      ...(page.next !== undefined && { next_token: page.next }),
      ...(page.previous !== undefined && { previous_token: page.previous }),
    });
  },
} satisfies Handlers;

type FindPerson = (value: string) => Person | undefined;

function onePerson(input: Input, context: OperationContext, parameter: string, find: FindPerson): Answer {
  const view = viewOf(input, context);
  const value = input.text(parameter);
  const found = visiblePerson(find(value), { type: "user", parameter, value });
  if (isPerson(found)) return view.one(view.users([found])[0]);
  view.errors.push(found);
  return view.one(undefined);
}

function manyPeople(input: Input, context: OperationContext, parameter: string, find: FindPerson): Answer {
  const view = viewOf(input, context);
  const people: Person[] = [];
  for (const value of new Set(input.list(parameter))) {
    const found = visiblePerson(find(value), { type: "user", parameter, value });
    if (isPerson(found)) people.push(found);
    else view.errors.push(found);
  }
  return view.list(view.users(people));
}
