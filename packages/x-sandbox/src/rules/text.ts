import { POST_LIMIT, type PostText, parsePost } from "@toolpact/x-api/text";
import { day } from "../clock.ts";
import type { Answer } from "../http/answer.ts";
import { badValue, textTooLong, tooManyCashtags } from "../http/problems.ts";
import { firstIdAt } from "../snowflake.ts";
import { withoutLeadingMentions } from "../world/entities.ts";
import { isPremium, type Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import type { Plan } from "./plans.ts";

/** For Premium; others have 280. */
const longPostLimit = 25_000;

/** Leading usernames of a reply do not count. */
export function refusedText(
  text: string,
  author: Person,
  plan: Plan,
  addressed: readonly string[],
): Answer | undefined {
  const counted = parsePost(withoutLeadingMentions(text, addressed));
  const limit = isPremium(author) ? longPostLimit : POST_LIMIT;
  if (counted.weighted_length > limit) return textTooLong(text);
  if (counted.problems.includes("invalid_characters"))
    return badValue("text", text, "Your Tweet text has invalid characters.");
  if (plan === "self_serve" && cashtagsOf(counted) > 1) return tooManyCashtags();
  return undefined;
}

export function hasLink(text: string): boolean {
  return parsePost(text).urls.length > 0;
}

function cashtagsOf(parsed: PostText): number {
  return new Set(parsed.cashtags.map(({ symbol }) => symbol.toUpperCase())).size;
}

export interface Candidate {
  readonly authorId: string;
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly quoteOf: string | undefined;
  readonly mediaIds: readonly string[];
}

/** The same text in the same place within a day, and not deleted. */
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
