import { IdMint } from "../snowflake.ts";
import { AdsBook } from "./ads-book.ts";
import { Bond } from "./bond.ts";
import { Chronicle } from "./chronicle.ts";
import type { ComplianceJob } from "./compliance-job.ts";
import type { Conversation, DmEvent } from "./direct-messages.ts";
import type { PeopleList } from "./list.ts";
import type { Media } from "./media.ts";
import type { Person } from "./person.ts";
import type { Post } from "./post.ts";
import { Shelf } from "./shelf.ts";
import type { Space, Topic } from "./space.ts";
import type { StreamRule } from "./stream-rule.ts";
import { searchTerms } from "./terms.ts";

/** Everything that exists on the sandbox's X, and the indexes that make reading it quick. */
export class World {
  readonly #things = new IdMint(1);
  readonly #bonds = new IdMint(2);
  readonly #messages = new IdMint(3);
  readonly #usernames = new Map<string, Person>();
  readonly #onPost = new Set<(post: Post) => void>();

  readonly people: Map<string, Person> = new Map();
  readonly posts: Map<string, Post> = new Map();
  readonly lists: Map<string, PeopleList> = new Map();
  readonly spaces: Map<string, Space> = new Map();
  readonly topics: Map<string, Topic> = new Map();
  readonly media: Map<string, Media> = new Map();
  readonly conversations: Map<string, Conversation> = new Map();
  readonly dmEvents: Map<string, DmEvent> = new Map();
  readonly complianceJobs: Map<string, ComplianceJob> = new Map();
  readonly streamRules: Map<string, StreamRule> = new Map();
  readonly ads: AdsBook = new AdsBook();

  readonly everyone: Chronicle = new Chronicle();
  readonly timeline: Chronicle = new Chronicle();
  readonly postsBy: Shelf = new Shelf();
  readonly mentionsOf: Shelf = new Shelf();
  readonly repliesTo: Shelf = new Shelf();
  readonly quotesOf: Shelf = new Shelf();
  readonly repostsOf: Shelf = new Shelf();
  readonly postsIn: Shelf = new Shelf();
  readonly postsWith: Shelf = new Shelf();
  readonly listsBy: Shelf = new Shelf();
  readonly dmsOf: Shelf = new Shelf();
  readonly dmsIn: Shelf = new Shelf();

  readonly follows: Bond = new Bond();
  readonly likes: Bond = new Bond();
  readonly bookmarks: Bond = new Bond();
  readonly mutes: Bond = new Bond();
  readonly blocks: Bond = new Bond();
  readonly listMembers: Bond = new Bond();
  readonly listFollowers: Bond = new Bond();
  readonly pinnedLists: Bond = new Bond();

  /** A new id for a post, a list or a file that comes to be at this instant. */
  idAt(time: number): string {
    return this.#things.mint(time);
  }

  /** A new key for a follow, a like or any other bond made at this instant. */
  bondKeyAt(time: number): string {
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

  /** Takes a post, with its older versions and the reposts of it, out of the world. */
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

  /** Leaves an edited version readable by its id, and takes it out of every list. */
  supersede(older: Post, newer: Post): void {
    this.#file(older, "remove");
    for (const bond of [this.likes, this.bookmarks]) {
      for (const from of bond.to(older.id).items()) bond.add(from, newer.id, this.bondKeyAt(newer.at));
      bond.drop(older.id);
    }
  }

  /** Calls back for every post from now on; returns how to stop. */
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
