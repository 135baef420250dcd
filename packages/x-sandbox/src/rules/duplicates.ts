import { day } from "../clock.ts";
import { firstIdAt } from "../snowflake.ts";
import type { World } from "../world/world.ts";

export interface Candidate {
  readonly authorId: string;
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly quoteOf: string | undefined;
  readonly mediaIds: readonly string[];
}

/** The author said the same in the same place within a day, and has not deleted it. */
export function repeats(world: World, candidate: Candidate, now: number): boolean {
  const border = firstIdAt(now - day);
  const text = normal(candidate.text);
  for (const { item, key } of world.postsBy.of(candidate.authorId).older()) {
    if (key < border) return false;
    const post = world.posts.get(item);
    if (
      post !== undefined &&
      post.repostOf === undefined &&
      normal(post.submitted) === text &&
      post.replyTo?.postId === candidate.replyTo &&
      post.quoteOf === candidate.quoteOf &&
      post.mediaIds.join() === candidate.mediaIds.join()
    ) {
      return true;
    }
  }
  return false;
}

function normal(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}
