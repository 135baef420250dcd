import type { Person } from "./person.ts";
import type { ReplySettings } from "./post.ts";
import { World } from "./world.ts";
import { type Draft, writePost } from "./write-post.ts";

/** People and posts that are known from elsewhere: a world of its own in place of the made-up one. */
export interface KnownWorld {
  readonly people: readonly KnownPerson[];
  /** One that answers another comes after it. Those after the clock's start are posted when their time comes. */
  readonly posts: readonly KnownPost[];
}

export interface KnownPerson {
  readonly id: string;
  readonly username: string;
  readonly name?: string | undefined;
  readonly followers?: number | undefined;
  readonly isPremium?: boolean | undefined;
}

export interface KnownPost {
  /** A new one where it is missing. */
  readonly id?: string | undefined;
  readonly authorId: string;
  readonly text: string;
  readonly at: number;
  /** Id of the post that it answers. */
  readonly replyTo?: string | undefined;
  readonly replySettings?: ReplySettings | undefined;
  readonly likes?: number | undefined;
  readonly impressions?: number | undefined;
}

/** The world as it is at `until`. */
export function worldOf({ people, posts }: KnownWorld, until: number): World {
  const world = new World();
  for (const person of people) world.addPerson(personFrom(person));
  for (const post of posts) if (post.at <= until) addKnownPost(world, post);
  return world;
}

export function addKnownPost(world: World, { replyTo, likes, ...post }: KnownPost): void {
  if (!world.people.has(post.authorId)) return;
  const answered = replyTo === undefined ? undefined : world.posts.get(replyTo);
  const draft: Draft = { ...post, otherLikes: likes, ...(answered !== undefined && { replyTo: answered }) };
  writePost(world, draft);
}

function personFrom({ id, username, name = username, followers, isPremium = false }: KnownPerson): Person {
  return {
    id,
    username,
    name,
    bio: "",
    location: undefined,
    url: undefined,
    createdAt: BEFORE_ALL,
    subscription: isPremium ? "Premium" : "None",
    verified: isPremium ? "blue" : "none",
    protected: false,
    opensDms: false,
    accountStatus: "active",
    pinnedPostId: undefined,
    otherFollowers: followers,
  };
}

const BEFORE_ALL = Date.UTC(2019, 0, 1);
