import type { Post } from "./post.ts";

/** The words, tags and mentions a post can be found by, in lower case. */
export function searchTerms(post: Post): Set<string> {
  const terms = new Set(wordsOf(post.submitted));
  for (const { tag } of post.entities.hashtags) terms.add(`#${tag.toLowerCase()}`);
  for (const { tag } of post.entities.cashtags) terms.add(`$${tag.toLowerCase()}`);
  for (const { username } of post.entities.mentions) terms.add(`@${username.toLowerCase()}`);
  return terms;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
