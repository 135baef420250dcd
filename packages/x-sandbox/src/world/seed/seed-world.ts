import { day, hour } from "../../clock.ts";
import { Random } from "../../random.ts";
import type { Person } from "../person.ts";
import { World } from "../world.ts";
import { startConversation, writeDm } from "../write-dm.ts";
import { cast, seedPeople } from "./cast.ts";
import * as phrases from "./phrases.ts";
import { seedLists } from "./seed-lists.ts";
import { seedPosts } from "./seed-posts.ts";
import { seedSpaces } from "./seed-spaces.ts";

export interface WorldSize {
  readonly people: number;
  readonly posts: number;
}

/** The same seed, size and time give the same world. */
export function seedWorld(seed: number, until: number, size: WorldSize = lively): World {
  const world = new World();
  const random = new Random(seed);
  const people = seedPeople(world, random, size.people);
  seedGraph(world, random, people, until);
  seedLists(world, random, people, until);
  seedSpaces(world, random, people, until);
  seedPosts(world, random, people, size.posts, until);
  seedDirectMessages(world, random, people, until);
  return world;
}

const lively: WorldSize = { people: 90, posts: 1_400 };

function seedGraph(world: World, random: Random, people: readonly Person[], until: number): void {
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

function seedDirectMessages(world: World, random: Random, people: readonly Person[], until: number): void {
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
