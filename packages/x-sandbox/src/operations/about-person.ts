import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { missing, notVisible } from "../problems.ts";
import { canRead, isPerson, visiblePerson } from "../rules/visibility.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { type Scene, viewOf } from "./scene.ts";

/** Lists of what a person does: without the person, or the right to read them, there is only the reason why. */
export function aboutPerson(input: Input, scene: Scene, list: (person: Person) => Answer): Answer {
  const what = { type: "user", parameter: "id", value: input.text("id") } as const;
  const found = visiblePerson(scene.world.people.get(what.value), what);
  if (isPerson(found) && canRead(scene.world, scene.viewer, found)) return list(found);
  const view = viewOf(input, scene);
  view.errors.push(isPerson(found) ? notVisible(what) : found);
  return view.one(undefined);
}

/** Whom a write names, or the answer that there is nobody by that id. */
export function personAt(world: World, parameter: string, id = ""): Person | Answer {
  const person = world.people.get(id);
  return person === undefined || person.standing === "suspended"
    ? missing({ type: "user", parameter, value: id })
    : person;
}
