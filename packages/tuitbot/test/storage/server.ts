import { createHash } from "node:crypto";
import { type Asking, type Caller, type Clock, failed, type JsonObject, ok } from "@toolpact/contract";
import { catalog, createPipeline, provideServices } from "@toolpact/contract/internal";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import { type Access, createXClient, retryReads, type TokenSource } from "@toolpact/x-api";
import { findAgent } from "../../src/agents/agents.ts";
import type { ServerState } from "../../src/app/services.ts";
import { approvalStorage } from "../../src/approval/queue.ts";
import { type CallResult, callResultFrom, type ReleaseContext } from "../../src/approval/release.ts";
import { audit, telemetry } from "../../src/audit/observers.ts";
import { configSchema } from "../../src/config/schema.ts";
import { publishedMedia } from "../../src/guards/approval/media-bytes.ts";
import { budgetLedger } from "../../src/guards/budget/ledger.ts";
import type { Account, CallContext } from "../../src/guards/call/call-context.ts";
import { mediaIdsOf } from "../../src/guards/call/tool-facts.ts";
import { guardDependencies, xForCall } from "../../src/guards/guard-dependencies.ts";
import { policyFrom } from "../../src/guards/policy/policy.ts";
import { receiptStorage } from "../../src/guards/receipts/kysely-receipts.ts";
import { readTexts } from "../../src/injection/read-texts.ts";
import { fullCatalog, withCallOptions } from "../../src/server/catalog.ts";
import { bindWorkflow } from "../../src/server/guard-stacks.ts";
import type { Session, Store } from "../../src/storage/store.ts";
import { product } from "../../src/tools/product.ts";
import { connectX } from "../../src/x/connect-x.ts";
import type { X } from "../../src/x/x.ts";
import type { Envelope } from "../live-server.ts";

/** One key for all: the servers of a test run on one machine. */
export const approvalKey: Uint8Array = createHash("sha256").update("a key for tests").digest();

export interface ServerSetting {
  /** As written in a configuration file. Nothing needs approval unless it says so. */
  readonly config?: JsonObject;
  readonly caps?: BudgetCaps;
  readonly aiRepliesAgreed?: boolean;
  readonly mediaRoots?: readonly string[];
  /** False for a process that ends before it has written down what it saw of its calls. */
  readonly observes?: boolean;
}

/** The storage and the X of a server. */
export interface ServerPlace {
  readonly store: Store;
  readonly account: string;
  readonly tokens: TokenSource;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly access: Access;
  readonly timeoutMs: number;
}

export interface TestServer {
  readonly call: (tool: string, args: JsonObject, how?: How) => Promise<Envelope>;
  readonly x: X;
  readonly session: Session;
  readonly clock: Clock;
  readonly flush: () => Promise<void>;
  /** Settles what other processes left behind. */
  readonly settle: () => Promise<void>;
  /** A call that the product makes itself. */
  readonly callOwn: (tool: string, args: JsonObject) => Promise<CallResult>;
  /** Requirements of an approval before it is released here. */
  readonly releasing: ReleaseContext;
}

export interface How {
  readonly caller?: Caller;
  readonly ask?: Asking;
  readonly signal?: AbortSignal;
}

/** The whole guard stacks with the real tools, as one process runs them. */
export function serverAt(place: ServerPlace, setting: ServerSetting = {}): TestServer {
  const { store, account, clock, access, timeoutMs } = place;
  const { values, policy } = configured(setting);
  const config = { values, approvalMode: values.approval_mode } as never;
  const roots = setting.mediaRoots ?? [];
  const connected = connectX(
    { ...place, signInId: async () => "one", scopes: () => undefined },
    { handleKey: async () => approvalKey, requireJournal: true },
  );
  const { xTime } = connected;
  const connection = {
    ...connected,
    // The clock of a test does not run by itself, so nothing may wait between two tries.
    client: retryReads(createXClient({ ...place, xTime, requireJournal: true }), { clock, retries: 0 }),
    access,
    me: async () => ok({ id: account, username: "owner", name: "Owner" }),
  };
  const session: Session = { store, account };
  const opened: Account = {
    ...session,
    receipts: receiptStorage(session),
    ledger: budgetLedger(session, true),
    findAgent: (name) => findAgent(store.db, name),
  };
  const measuring = telemetry({ session: () => session, clock });
  const texts = readTexts();
  const dependencies = guardDependencies({
    read: texts.all,
    openAccount: async () => ok(opened),
    openStored: async () => ok(opened),
    connection,
    policy,
    settings: values,
    caps: setting.caps ?? {},
    approvalsOf: (of) =>
      approvalStorage(
        of,
        async () => ok(approvalKey),
        async () => true,
      ),
    approvalLifeMs: 24 * 3_600_000,
    mediaRoots: roots,
    clock,
    timeoutMs,
    lateEffectMs: values.x_api.late_effect_ms,
  });
  const offered = catalog(fullCatalog.select({ profile: "admin" }).tools.map(withCallOptions));
  const state: ServerState = {
    profile: "admin",
    version: "0.0.0",
    tools: [],
    access,
    connection: async () => ({ status: "ok", me: { id: account, username: "owner", name: "Owner" } }),
    signInId: async () => "one",
  };
  const pipeline = createPipeline({
    catalog: offered,
    product,
    stackFor: bindWorkflow({ ...dependencies, config, readTexts: texts }),
    services: provideServices(product, {
      x: (context: CallContext) => ok(xForCall(connection, context)),
      config: () => ok(config),
      server: () => ok(state),
      db: () => ok(session),
      approvals: () => failed({ message: "There are none in this test." }),
      workflow: () => failed({ message: "There is none in this test." }),
      llm: () => failed({ message: "There is none in this test." }),
    }),
    observers: setting.observes === false ? [] : [audit(() => session).observer, measuring.observer],
    onBug: ({ error }) => {
      throw error;
    },
    clock,
  });
  const own = async (tool: string, args: JsonObject, context: CallContext = {}) =>
    callResultFrom(
      await pipeline.call({
        tool,
        args,
        caller: { transport: "cli", client: "terminal" },
        context: { ...context, isOwnCall: true },
      }),
    );
  return {
    x: connection,
    session,
    clock,
    flush: measuring.flush,
    settle: () => dependencies.resolveLeftovers(opened, new AbortController().signal),
    callOwn: (tool, args) => own(tool, args),
    releasing: {
      ...session,
      key: approvalKey,
      now: () => clock.now(),
      leaseMs: 60_000,
      mediaOf: ({ tool, args }) => {
        const parsed = offered.get(tool)?.parse(args);
        const plan = (parsed?.ok && parsed.value.plan()) || {};
        return publishedMedia(store.db, account, args, mediaIdsOf(plan), roots);
      },
      execute: (tool, args, release) => own(tool, args, { release }),
      mayStillDecide: async () => true,
    },
    async call(tool, args, { caller = agent, ask, signal } = {}) {
      const answer = await pipeline.call({
        tool,
        args,
        caller,
        ...(ask && { ask }),
        ...(signal && { signal }),
      });
      if (answer.kind !== "rendered") throw new Error(`${tool} did not answer: ${JSON.stringify(answer)}`);
      // Every answer is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    },
  };
}

const agent: Caller = { transport: "stdio", client: "agent" };

function configured({ config = {}, aiRepliesAgreed = true, mediaRoots = [] }: ServerSetting) {
  const values = configSchema.parse({
    approval_mode: false,
    media: { roots: mediaRoots },
    limits: { max_tweets_per_day: 1_000, max_replies_per_day: 1_000, max_threads_per_week: 1_000 },
    ...config,
    mcp_policy: {
      require_approval_for: [],
      max_mutations_per_hour: 1_000,
      ...(config.mcp_policy as object),
    },
  });
  const policy = policyFrom(
    values,
    { approvalMode: values.approval_mode, aiRepliesAgreed },
    fullCatalog.tools,
  );
  if (!policy.ok) throw new Error(JSON.stringify(policy.failure));
  return { values, policy: policy.value };
}
