import {
  type Catalog,
  type Clock,
  type Failure,
  failed,
  type JsonObject,
  type Outcome,
  ok,
} from "@toolpact/contract";
import type { XClient } from "@toolpact/x-api";
import { approvalStorage } from "../approval/queue.ts";
import { type Executed, type Releasing, resumeReleases } from "../approval/release.ts";

import type { ConfigInForce } from "../config/config-in-force.ts";
import { problemLine } from "../config/problem.ts";
import type { Config } from "../config/schema.ts";
import { telemetry } from "../mutation/audit/telemetry-guard.ts";
import type { BudgetCaps } from "../mutation/budget/bill.ts";
import { microsOf } from "../mutation/budget/money.ts";
import { publishedMedia } from "../mutation/media-bytes.ts";
import { mediaIdsOf, planOf } from "../mutation/plan.ts";
import { type Policy, policyFrom } from "../mutation/policy/policy.ts";
import { planMutation } from "../mutation/preview.ts";
import { type WorkflowGuards, workflowGuards } from "../mutation/workflow-guards.ts";
import type { OpenSession } from "../storage/session.ts";
import { StorageError } from "../storage/storage-error.ts";
import { orStorageFailure } from "../storage/storage-failure.ts";
import type { Workflow } from "../tools/services/workflow.ts";
import { type WorkflowStanding, workflowStanding } from "../tools/services/workflow-standing.ts";
import type { X } from "../x/x.ts";
import { fullCatalog } from "./catalog.ts";
import type { Keeping } from "./keeping.ts";
import { sessionKeeper } from "./open-session.ts";

export interface WorkflowSetting {
  readonly catalog: Catalog;
  readonly config: ConfigInForce;
  readonly x: X;
  /** Without a bill of a call. */
  readonly client: XClient;
  readonly keeping: Keeping;
  readonly clock: Clock;
  /** Longest wait for one answer of X. */
  readonly timeoutMs: number;
  /** Carries a tool out through the whole pipeline, because a person approved it. */
  readonly execute: (tool: string, args: JsonObject) => Promise<Executed>;
  readonly call: Workflow["call"];
  readonly llm: Workflow["llm"];
}

/** Everything by which a server runs calls under policy, approval and receipts. */
export interface OpenWorkflow {
  readonly guards: WorkflowGuards;
  readonly session: OpenSession;
  readonly releasing: (signal: AbortSignal) => Promise<Outcome<Releasing, Failure>>;
  readonly workflow: Workflow;
  readonly standing: (signal: AbortSignal) => Promise<WorkflowStanding>;
  /** What a server does by itself while it runs: it finishes what others left open, and deletes old history. */
  readonly wake: (signal: AbortSignal) => Promise<Outcome<"awake", Failure>>;
  readonly close: () => Promise<void>;
}

/** Nothing is opened before the first call that needs it. */
export function openWorkflow(setting: WorkflowSetting): OpenWorkflow {
  const { catalog, x, keeping, clock, timeoutMs, execute } = setting;
  const { values } = setting.config;
  const now = () => clock.now();
  const session = sessionKeeper(keeping.store, x, clock);
  const measuring = telemetry({ session: session.current, clock });
  const policy = policyIn(setting.config);
  const caps = capsOf(values.budget);
  const { roots } = values.media;
  const approvalKey = () => keeping.approvalKey().catch(unusableKey);
  const guards = workflowGuards({
    session: session.open,
    telemetry: measuring,
    client: setting.client,
    callClient: x.client,
    access: x.access,
    policy,
    config: values,
    caps,
    approvals: (session) => approvalStorage(session, approvalKey),
    approvalLifeMs: values.approvals.expires_hours * HOUR_MS,
    mediaRoots: roots,
    clock,
    timeoutMs,
  });
  let sleep = () => {};

  async function releasing(signal: AbortSignal): Promise<Outcome<Releasing, Failure>> {
    const opened = await session.open(signal);
    if (!opened.ok) return opened;
    const { store, account } = opened.value;
    return orStorageFailure(async () =>
      ok({
        store,
        account,
        key: await approvalKey(),
        now,
        leaseMs: guards.leaseMs,
        mediaOf: ({ tool, args }) => publishedMedia(store.db, account, args, mediaIdsIn(tool, args), roots),
        execute,
      }),
    );
  }

  function mediaIdsIn(name: string, args: JsonObject): readonly string[] {
    const tool = fullCatalog.get(name);
    return tool === undefined ? [] : mediaIdsOf(planOf(tool, args));
  }

  async function goOn(ready: Releasing, signal: AbortSignal): Promise<void> {
    await guards.settleLeftovers(ready, signal);
    await resumeReleases(ready, (name) => catalog.get(name) !== undefined);
  }

  return {
    guards,
    session: session.open,
    releasing,
    standing: (signal) => workflowStanding(session.open, policy, now(), signal),
    workflow: {
      policy,
      caps,
      access: x.access,
      approvals: values.approvals,
      maxBatch: values.max_batch_approve,
      now,
      after: (ms, callback) => clock.after(ms, callback),
      flushTelemetry: measuring.flush,
      call: setting.call,
      llm: setting.llm,
      async settle(signal) {
        const ready = await releasing(signal);
        if (ready.ok) await goOn(ready.value, signal);
      },
      async plan(name, args, signal) {
        const tool = catalog.get(name);
        const parsed = tool?.parse(args) ?? failed(`There is no tool ${name} here.`);
        if (tool === undefined || !parsed.ok)
          return failed({ code: "invalid_input", message: parsed.ok ? "" : parsed.failure });
        const opened = await session.open(signal);
        if (!opened.ok) return opened;
        const { effect, input } = parsed.value;
        const call = { tool, effect, input, caller: { transport: "stdio" } as const };
        return orStorageFailure(async () => {
          const plan = await planMutation(call, {
            ...opened.value,
            policy,
            caps,
            access: x.access,
            now: now(),
          });
          return plan === undefined
            ? failed({ code: "invalid_input", message: `${name} changes nothing at X.` })
            : ok(plan);
        });
      },
    },
    async wake(signal) {
      const ready = await releasing(signal);
      if (!ready.ok) return ready;
      const { deleteOldRowsDaily } = await import("../storage/retention.ts");
      const stopDeleting = deleteOldRowsDaily(ready.value.store, values.storage.retention_days, clock);
      let cancel = () => {};
      const tend = async (): Promise<Outcome<"awake", Failure>> => {
        cancel = clock.after(TEND_MS, () => void tend());
        return orStorageFailure(async () => {
          await goOn(ready.value, signal);
          return ok("awake" as const);
        });
      };
      sleep = () => {
        stopDeleting();
        cancel();
      };
      return tend();
    },
    async close() {
      sleep();
      await measuring.stop();
      await session.close();
    },
  };
}

/** How often a server looks for what others on the same database did not live to finish. */
const TEND_MS = 60_000;

const HOUR_MS = 3_600_000;

function policyIn({ values, approvalMode }: ConfigInForce): Policy {
  const declared = { approvalMode, aiRepliesAgreed: values.x_api.ai_replies_agreed };
  const policy = policyFrom(values, declared, fullCatalog.tools);
  // A configuration is checked for this when it is loaded.
  if (!policy.ok) throw new Error(policy.failure.map(problemLine).join(" "));
  return policy.value;
}

function capsOf({ max_usd_per_call, max_usd_per_day, max_usd_per_month }: Config["budget"]): BudgetCaps {
  const micros = (usd: number | undefined) => (usd === undefined ? undefined : microsOf(usd));
  return {
    perCall: micros(max_usd_per_call),
    perDay: micros(max_usd_per_day),
    perMonth: micros(max_usd_per_month),
  };
}

function unusableKey(error: unknown): never {
  throw new StorageError("failed", "The key of the approvals cannot be used.", { cause: error });
}
