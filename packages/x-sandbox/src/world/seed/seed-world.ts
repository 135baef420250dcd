import { Random } from "../../random.ts";
import { World } from "../world.ts";
import { seedPeople } from "./cast.ts";
import { seedDirectMessages } from "./seed-direct-messages.ts";
import { seedGraph } from "./seed-graph.ts";
import { seedLists } from "./seed-lists.ts";
import { seedPosts } from "./seed-posts.ts";
import { seedSpaces } from "./seed-spaces.ts";

export interface WorldSize {
  readonly people: number;
  readonly posts: number;
}

/** The world as it is at `until`. The same seed, size and instant give the same world. */
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
