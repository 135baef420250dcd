import { hour } from "../../clock.ts";
import type { Random } from "../../random.ts";
import type { Person } from "../person.ts";
import type { World } from "../world.ts";
import { startConversation, writeDm } from "../write-dm.ts";
import { cast } from "./cast.ts";
import * as phrases from "./phrases.ts";

/** The owner's inbox: a long talk with the friend, some short ones, and a group. */
export function seedDirectMessages(
  world: World,
  random: Random,
  people: readonly Person[],
  until: number,
): void {
  const owner = world.personNamed(cast.owner);
  const friend = world.personNamed(cast.friend);
  if (owner === undefined || friend === undefined) return;
  const others = random.sample(
    people.filter((person) => person.opensDms && person.accountStatus === "active" && person.id !== owner.id),
    4,
  );
  let at = until - 48 * hour;
  const talk = (a: string, b: string, count: number): void => {
    const conversation = startConversation(world, [a, b], false, at);
    for (let i = 0; i < count; i++) {
      at += random.between(1, 20) * 60_000;
      writeDm(world, conversation, {
        senderId: random.chance(0.5) ? a : b,
        text: phrases.message(random),
        at,
      });
    }
  };
  talk(owner.id, friend.id, 30);
  for (const other of others) talk(owner.id, other.id, random.between(1, 5));
  const members = [owner.id, friend.id, ...others.slice(0, 2).map((person) => person.id)];
  const group = startConversation(world, [...new Set(members)], true, at);
  for (let i = 0; i < 6; i++)
    writeDm(world, group, { senderId: friend.id, text: phrases.message(random), at: at + i * 60_000 });
}
