import { randomBytes } from "node:crypto";
import {
  type Asking,
  type Caller,
  type Clock,
  catalog,
  createPipeline,
  deadline,
  failed,
  type JsonObject,
  lane,
  ok,
  type PlainExtras,
  provideServices,
  successEnvelope,
} from "@toolpact/contract";
import { type Access, createXClient, retryReads, type TokenSource } from "@toolpact/x-api";
import { cast, Sandbox, type SandboxOptions } from "@toolpact/x-sandbox";
import { executedFrom } from "../../src/approval/executed.ts";
import { publishedMedia } from "../../src/approval/media-bytes.ts";
import type { Releasing } from "../../src/approval/release.ts";
import { telemetry } from "../../src/audit/telemetry-guard.ts";
import type { BudgetCaps } from "../../src/budget/ledger.ts";
import { meteredClient } from "../../src/budget/metered-client.ts";
import { fullCatalog } from "../../src/catalog.ts";
import { configSchema } from "../../src/config/schema.ts";
import { errors } from "../../src/errors.ts";
import { withCallOptions } from "../../src/guards/call-options.ts";
import { mediaIdsOf } from "../../src/guards/mutation.ts";
import type { Session } from "../../src/guards/session.ts";
import { workflowGuards } from "../../src/guards/workflow-guards.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import { product } from "../../src/product.ts";
import { receiptedFetch } from "../../src/receipts/receipted-fetch.ts";
import type { Me, X } from "../../src/services/x.ts";
import type { Store } from "../../src/storage/store.ts";
import { rawSender } from "../../src/toolkit/raw-request.ts";
import type { Envelope } from "../live-server.ts";

/** One key for all: the servers of a test are processes of one machine. */
export const approvalKey: Uint8Array = randomBytes(32);

export interface ServerSetting {
  /** As written in a configuration file. Nothing needs approval unless it says so. */
  readonly config?: JsonObject;
  readonly caps?: BudgetCaps;
  readonly aiRepliesAgreed?: boolean;
  readonly mediaRoots?: readonly string[];
  readonly fetch?: typeof globalThis.fetch;
}

export interface TestServer {
  readonly call: (tool: string, args: JsonObject, how?: How) => Promise<Envelope>;
  readonly x: X;
  readonly session: Session;
  readonly clock: Clock;
  readonly flush: () => Promise<void>;
  /** What an approval needs to be released here. */
  readonly releasing: Releasing;
}

const agent: Caller = { transport: "stdio", client: "agent" };

export interface How {
  readonly caller?: Caller;
  readonly ask?: Asking;
  readonly signal?: AbortSignal;
}

/** A sandbox X on a plan that allows everything, with a clock that stands still. */
export function newSandbox(options: SandboxOptions = {}): Sandbox {
  return new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, ...options });
}

/** The whole workflow lane with the real tools, as one process would run it. */
export function serverOn(store: Store, sandbox: Sandbox, setting: ServerSetting = {}): TestServer {
  // Nothing here waits for time to pass; tests move the clock.
  const clock: Clock = { now: () => sandbox.clock.now(), after: () => () => {} };
  const { values, policy } = configured(setting);
  const access: Access = { plan: sandbox.plan, isPremium: false };
  const account = sandbox.person(cast.owner).id;
  const tokens = tokensOf(sandbox);
  const options = {
    tokens,
    baseUrl: "https://api.x.com",
    fetch: receiptedFetch(setting.fetch ?? sandbox.fetch),
    clock,
    timeoutMs: 30_000,
    userAgent: "test",
  };
  const client = meteredClient(retryReads(createXClient(options), { clock, retries: 0 }));
  const me: Me = { id: account, username: cast.owner, name: cast.owner };
  const x: X = { client, send: rawSender(options), me: async () => ok(me), access, scopes: () => undefined };
  const session: Session = { store, account };
  const measuring = telemetry({ session: () => session, clock });
  const guards = workflowGuards({
    session: async () => ok(session),
    telemetry: measuring,
    client,
    access,
    policy: () => policy,
    caps: () => setting.caps ?? {},
    approvalKey: async () => approvalKey,
    approvalLifeMs: () => 24 * 3_600_000,
    mediaRoots: () => setting.mediaRoots ?? [],
    clock,
    timeoutMs: 30_000,
  });
  const tools = catalog(fullCatalog.select({ profile: "admin" }).tools.map(withCallOptions));
  const workflow = lane<PlainExtras & JsonObject>({
    name: "workflow",
    guards: [deadline(errors, clock), ...guards],
    dialect: successEnvelope(errors).workflow(() => ({
      mode: values.mode,
      approval_mode: values.approval_mode,
    })),
  });
  const pipeline = createPipeline({
    catalog: tools,
    errors,
    laneOf: () => workflow,
    services: provideServices(product, {
      x: async () => ok(x),
      config: async () => ok({ values, approvalMode: values.approval_mode } as never),
      server: async () => failed({ message: "There is none in this test." }),
    }),
    onBug: ({ error }) => {
      throw error;
    },
    clock,
  });
  const roots = setting.mediaRoots ?? [];
  return {
    x,
    session,
    clock,
    flush: measuring.flush,
    releasing: {
      ...session,
      key: approvalKey,
      now: () => clock.now(),
      leaseMs: 60_000,
      mediaOf: ({ tool, args }) => publishedMedia(store.db, account, args, mediaIdsOf(tool, args), roots),
      execute: async (tool, args) =>
        executedFrom(await pipeline.call({ tool, args, caller: { transport: "cli", client: "terminal" } })),
    },
    async call(tool, args, { caller = agent, ask, signal } = {}) {
      const answer = await pipeline.call({
        tool,
        args,
        caller,
        ...(ask && { ask }),
        ...(signal && { signal }),
      });
      if (answer.kind !== "told") throw new Error(`${tool} did not answer: ${JSON.stringify(answer)}`);
      // Every answer of this lane is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    },
  };
}

/** One sign-in for all servers of a sandbox: another would end the first. */
function tokensOf(sandbox: Sandbox): TokenSource {
  const known = signedIn.get(sandbox);
  if (known !== undefined) return known;
  let { accessToken } = sandbox.signIn();
  const tokens: TokenSource = {
    userToken: async () => ok(accessToken),
    appToken: async () => failed("none"),
    rejected: async (token) => {
      if (token === accessToken) accessToken = sandbox.signIn().accessToken;
      return ok(accessToken);
    },
  };
  signedIn.set(sandbox, tokens);
  return tokens;
}

const signedIn = new WeakMap<Sandbox, TokenSource>();

function configured({ config = {}, aiRepliesAgreed = true, mediaRoots = [] }: ServerSetting) {
  const values = configSchema.parse({
    approval_mode: false,
    media: { roots: mediaRoots },
    limits: { max_tweets_per_day: 1_000, max_replies_per_day: 1_000, max_threads_per_week: 1_000 },
    ...config,
    mcp_policy: { require_approval_for: [], max_mutations_per_hour: 1_000, ...(config.mcp_policy as object) },
  });
  const policy = policyFrom(
    values,
    { approvalMode: values.approval_mode, aiRepliesAgreed },
    fullCatalog.tools.map(({ name }) => name),
  );
  if (!policy.ok) throw new Error(JSON.stringify(policy.failure));
  return { values, policy: policy.value };
}

/** What the sandbox's owner has posted, oldest first. */
export function postedBy(
  sandbox: Sandbox,
  user: string = cast.owner,
): readonly { id: string; text: string }[] {
  const { id } = sandbox.person(user);
  return [...sandbox.world.posts.values()]
    .filter((post) => post.authorId === id && post.at >= sandbox.clock.start)
    .map((post) => ({ id: post.id, text: post.submitted }));
}
