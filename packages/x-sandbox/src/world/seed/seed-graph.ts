import { day } from "../../clock.ts";
import type { Random } from "../../random.ts";
import type { Person } from "../person.ts";
import type { World } from "../world.ts";
import { cast } from "./cast.ts";

/** Who follows, mutes and blocks whom. */
export function seedGraph(world: World, random: Random, people: readonly Person[], until: number): void {
  const at = until - 30 * day;
  const named = (username: string): string => world.personNamed(username)?.id ?? "";
  const strangers = new Set([named(cast.stranger), named(cast.shy), named(cast.gone), named(cast.foe)]);
  const owner = named(cast.owner);
  world.follows.add(named(cast.friend), owner, world.relationKeyAt(at));
  world.follows.add(owner, named(cast.friend), world.relationKeyAt(at));
  world.blocks.add(named(cast.foe), owner, world.relationKeyAt(at));
  for (const person of people) {
    if (person.accountStatus !== "active") continue;
    for (const other of random.sample(people, random.between(4, 40))) {
      const ownersBusiness = person.id === owner || other.id === owner;
      if (other.id === person.id || other.accountStatus !== "active" || other.protected) continue;
      if (ownersBusiness && (strangers.has(person.id) || strangers.has(other.id))) continue;
      world.follows.add(person.id, other.id, world.relationKeyAt(at));
    }
  }
  const crowd = people.filter(
    (person) => !strangers.has(person.id) && person.id !== owner && person.username !== cast.friend,
  );
  for (const person of random.sample(crowd, 7)) world.mutes.add(owner, person.id, world.relationKeyAt(at));
  for (const person of random.sample(crowd, 4)) {
    world.blocks.add(owner, person.id, world.relationKeyAt(at));
    world.follows.remove(owner, person.id);
    world.follows.remove(person.id, owner);
  }
}
