import { hour, minute, second } from "../clock.ts";
import type { Random } from "../random.ts";
import type { Person } from "./person.ts";
import type { Post } from "./post.ts";
import { cast } from "./seed/cast.ts";
import * as phrases from "./seed/phrases.ts";
import type { World } from "./world.ts";
import { writePost } from "./write-post.ts";

/**
 * People see, like and answer the owner's posts, follow, and post about bread. Due events are applied before
 * the next request.
 */
export class Activity {
  readonly #world: World;
  readonly #random: Random;
  readonly #people: readonly Person[];
  readonly #seen = new Map<string, Audience>();
  #events: Event[] = [];
  #talks = 0;
  #attracted = 0;

  constructor(world: World, random: Random, start: number) {
    this.#world = world;
    this.#random = random;
    const owner = world.personNamed(cast.owner)?.id ?? "";
    this.#people = [...world.people.values()].filter((person) => isOpenTo(world, person, owner));
    // Search finds posts after ten seconds, and these must be there immediately.
    for (let ago = 55; ago >= 15; ago -= 5) this.#talk(start - ago * second);
    this.#plan(start + this.#random.between(5, 15) * minute, (at) => this.#goOnTalking(at));
    world.watchPosts((post) => {
      if (post.authorId === owner && post.repostOf === undefined) this.#attract(post);
    });
  }

  /** Each at its own time. */
  catchUp(now: number): void {
    for (;;) {
      const next = this.#events.reduce<Event | undefined>(
        (first, event) => (event.at <= now && (first === undefined || event.at < first.at) ? event : first),
        undefined,
      );
      if (next === undefined) break;
      this.#events = this.#events.filter((event) => event !== next);
      next.happen(next.at);
    }
    for (const [id, { post, views }] of this.#seen) {
      const age = now - post.at;
      post.impressions = Math.max(post.impressions, Math.floor(views * share(age)));
      if (age > 2 * FADE_MS * Math.log(views)) this.#seen.delete(id);
    }
  }

  #plan(at: number, happen: Event["happen"]): void {
    this.#events.push({ at, happen });
  }

  /** Mostly within the first hour. */
  #attract(post: Post): void {
    const random = this.#random;
    this.#seen.set(post.id, { post, views: random.between(250, 900) });
    const likers = random.sample(this.#people, random.between(4, 12));
    likers.forEach((person, index) => {
      this.#plan(post.at + ageAt((index + 0.5) / likers.length), (at) => {
        if (this.#isThere(post)) this.#world.likes.add(person.id, post.id, this.#world.relationKeyAt(at));
      });
    });
    this.#attracted += 1;
    const [fan] = likers;
    if (fan !== undefined && this.#attracted % POSTS_PER_FOLLOWER === 1)
      this.#plan(post.at + hour, (at) => {
        if (this.#isThere(post))
          this.#world.follows.add(fan.id, post.authorId, this.#world.relationKeyAt(at));
      });
    const answering = random.sample(this.#people, random.between(1, 2));
    answering.forEach((person, index) => {
      this.#plan(post.at + random.between(6, 20) * minute * (index + 1), (at) => {
        if (!this.#isThere(post)) return;
        const { text, lang } = phrases.answer(random);
        writePost(this.#world, { authorId: person.id, text, lang, at, replyTo: post });
      });
    });
  }

  #isThere({ id }: Post): boolean {
    return this.#world.posts.has(id);
  }

  #goOnTalking(at: number): void {
    this.#talk(at);
    this.#plan(at + this.#random.between(15, 40) * minute, (then) => this.#goOnTalking(then));
  }

  #talk(at: number): void {
    const random = this.#random;
    const author = this.#people[this.#talks % this.#people.length];
    if (author === undefined) return;
    const text = breadTalk[this.#talks % breadTalk.length] ?? breadTalk[0];
    this.#talks += 1;
    const post = writePost(this.#world, {
      authorId: author.id,
      text,
      lang: "en",
      at,
      impressions: random.between(40, 400),
    });
    for (const liker of random.sample(this.#people, random.between(2, 6)))
      this.#world.likes.add(liker.id, post.id, this.#world.relationKeyAt(at));
  }
}

const POSTS_PER_FOLLOWER = 2;

interface Event {
  readonly at: number;
  readonly happen: (at: number) => void;
}

interface Audience {
  readonly post: Post;
  readonly views: number;
}

/** By then, two thirds of all viewers have seen a post. */
const FADE_MS = hour / 2;

/** The share of viewers who have seen it. */
function share(ageMs: number): number {
  return 1 - Math.exp(-ageMs / FADE_MS);
}

/** The inverse. */
function ageAt(part: number): number {
  return Math.round(-FADE_MS * Math.log(1 - part));
}

function isOpenTo(
  world: World,
  { id, accountStatus, protected: isProtected }: Person,
  owner: string,
): boolean {
  const isBlocked = world.blocks.has(id, owner) || world.blocks.has(owner, id);
  return id !== owner && accountStatus === "active" && !isProtected && !isBlocked;
}

const breadTalk: readonly [string, ...string[]] = [
  "My sourdough bread comes out flat every time. Is it the starter, or my patience?",
  "Third loaf of sourdough bread this week with a dense crumb. What would you change first?",
  "How do you keep notes on your sourdough bread? Mine are on the back of receipts.",
  "Does anybody bake sourdough bread in a small oven without steam? Tell me your trick.",
  "Moved to a colder flat and my sourdough bread takes twenty hours. Is that normal?",
  "Trying sourdough bread with rye for the first time today. Any last words of advice?",
  "What is the one thing that made your sourdough bread better? Asking for my breakfast.",
  "My sourdough starter smells of apples, and the bread is the best so far. Coincidence?",
  "Overnight in the fridge or on the counter? My sourdough bread cannot decide, nor can I.",
  "Scored my sourdough bread too late again. Where do you all find the nerve?",
  "A neighbor wants sourdough bread lessons from me. I have baked nine loaves. Help?",
  "Half wholemeal sourdough bread: how much more water do you give it?",
];
