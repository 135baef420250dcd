import type { Person } from "./person.ts";
import type { ReplySettings } from "./post.ts";
import { World } from "./world.ts";
import { type Draft, writePost } from "./write-post.ts";

/** Known people and posts, which replace the generated world. */
export interface KnownWorld {
  readonly people: readonly KnownPerson[];
  /** Parents first. Later posts appear when they are due. */
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
  /** Generated if missing. */
  readonly id?: string | undefined;
  readonly authorId: string;
  readonly text: string;
  readonly at: number;
  readonly replyTo?: string | undefined;
  readonly replySettings?: ReplySettings | undefined;
  readonly likes?: number | undefined;
  readonly impressions?: number | undefined;
}

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
