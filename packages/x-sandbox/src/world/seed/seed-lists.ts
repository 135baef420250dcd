import { day } from "../../clock.ts";
import type { Random } from "../../random.ts";
import type { Person } from "../person.ts";
import type { PeopleList, World } from "../world.ts";
import { cast } from "./cast.ts";

/** Two are the owner's, one of them private. */
export function seedLists(world: World, random: Random, people: readonly Person[], until: number): void {
  const at = until - 20 * day;
  const active = people.filter((person) => person.accountStatus === "active");
  const owner = world.personNamed(cast.owner);
  if (owner === undefined) return;
  const own = [
    addList(world, owner.id, "Toolmakers", "People who build tools", false, at),
    addList(world, owner.id, "Quiet reading", "", true, at),
  ];
  const others = random
    .sample(active, 10)
    .map((person, i) =>
      addList(
        world,
        person.id,
        `${names[i % names.length]} ${i + 1}`,
        "A sandbox list",
        random.chance(0.2),
        at,
      ),
    );
  for (const list of [...own, ...others]) {
    for (const member of random.sample(active, random.between(3, 25)))
      world.listMembers.add(list.id, member.id, world.relationKeyAt(at));
    if (list.private) continue;
    for (const reader of random.sample(active, random.between(0, 12)))
      world.listFollowers.add(reader.id, list.id, world.relationKeyAt(at));
  }
  for (const list of own) world.pinnedLists.add(owner.id, list.id, world.relationKeyAt(at));
}

function addList(
  world: World,
  ownerId: string,
  name: string,
  description: string,
  isPrivate: boolean,
  at: number,
): PeopleList {
  const list: PeopleList = {
    id: world.idAt(at),
    ownerId,
    name,
    description,
    private: isPrivate,
    createdAt: at,
  };
  world.lists.set(list.id, list);
  world.listsBy.add(ownerId, list.id);
  return list;
}

const names = ["Bakers", "Map people", "Engines", "Sailors", "Printers"] as const;
