import { IdGenerator } from "../snowflake.ts";
import { AdsStore } from "./ads-store.ts";
import type { Conversation, DmEvent } from "./direct-messages.ts";
import type { Media } from "./media.ts";
import type { Person } from "./person.ts";
import { type Post, searchTerms } from "./post.ts";
import type { Space, Topic } from "./space.ts";
import { Timeline } from "./timeline.ts";
import { TimelinesByOwner } from "./timelines-by-owner.ts";

export class World {
  readonly #things = new IdGenerator(1);
  readonly #bonds = new IdGenerator(2);
  readonly #messages = new IdGenerator(3);
  readonly #usernames = new Map<string, Person>();
  readonly #onPost = new Set<(post: Post) => void>();

  readonly people: Map<string, Person> = new Map();
  readonly posts: Map<string, Post> = new Map();
  readonly lists: Map<string, PeopleList> = new Map();
  readonly articles: Map<string, Article> = new Map();
  readonly spaces: Map<string, Space> = new Map();
  readonly topics: Map<string, Topic> = new Map();
  readonly media: Map<string, Media> = new Map();
  readonly conversations: Map<string, Conversation> = new Map();
  readonly dmEvents: Map<string, DmEvent> = new Map();
  readonly complianceJobs: Map<string, ComplianceJob> = new Map();
  readonly streamRules: Map<string, StreamRule> = new Map();
  readonly ads: AdsStore = new AdsStore();

  readonly everyone: Timeline = new Timeline();
  readonly timeline: Timeline = new Timeline();
  readonly postsBy: TimelinesByOwner = new TimelinesByOwner();
  readonly mentionsOf: TimelinesByOwner = new TimelinesByOwner();
  readonly repliesTo: TimelinesByOwner = new TimelinesByOwner();
  readonly quotesOf: TimelinesByOwner = new TimelinesByOwner();
  readonly repostsOf: TimelinesByOwner = new TimelinesByOwner();
  readonly postsIn: TimelinesByOwner = new TimelinesByOwner();
  readonly postsWith: TimelinesByOwner = new TimelinesByOwner();
  readonly listsBy: TimelinesByOwner = new TimelinesByOwner();
  readonly dmsOf: TimelinesByOwner = new TimelinesByOwner();
  readonly dmsIn: TimelinesByOwner = new TimelinesByOwner();

  readonly follows: Relation = new Relation();
  readonly likes: Relation = new Relation();
  readonly bookmarks: Relation = new Relation();
  readonly mutes: Relation = new Relation();
  readonly blocks: Relation = new Relation();
  readonly listMembers: Relation = new Relation();
  readonly listFollowers: Relation = new Relation();
  readonly pinnedLists: Relation = new Relation();

  idAt(time: number): string {
    return this.#things.mint(time);
  }

  /** For a follow, like or other relation. */
  relationKeyAt(time: number): string {
    return this.#bonds.mint(time);
  }

  messageIdAt(time: number): string {
    return this.#messages.mint(time);
  }

  addPerson(person: Person): Person {
    this.people.set(person.id, person);
    this.#usernames.set(person.username.toLowerCase(), person);
    this.everyone.add(person.id);
    return person;
  }

  personNamed(username: string): Person | undefined {
    return this.#usernames.get(username.toLowerCase());
  }

  addPost(post: Post): Post {
    this.posts.set(post.id, post);
    this.#file(post, "add");
    for (const notify of this.#onPost) notify(post);
    return post;
  }

  /** With older versions and reposts. */
  removePost(post: Post): void {
    for (const id of [...this.repostsOf.of(post.id).items(), ...post.versions]) {
      const gone = this.posts.get(id);
      if (gone === undefined) continue;
      this.#file(gone, "remove");
      this.posts.delete(id);
      this.likes.drop(id);
      this.bookmarks.drop(id);
    }
  }

  /** Removes an edited version from every list; its id still resolves. */
  supersede(older: Post, newer: Post): void {
    this.#file(older, "remove");
    for (const relation of [this.likes, this.bookmarks]) {
      for (const from of relation.to(older.id).items())
        relation.add(from, newer.id, this.relationKeyAt(newer.at));
      relation.drop(older.id);
    }
  }

  /** Returns a function that stops it. */
  watchPosts(notify: (post: Post) => void): () => void {
    this.#onPost.add(notify);
    return () => this.#onPost.delete(notify);
  }

  addDm(event: DmEvent, conversation: Conversation): DmEvent {
    this.dmEvents.set(event.id, event);
    this.dmsIn.add(conversation.id, event.id);
    for (const person of new Set([...conversation.participantIds, ...event.participantIds])) {
      this.dmsOf.add(person, event.id);
    }
    return event;
  }

  #file(post: Post, action: "add" | "remove"): void {
    if (action === "add") this.timeline.add(post.id);
    else this.timeline.remove(post.id);
    this.postsBy[action](post.authorId, post.id);
    this.postsIn[action](post.conversationId, post.id);
    if (post.replyTo !== undefined) this.repliesTo[action](post.replyTo.postId, post.id);
    if (post.quoteOf !== undefined) this.quotesOf[action](post.quoteOf, post.id);
    if (post.repostOf !== undefined) {
      this.repostsOf[action](post.repostOf, post.id);
      return;
    }
    for (const mention of post.entities.mentions) {
      if (mention.id !== undefined) this.mentionsOf[action](mention.id, post.id);
    }
    for (const term of searchTerms(post)) this.postsWith[action](term, post.id);
  }
}

/** Visible to its author only. */
export interface Article {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
}

export interface PeopleList {
  readonly id: string;
  readonly ownerId: string;
  readonly createdAt: number;
  name: string;
  description: string;
  private: boolean;
}

export interface ComplianceJob {
  readonly id: string;
  readonly type: "tweets" | "users";
  readonly name: string | undefined;
  readonly resumable: boolean;
  readonly createdAt: number;
}

export interface StreamRule {
  readonly id: string;
  readonly value: string;
  readonly tag: string | undefined;
}

/** Follows or likes, readable from both ends. */
class Relation {
  readonly #from = new TimelinesByOwner();
  readonly #to = new TimelinesByOwner();

  /** Returns false if the relation existed already. `key` is an id generated for the event. */
  add(from: string, to: string, key: string): boolean {
    return this.#from.add(from, to, key) && this.#to.add(to, from, key);
  }

  /** False if it did not exist. */
  remove(from: string, to: string): boolean {
    return this.#from.remove(from, to) && this.#to.remove(to, from);
  }

  has(from: string, to: string): boolean {
    return this.#from.of(from).has(to);
  }

  from(from: string): Timeline {
    return this.#from.of(from);
  }

  to(to: string): Timeline {
    return this.#to.of(to);
  }

  drop(thing: string): void {
    for (const to of this.from(thing).items()) this.remove(thing, to);
    for (const from of this.to(thing).items()) this.remove(from, thing);
  }

  pairs(): [string, readonly string[]][] {
    return this.#from.contents();
  }
}
