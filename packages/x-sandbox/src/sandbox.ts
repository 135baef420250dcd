import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { SandboxClock } from "./clock.ts";
import { serveControl } from "./control/routes.ts";
import type { FaultPlan } from "./faults.ts";
import type { Ledger } from "./gate/ledger.ts";
import type { Call, Delivery, Wait } from "./http/exchange.ts";
import { type Fetch, inProcessFetch } from "./http/in-process.ts";
import { httpServer } from "./http/server.ts";
import type { Journal } from "./journal.ts";
import type { App, AppSettings } from "./oauth/apps.ts";
import { type Decision, decide, knownScopes } from "./oauth/authorize.ts";
import type { IssuedTokens } from "./oauth/grants.ts";
import { type OAuth1Token, oauth1Token } from "./oauth/oauth1.ts";
import type { Plan } from "./rules/plans.ts";
import { catchUp, serve } from "./serve.ts";
import { defaultApps, newState, registryOf, type State } from "./state.ts";
import { dumpOf, type StateDump } from "./state-dump.ts";
import type { KnownWorld } from "./world/known-world.ts";
import type { Person } from "./world/person.ts";
import type { Post } from "./world/post.ts";
import { cast } from "./world/seed/cast.ts";
import type { WorldSize } from "./world/seed/seed-world.ts";
import type { World } from "./world/world.ts";
import { writePost } from "./world/write-post.ts";

export interface SandboxOptions {
  /** The same seed and start give the same world. */
  readonly seed?: number;
  readonly plan?: Plan;
  /** Default: real time for a running clock, else a fixed day. */
  readonly start?: number;
  /** Such as `Date.now`; without it, the clock is frozen. */
  readonly realTime?: () => number;
  /** As a multiple of real time; default 1. */
  readonly speed?: number;
  /** People like, answer and post as time passes. */
  readonly lively?: boolean;
  readonly creditsUsd?: number;
  readonly apps?: readonly AppSettings[];
  readonly size?: WorldSize;
  /** Replaces the generated world with these people and posts. Requires an app owner and a user from it. */
  readonly known?: KnownWorld;
  /** Between the pieces of slow bodies. */
  readonly wait?: Wait;
}

/**
 * A simulated X in this process.
 *
 * ```ts
 * const sandbox = new Sandbox({ seed: 7 });
 * const { accessToken } = sandbox.signIn();
 * const response = await sandbox.fetch("https://api.x.com/2/users/me", {
 *   headers: { authorization: `Bearer ${accessToken}` },
 * });
 * ```
 */
export class Sandbox {
  /** A `fetch` that stays in this process, whatever the host. */
  readonly fetch: Fetch;
  readonly #wait: Wait;
  #state: State;
  #server: Server | undefined;
  readonly #busy = new Set<Promise<unknown>>();

  constructor(options: SandboxOptions = {}) {
    this.#wait = options.wait ?? ((milliseconds) => setTimeout(milliseconds));
    this.#state = newState({
      seed: options.seed ?? 1,
      plan: options.plan ?? "self_serve",
      start: options.start,
      realTime: options.realTime,
      speed: options.speed ?? 1,
      lively: options.lively ?? false,
      creditsUsd: options.creditsUsd ?? 100,
      apps: options.apps ?? defaultApps,
      size: options.size,
      known: options.known,
    });
    this.fetch = inProcessFetch((call) => this.#handle(call), this.#wait);
  }

  /** On 127.0.0.1; port 0 picks a free one. Resolves to the base URL. */
  async listen(port = 0): Promise<string> {
    if (this.#server !== undefined) throw new Error("The sandbox listens already; close it first.");
    const server = httpServer((call) => this.#untilDone(this.#handle(call)), this.#wait);
    server.on("connection", (socket) => this.#untilDone(once(socket, "close")));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    this.#server = server;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Earlier requests were handled, and their callers have disconnected. */
  async quiet(): Promise<void> {
    if (this.#server === undefined) return;
    const { port } = this.#server.address() as AddressInfo;
    // Connections are accepted in order.
    const last = connect(port, "127.0.0.1").resume();
    last.end();
    await once(last, "close");
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
  }

  #untilDone<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    const done = () => this.#busy.delete(work);
    work.then(done, done);
    return work;
  }

  get clock(): SandboxClock {
    return this.#state.clock;
  }

  get world(): World {
    return this.#state.world;
  }

  get journal(): Journal {
    return this.#state.journal;
  }

  get ledger(): Ledger {
    return this.#state.ledger;
  }

  get faults(): FaultPlan {
    return this.#state.faults;
  }

  get apps(): readonly App[] {
    return this.#state.apps;
  }

  get plan(): Plan {
    return this.#state.plan;
  }

  set plan(plan: Plan) {
    this.#state.plan = plan;
  }

  get app(): App {
    return this.appNamed(this.#state.settings.apps[0]?.clientId ?? "");
  }

  appNamed(clientId: string): App {
    const app = this.#state.apps.find((candidate) => candidate.clientId === clientId);
    if (app === undefined) throw new Error(`The sandbox has no app with the client id ${clientId}.`);
    return app;
  }

  person(username: string): Person {
    const person = this.#state.world.personNamed(username);
    if (person === undefined) throw new Error(`Nobody in the sandbox is called @${username}.`);
    return person;
  }

  /** Without the consent page. Ends the user's earlier grant. */
  signIn({ user = cast.owner, scopes = knownScopes, app = this.app }: SignInOptions = {}): IssuedTokens {
    return this.#state.grants.issue({ app, userId: this.person(user).id, scopes }, this.clock.now());
  }

  /** Returns the redirect URL with its code. */
  consent(authorizeUrl: string | URL, user: string = cast.owner): Decision {
    return decide(new URL(authorizeUrl).searchParams, user, true, registryOf(this.#state));
  }

  oauth1(user: string = cast.owner, app: App = this.app): OAuth1Token {
    return oauth1Token(app, this.person(user).id);
  }

  /** Without checks, to create mentions, replies and edits. */
  say(
    username: string,
    text: string,
    options: { readonly inReplyTo?: string; readonly quoting?: string; readonly editing?: string } = {},
  ): Post {
    return writePost(this.world, {
      authorId: this.person(username).id,
      text,
      at: this.clock.now(),
      ...(options.inReplyTo !== undefined && { replyTo: this.#post(options.inReplyTo) }),
      ...(options.quoting !== undefined && { quoteOf: this.#post(options.quoting) }),
      ...(options.editing !== undefined && { edits: this.#post(options.editing) }),
    });
  }

  #post(id: string): Post {
    const post = this.world.posts.get(id);
    if (post === undefined) throw new Error(`The sandbox has no post ${id}.`);
    return post;
  }

  /** As the next request would. */
  async catchUp(): Promise<void> {
    await catchUp(this.#state);
  }

  dump(): StateDump {
    return dumpOf(this.#state);
  }

  reset(seed?: number): void {
    const { settings, streams } = this.#state;
    streams.close();
    this.#state = newState(seed === undefined ? settings : { ...settings, seed });
  }

  async #handle(call: Call): Promise<Delivery> {
    return call.path.startsWith("/_sandbox") ? serveControl(call, this) : serve(call, this.#state);
  }
}

export interface SignInOptions {
  readonly user?: string;
  readonly scopes?: readonly string[];
  readonly app?: App;
}
