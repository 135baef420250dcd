import type { Answer, Reads } from "../http/answer.ts";
import { type Missing, notFound } from "../http/problems.ts";
import { iso, type Json, type JsonDraft, type JsonObject } from "../json.ts";
import { canRead } from "../rules/visibility.ts";
import type { Media } from "../world/media.ts";
import type { Person } from "../world/person.ts";
import type { Poll, Post } from "../world/post.ts";
import type { Topic } from "../world/space.ts";
import type { World } from "../world/world.ts";
import { renderMedia } from "./media.ts";
import { renderPost } from "./post.ts";
import { type RequestedFields, withFields, words } from "./requested-fields.ts";
import { renderUser } from "./user.ts";

/** The caller's permissions, the requested fields and the includes so far. */
export class View {
  readonly world: World;
  readonly viewer: Person | undefined;
  readonly now: number;
  readonly requested: RequestedFields;
  readonly errors: JsonObject[] = [];
  readonly #primary: string[] = [];
  readonly #posts = new Map<string, Post>();
  readonly #people = new Map<string, Person>();
  readonly #media = new Map<string, Media>();
  readonly #polls = new Map<string, Poll>();
  readonly #places = new Set<string>();
  readonly #topics = new Map<string, Topic>();

  constructor(world: World, viewer: Person | undefined, now: number, requested: RequestedFields) {
    this.world = world;
    this.viewer = viewer;
    this.now = now;
    this.requested = requested;
  }

  wants(expansion: string): boolean {
    return this.requested.expansions.has(expansion);
  }

  posts(posts: readonly Post[]): JsonObject[] {
    return posts.map((post) => this.#jsonAnswer(post.id, renderPost(post, this)));
  }

  users(people: readonly Person[]): JsonObject[] {
    return people.map((person) => this.#jsonAnswer(person.id, renderUser(person, this)));
  }

  things<T extends { readonly id: string }>(
    things: readonly T[],
    render: (thing: T, view: View) => JsonObject,
  ): JsonObject[] {
    return things.map((thing) => this.#jsonAnswer(thing.id, render(thing, this)));
  }

  includePerson(id: string | undefined): void {
    const person = this.world.people.get(id ?? "");
    if (person !== undefined && person.accountStatus !== "suspended") this.#people.set(person.id, person);
  }

  includePost(id: string, parameter: string): void {
    const post = this.world.posts.get(id);
    const what: Missing = { type: "tweet", parameter, value: id };
    if (post === undefined || !canRead(this.world, this.viewer, this.world.people.get(post.authorId)))
      this.errors.push(notFound(what));
    else this.#posts.set(id, post);
  }

  includeMedia(id: string): void {
    const media = this.world.media.get(id);
    if (media !== undefined) this.#media.set(id, media);
  }

  includePoll(poll: Poll): void {
    this.#polls.set(poll.id, poll);
  }

  includePlace(id: string): void {
    this.#places.add(id);
  }

  includeTopic(id: string): void {
    const topic = this.world.topics.get(id);
    if (topic !== undefined) this.#topics.set(id, topic);
  }

  /** X leaves out an empty `data`. */
  list(data: readonly JsonObject[], meta?: JsonObject): Answer {
    return this.#answer(data.length === 0 ? undefined : data, meta);
  }

  /** Or the errors that explain why it is missing. */
  one(data: JsonObject | undefined): Answer {
    return this.#answer(data, undefined);
  }

  #jsonAnswer(id: string, rendered: JsonObject): JsonObject {
    this.#primary.push(id);
    return rendered;
  }

  #answer(data: Json, meta: JsonObject | undefined): Answer {
    const includes = this.#includes();
    const body: JsonDraft = {};
    if (data !== undefined) body.data = data;
    if (includes !== undefined) body.includes = includes;
    if (this.errors.length > 0) body.errors = this.errors;
    if (meta !== undefined) body.meta = meta;
    return { status: 200, body, reads: this.#reads() };
  }

  #includes(): JsonObject | undefined {
    // Rendering posts may include people and media.
    const posts = [...this.#posts.values()].map((post) => renderPost(post, this, "included"));
    const groups: JsonDraft = {};
    const add = (name: string, items: readonly JsonObject[]): void => {
      if (items.length > 0) groups[name] = items;
    };
    add(
      "users",
      [...this.#people.values()].map((person) => renderUser(person, this, "included")),
    );
    add(words[this.requested.vocabulary].posts, posts);
    add(
      "media",
      [...this.#media.values()].map((media) => renderMedia(media, this)),
    );
    add(
      "polls",
      [...this.#polls.values()].map((poll) => renderPoll(poll, this)),
    );
    add(
      "places",
      [...this.#places].map((id) => renderPlace(id, this)),
    );
    add(
      "topics",
      [...this.#topics.values()].map((topic) => renderTopic(topic, this)),
    );
    return Object.keys(groups).length === 0 ? undefined : groups;
  }

  #reads(): Reads {
    return { primary: this.#primary, posts: [...this.#posts.keys()], users: [...this.#people.keys()] };
  }
}

function renderPoll(poll: Poll, view: View): JsonObject {
  const options = poll.options.map(({ label, votes }, i) => ({ position: i + 1, label, votes }));
  return withFields({ id: poll.id, options }, view.requested.polls, {
    duration_minutes: poll.minutes,
    end_datetime: iso(poll.endsAt),
    voting_status: view.now < poll.endsAt ? "open" : "closed",
  });
}

/** Without a map, each place is a town of that name. */
function renderPlace(id: string, view: View): JsonObject {
  return withFields({ id, full_name: `Town ${id}` }, view.requested.places, {
    name: `Town ${id}`,
    place_type: "city",
    country: "Sandbox",
    country_code: "XX",
  });
}

function renderTopic(topic: Topic, view: View): JsonObject {
  return withFields({ id: topic.id, name: topic.name }, view.requested.topics, {
    description: topic.description,
  });
}
