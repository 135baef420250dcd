import { type Missing, notFound, notVisible, suspended } from "../http/problems.ts";
import type { JsonObject } from "../json.ts";
import type { Person } from "../world/person.ts";
import type { Post } from "../world/post.ts";
import type { World } from "../world/world.ts";

/** `viewer` is undefined for app-only calls. */
export function canRead(world: World, viewer: Person | undefined, author: Person | undefined): boolean {
  if (author === undefined || author.accountStatus === "suspended") return false;
  if (viewer !== undefined && world.blocks.has(author.id, viewer.id)) return false;
  if (!author.protected || viewer?.id === author.id) return true;
  return viewer !== undefined && world.follows.has(viewer.id, author.id);
}

/** Or the `errors` entry that explains why not. */
export function readablePost(world: World, viewer: Person | undefined, what: Missing): Post | JsonObject {
  const post = world.posts.get(what.value);
  if (post === undefined) return notFound(what);
  const author = world.people.get(post.authorId);
  if (canRead(world, viewer, author)) return post;
  return author?.accountStatus === "suspended" ? notFound(what) : notVisible(what);
}

/** Or the `errors` entry that explains why not. */
export function visiblePerson(person: Person | undefined, what: Missing): Person | JsonObject {
  if (person === undefined) return notFound(what);
  return person.accountStatus === "suspended" ? suspended(what) : person;
}

export function isPost(found: Post | JsonObject): found is Post {
  return "versions" in found;
}

export function isPerson(found: Person | JsonObject): found is Person {
  return "accountStatus" in found;
}
