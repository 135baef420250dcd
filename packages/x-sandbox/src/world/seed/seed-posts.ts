import { day } from "../../clock.ts";
import type { Random } from "../../random.ts";
import type { Media } from "../media.ts";
import type { Person } from "../person.ts";
import type { Post } from "../post.ts";
import type { World } from "../world.ts";
import { type Draft, writePost, writeRepost } from "../write-post.ts";
import { cast } from "./cast.ts";
import * as phrases from "./phrases.ts";

/** Two weeks up to `until`. */
export function seedPosts(
  world: World,
  random: Random,
  people: readonly Person[],
  count: number,
  until: number,
): void {
  const moments = Array.from({ length: count }, () => until - random.between(60_000, 14 * day)).sort(
    (a, b) => a - b,
  );
  const speakers = people.filter((person) => person.accountStatus === "active");
  const recent: Post[] = [];
  for (const at of moments) {
    const author = weighted(random, speakers);
    if (author === undefined) return;
    const post = speak(world, random, author, recent, at);
    if (post === undefined) continue;
    recent.push(post);
    if (recent.length > 120) recent.shift();
  }
  seedReactions(world, random, speakers);
}

function speak(
  world: World,
  random: Random,
  author: Person,
  recent: readonly Post[],
  at: number,
): Post | undefined {
  const other = recent[random.between(0, Math.max(0, recent.length - 1))];
  const impressions = random.between(20, 5_000);
  const open = other !== undefined && other.authorId !== author.id && !isProtected(world, other);
  const dice = random.next();
  if (open && dice < 0.24) {
    return writePost(world, { ...byline(author, phrases.answer(random), at), replyTo: other, impressions });
  }
  if (open && dice < 0.32) {
    return writePost(world, { ...byline(author, phrases.comment(random), at), quoteOf: other, impressions });
  }
  if (open && dice < 0.42 && !author.protected) {
    writeRepost(world, author.id, other, at);
    return undefined;
  }
  if (dice < 0.5 && (author.username === cast.friend || random.chance(0.3))) {
    return writePost(world, { ...byline(author, phrases.call(random, cast.owner), at), impressions });
  }
  return writePost(world, {
    ...byline(author, phrases.remark(random), at),
    ...trimmings(world, random, author, at),
    impressions,
  });
}

function byline(author: Person, phrase: phrases.Phrase, at: number): Draft {
  return { authorId: author.id, text: phrase.text, lang: phrase.lang, at };
}

function trimmings(world: World, random: Random, author: Person, at: number): Partial<Draft> {
  const dice = random.next();
  if (dice < 0.1) return { mediaIds: [seedImage(world, random, author.id, at).id] };
  if (dice < 0.13) {
    return {
      poll: {
        options: ["Tea", "Coffee", "Neither"],
        minutes: 1_440,
        votes: [random.between(0, 90), random.between(0, 90), 3],
      },
    };
  }
  return dice < 0.17 ? { replySettings: random.pick(["following", "mentionedUsers"] as const) } : {};
}

function seedReactions(world: World, random: Random, people: readonly Person[]): void {
  for (const post of world.posts.values()) {
    if (post.repostOf !== undefined || isProtected(world, post)) continue;
    const likers = random.sample(people, Math.floor(random.next() ** 3 * 24));
    for (const liker of likers) world.likes.add(liker.id, post.id, world.relationKeyAt(post.at));
    if (random.chance(0.1)) {
      for (const reader of random.sample(people, 2))
        world.bookmarks.add(reader.id, post.id, world.relationKeyAt(post.at));
    }
  }
  for (const person of people) {
    if (random.chance(0.3)) person.pinnedPostId = ownPost(world, person);
  }
}

function ownPost(world: World, person: Person): string | undefined {
  return world.postsBy
    .of(person.id)
    .items()
    .find((id) => world.posts.get(id)?.repostOf === undefined);
}

function isProtected(world: World, post: Post): boolean {
  return world.people.get(post.authorId)?.protected ?? false;
}

/** A few people write most posts. */
function weighted(random: Random, people: readonly Person[]): Person | undefined {
  return people[Math.floor(random.next() ** 2 * people.length)];
}

function seedImage(world: World, random: Random, ownerId: string, at: number): Media {
  const media: Media = {
    id: world.idAt(at),
    ownerId,
    category: "tweet_image",
    type: "image/jpeg",
    totalBytes: random.between(20_000, 900_000),
    createdAt: at,
    segments: new Map(),
    state: "ready",
    processing: undefined,
    failure: undefined,
    altText: random.chance(0.5) ? "A workbench with a half-finished map" : undefined,
    width: 1_200,
    height: 800,
    durationMs: undefined,
    expiresAt: undefined,
  };
  world.media.set(media.id, media);
  return media;
}
