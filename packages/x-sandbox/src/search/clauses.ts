import { kindOf } from "../world/media.ts";
import type { Person } from "../world/person.ts";
import { type Post, wordsOf } from "../world/post.ts";
import type { Timeline } from "../world/timeline.ts";
import type { World } from "../world/world.ts";

export interface Clause {
  readonly test: (post: Post, world: World) => boolean;
  /** X accepts `lang:`, `is:` and `has:` only next to others. */
  readonly standsAlone: boolean;
  /** It contains every match. */
  readonly list?: (world: World) => Timeline;
}

export function clauseOf(token: string): Clause | { readonly complaint: string } {
  const [, operator, quoted, plain = ""] = /^([a-z_]+):(?:"([^"]*)"|(.*))$/.exec(token) ?? [];
  if (operator === undefined) return wordClause(token);
  const value = quoted ?? plain;
  const make = operators.get(operator);
  if (make === undefined)
    return { complaint: `Reference to invalid operator '${operator}'. The operator is not available.` };
  if (value === "") return { complaint: `The operator '${operator}' needs a value.` };
  return make(value) ?? { complaint: `The operator '${operator}' does not take the value '${value}'.` };
}

/** Reposts are not indexed by word. */
function wordClause(token: string): Clause | { readonly complaint: string } {
  const phrase = /^"([^"]*)"$/.exec(token)?.[1]?.toLowerCase();
  if (phrase !== undefined) {
    const [first = ""] = wordsOf(phrase);
    return {
      standsAlone: true,
      test: (post) => post.repostOf === undefined && post.submitted.toLowerCase().includes(phrase),
      ...(first !== "" && { list: (world) => world.postsWith.of(first) }),
    };
  }
  const tagged = /^[#$@]/.test(token);
  const terms = tagged ? [token.toLowerCase()] : wordsOf(token);
  const [first] = terms;
  if (first === undefined) return { complaint: `There is nothing to search for in '${token}'.` };
  return {
    standsAlone: true,
    test: (post, world) => terms.every((term) => world.postsWith.of(term).has(post.id)),
    list: (world) => world.postsWith.of(first),
  };
}

type MakeClause = (value: string) => Clause | undefined;

const operators: ReadonlyMap<string, MakeClause> = new Map(
  Object.entries<MakeClause>({
    from: (value) => ({
      standsAlone: true,
      test: (post, world) => isPerson(world, post.authorId, value),
      list: (world) => world.postsBy.of(personOf(world, value)?.id ?? ""),
    }),
    to: (value) => ({
      standsAlone: true,
      test: (post, world) => post.replyTo !== undefined && isPerson(world, post.replyTo.userId, value),
    }),
    conversation_id: (value) => ({
      standsAlone: true,
      test: (post) => post.conversationId === value,
      list: (world) => world.postsIn.of(value),
    }),
    in_reply_to_tweet_id: (value) => repliesTo(value),
    in_reply_to_status_id: (value) => repliesTo(value),
    quotes_of_tweet_id: (value) => ({
      standsAlone: true,
      test: (post) => post.quoteOf === value,
      list: (world) => world.quotesOf.of(value),
    }),
    retweets_of_tweet_id: (value) => ({
      standsAlone: true,
      test: (post) => post.repostOf === value,
      list: (world) => world.repostsOf.of(value),
    }),
    retweets_of: (value) => ({
      standsAlone: true,
      test: (post, world) => isPerson(world, world.posts.get(post.repostOf ?? "")?.authorId ?? "", value),
    }),
    url: (value) => ({
      standsAlone: true,
      test: (post) =>
        post.entities.urls.some((link) => link.target.toLowerCase().includes(value.toLowerCase())),
    }),
    lang: (value) => companion((post) => post.lang === value),
    is: (value) => named(value, isTests),
    has: (value) => named(value, hasTests),
    min_likes: (value) => atLeast(value, (post, world) => world.likes.to(post.id).size),
    min_faves: (value) => atLeast(value, (post, world) => world.likes.to(post.id).size),
    min_replies: (value) => atLeast(value, (post, world) => world.repliesTo.of(post.id).size),
    min_reposts: (value) => atLeast(value, (post, world) => world.repostsOf.of(post.id).size),
    min_retweets: (value) => atLeast(value, (post, world) => world.repostsOf.of(post.id).size),
  }),
);

function repliesTo(value: string): Clause {
  return {
    standsAlone: true,
    test: (post) => post.replyTo?.postId === value,
    list: (world) => world.repliesTo.of(value),
  };
}

function companion(test: Clause["test"]): Clause {
  return { standsAlone: false, test };
}

function named(value: string, tests: ReadonlyMap<string, Clause["test"]>): Clause | undefined {
  const test = tests.get(value);
  return test === undefined ? undefined : companion(test);
}

function atLeast(value: string, count: (post: Post, world: World) => number): Clause | undefined {
  return /^\d{1,9}$/.test(value)
    ? companion((post, world) => count(post, world) >= Number(value))
    : undefined;
}

const isTests: ReadonlyMap<string, Clause["test"]> = new Map(
  Object.entries<Clause["test"]>({
    reply: (post) => post.replyTo !== undefined,
    quote: (post) => post.quoteOf !== undefined,
    retweet: (post) => post.repostOf !== undefined,
    repost: (post) => post.repostOf !== undefined,
    verified: (post, world) => (world.people.get(post.authorId)?.verified ?? "none") !== "none",
    nullcast: () => false,
  }),
);

const hasTests: ReadonlyMap<string, Clause["test"]> = new Map(
  Object.entries<Clause["test"]>({
    hashtags: (post) => post.entities.hashtags.length > 0,
    cashtags: (post) => post.entities.cashtags.length > 0,
    mentions: (post) => post.entities.mentions.length > 0,
    links: (post) => post.entities.urls.length > 0,
    media: (post) => post.mediaIds.length > 0,
    images: (post, world) =>
      post.mediaIds.some((id) => kindOf(world.media.get(id)?.category ?? "subtitles") === "photo"),
    videos: (post, world) =>
      post.mediaIds.some((id) => kindOf(world.media.get(id)?.category ?? "subtitles") === "video"),
    video_link: (post, world) =>
      post.mediaIds.some((id) => kindOf(world.media.get(id)?.category ?? "subtitles") === "video"),
    geo: (post) => post.placeId !== undefined,
  }),
);

/** By username, with or without @, or id. */
function personOf(world: World, name: string): Person | undefined {
  return world.personNamed(name.replace(/^@/, "")) ?? world.people.get(name);
}

function isPerson(world: World, id: string, name: string): boolean {
  return id !== "" && personOf(world, name)?.id === id;
}
