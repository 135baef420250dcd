import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  beginLogin,
  type Clock,
  createXClient,
  finishLogin,
  type OAuthApp,
  type ProviderError,
  retryReads,
  Secret,
  scopesFor,
  TokenKeeper,
  type XClient,
} from "@toolpact/x-api";
import { onTestFinished } from "vitest";
import { cast, Sandbox } from "../../src/index.ts";

export const places = ["in process", "over HTTP"] as const;

export async function signedIn(where: (typeof places)[number]): Promise<SignedIn> {
  const sandbox = new Sandbox({ seed: 7, size: { people: 40, posts: 300 } });
  const folder = await mkdtemp(join(tmpdir(), "x-sandbox-client-"));
  onTestFinished(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  const baseUrl = where === "over HTTP" ? await sandbox.listen() : "https://api.x.com";
  const desk = new SignedIn(sandbox, folder, baseUrl, where === "over HTTP" ? fetch : sandbox.fetch);
  const { pending, redirectTo } = await desk.consent();
  const grant = await finishLogin(pending, redirectTo, desk.surroundings);
  if (!grant.ok) throw new Error(grant.failure.message);
  await desk.keeper.signIn(grant.value);
  return desk;
}

export class SignedIn {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly surroundings: { readonly baseUrl: string; readonly fetch: typeof fetch; readonly clock: Clock };
  readonly keeper: TokenKeeper;
  readonly client: XClient;
  readonly patient: XClient;
  /** Waiting moves it forward. */
  readonly leaping: Clock;
  /** Pending until the test releases them. */
  readonly timers: Set<() => void> = new Set();
  readonly #app: OAuthApp;

  constructor(sandbox: Sandbox, folder: string, baseUrl: string, fetch: typeof globalThis.fetch) {
    const now = () => sandbox.clock.now();
    this.sandbox = sandbox;
    this.folder = folder;
    this.surroundings = {
      baseUrl,
      fetch,
      clock: {
        now,
        after: (_ms, run) => {
          this.timers.add(run);
          return () => this.timers.delete(run);
        },
      },
    };
    this.leaping = {
      now,
      after: (ms, run) => {
        const leap = setImmediate(() => {
          sandbox.clock.advance(Math.ceil(ms));
          run();
        });
        return () => clearImmediate(leap);
      },
    };
    this.#app = { clientId: sandbox.app.clientId, redirectUri: "http://127.0.0.1:8080/callback" };
    this.keeper = new TokenKeeper({
      app: this.#app,
      path: join(folder, "tokens.json"),
      appToken: new Secret(sandbox.app.bearerToken),
      loginCommand: "sign-in",
      ...this.surroundings,
    });
    this.client = createXClient({ tokens: this.keeper, ...this.surroundings });
    this.patient = retryReads(this.client, { clock: this.leaping });
  }

  async consent() {
    const pending = await beginLogin(this.#app, scopesFor(used), this.surroundings);
    const decision = this.sandbox.consent(pending.url);
    if ("complaint" in decision) throw new Error(decision.complaint);
    return { pending, redirectTo: decision.redirectTo };
  }

  get owner() {
    return this.sandbox.person(cast.owner);
  }

  post(text: string, more: Readonly<Record<string, unknown>> = {}) {
    return this.client.call<{ id: string }>("createPosts", { body: { text, ...more } });
  }

  isPosted(text: string): boolean {
    return [...this.sandbox.world.posts.values()].some(({ submitted }) => submitted === text);
  }

  /** Those that reached the sandbox. */
  requests(operation: string): number {
    return this.sandbox.journal.of(operation).length;
  }
}

export async function failureOf(
  call: Promise<{ ok: true } | { ok: false; failure: ProviderError }>,
): Promise<ProviderError> {
  const outcome = await call;
  if (outcome.ok) throw new Error("This should have failed.");
  return outcome.failure;
}

const used = [
  "createPosts",
  "createMediaMetadata",
  "getPostsByIds",
  "getUsersByUsername",
  "getUsersFollowers",
  "getUsersMe",
  "likePost",
  "mediaUpload",
  "searchPostsRecent",
] as const;
