import type { Answer } from "../http/answer.ts";
import { forbidden, replyNotAllowed } from "../http/problems.ts";
import type { Person } from "../world/person.ts";
import type { Post } from "../world/post.ts";
import type { World } from "../world/world.ts";
import type { Plan } from "./plans.ts";
import { canRead } from "./visibility.ts";

/** By plan, reply settings and visibility. */
export function refusedReply(
  world: World,
  me: Person,
  target: Post | undefined,
  plan: Plan,
): Answer | undefined {
  if (target === undefined || !canRead(world, me, world.people.get(target.authorId))) {
    return forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.");
  }
  if (target.authorId === me.id) return undefined;
  if (plan === "self_serve" && !summons(world, target, me)) return replyNotAllowed();
  const root = world.posts.get(target.conversationId) ?? target;
  if (root.authorId === me.id || lets(world, root, me)) return undefined;
  return forbidden("Reply to this conversation is not allowed because its author limits who can reply.");
}

/** The author mentioned or quoted this person. */
export function summons(world: World, post: Post, person: Person): boolean {
  if (post.entities.mentions.some((mention) => mention.id === person.id)) return true;
  return world.posts.get(post.quoteOf ?? "")?.authorId === person.id;
}

function lets(world: World, root: Post, person: Person): boolean {
  const named = root.entities.mentions.some((mention) => mention.id === person.id);
  switch (root.replySettings) {
    case "everyone":
      return true;
    case "following":
      return named || world.follows.has(root.authorId, person.id);
    case "mentionedUsers":
      return named;
    case "verified":
      return named || person.verified !== "none";
    case "subscribers":
      return false;
  }
}
