import { createHash } from "node:crypto";
import {
  type Asking,
  type Caller,
  type Clock,
  catalog,
  createPipeline,
  deadline,
  failed,
  type JsonObject,
  ok,
  provideServices,
  successEnvelope,
} from "@toolpact/contract";
import { type Access, createXClient, retryReads, type TokenSource } from "@toolpact/x-api";
import { expect } from "vitest";
import { executedFrom } from "../../src/approval/executed.ts";
import { approvalStorage } from "../../src/approval/queue.ts";
import type { Releasing } from "../../src/approval/release.ts";
import { configSchema } from "../../src/config/schema.ts";
import { errors } from "../../src/errors.ts";
import { telemetry } from "../../src/mutation/audit/telemetry-guard.ts";
import type { BudgetCaps } from "../../src/mutation/budget/bill.ts";
import { meteredByCall, sendMeteredByCall } from "../../src/mutation/budget/metered-client.ts";
import { withCallOptions } from "../../src/mutation/call-options.ts";
import { publishedMedia } from "../../src/mutation/media-bytes.ts";
import { mediaIdsOf, planOf } from "../../src/mutation/plan.ts";
import { policyFrom } from "../../src/mutation/policy/policy.ts";
import { ownCalls } from "../../src/mutation/receipts/call-identity.ts";
import { receiptedFetch } from "../../src/mutation/receipts/receipted-fetch.ts";
import { workflowGuards } from "../../src/mutation/workflow-guards.ts";
import { fullCatalog } from "../../src/server/catalog.ts";
import type { Session } from "../../src/storage/session.ts";
import type { Store } from "../../src/storage/store.ts";
import { product } from "../../src/tools/product.ts";
import { rawSender } from "../../src/x/toolkit/raw-request.ts";
import type { Me, X } from "../../src/x/x.ts";
import type { Envelope } from "../live-server.ts";

/** One key for all: the servers of a test are processes of one machine. */
export const approvalKey: Uint8Array = createHash("sha256").update("a key for tests").digest();

export interface ServerSetting {
  /** As written in a configuration file. Nothing needs approval unless it says so. */
  readonly config?: JsonObject;
  readonly caps?: BudgetCaps;
  readonly aiRepliesAgreed?: boolean;
  readonly mediaRoots?: readonly string[];
}

/** Where a server stands. */
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
  /** What an approval needs to be released here. */
  readonly releasing: Releasing;
}

export interface How {
  readonly caller?: Caller;
  readonly ask?: Asking;
  readonly signal?: AbortSignal;
}

/** The whole workflow lane with the real tools, as one process runs it. */
export function serverAt(place: ServerPlace, setting: ServerSetting = {}): TestServer {
  const { store, account, clock, access, timeoutMs } = place;
  const { values, policy } = configured(setting);
  const roots = setting.mediaRoots ?? [];
  const options = { ...place, fetch: receiptedFetch(place.fetch), userAgent: "test" };
  const base = retryReads(createXClient(options), { clock, retries: 0 });
  const client = meteredByCall(base);
  const me: Me = { id: account, username: "owner", name: "Owner" };
  const x: X = {
    client,
    send: sendMeteredByCall(rawSender(options)),
    me: async () => ok(me),
    handleKey: async () => approvalKey,
    access,
    scopes: () => undefined,
  };
  const session: Session = { store, account };
  const measuring = telemetry({ session: () => session, clock });
  const { mutations, settleLeftovers } = workflowGuards({
    session: async () => ok(session),
    telemetry: measuring,
    client: base,
    callClient: client,
    access,
    policy,
    config: values,
    caps: setting.caps ?? {},
    approvals: (session) => approvalStorage(session, async () => approvalKey),
    approvalLifeMs: 24 * 3_600_000,
    mediaRoots: roots,
    clock,
    timeoutMs,
  });
  const meta = () => ({ mode: values.mode, approval_mode: values.approval_mode });
  const stack = mutations.reduce(
    (guarded, guard) => guarded.use(guard),
    product.guardStack("workflow").use(deadline),
  );
  const workflow = stack.answering(successEnvelope(errors, { meta })).bind({ clock });
  const pipeline = createPipeline({
    catalog: catalog(fullCatalog.select({ profile: "admin" }).tools.map(withCallOptions)),
    product,
    stackFor: () => workflow,
    services: provideServices(product, {
      x: async () => ok(x),
      config: async () => ok({ values, approvalMode: values.approval_mode } as never),
      server: unavailable,
      db: unavailable,
      approvals: unavailable,
      workflow: unavailable,
      llm: unavailable,
    }),
    onBug: ({ error }) => {
      throw error;
    },
    clock,
  });
  return {
    x,
    session,
    clock,
    flush: measuring.flush,
    settle: () => settleLeftovers(session, new AbortController().signal),
    releasing: {
      ...session,
      key: approvalKey,
      now: () => clock.now(),
      leaseMs: 60_000,
      mediaOf: ({ tool, args }) =>
        publishedMedia(
          store.db,
          account,
          args,
          mediaIdsOf(planOf(fullCatalog.get(tool) ?? expect.fail(tool), args)),
          roots,
        ),
      execute: async (tool, args) =>
        executedFrom(
          await ownCalls.run(true, () =>
            pipeline.call({ tool, args, caller: { transport: "cli", client: "terminal" } }),
          ),
        ),
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
      // Every answer of this lane is the envelope; tests check what is in it.
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

function unavailable() {
  return failed({ message: "There is none in this test." });
}
