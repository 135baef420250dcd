import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { pendingCount, releasingCount } from "../approval/queue.ts";
import { type RunnerStatus, runnerStatus } from "../drafts/runner.ts";
import { type RateLimitStatus, rateLimits } from "../guards/policy/limits.ts";
import type { Policy } from "../guards/policy/policy.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import { type AgentStop, findStop } from "../guards/stop/stop.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import type { Session, Store } from "../storage/store.ts";

/** The state of the database, the approval queue, the receipts and the limits. */
export type WorkflowStatus =
  | {
      readonly status: "ok";
      readonly engine: Store["engine"];
      readonly pendingApprovals: number;
      /** Calls with an unknown outcome. */
      readonly unsettledReceipts: number;
      readonly rateLimits: readonly RateLimitStatus[];
      readonly runner: RunnerStatus;
      readonly stop: AgentStop | undefined;
    }
  | {
      /** `unopened`: X has not said yet which account it belongs to. */
      readonly status: "failed" | "unopened";
      readonly message: string;
      readonly fix: string;
      /** Calls that were approved and wait until X can be used again. */
      readonly approvedWaiting?: number;
    };

export interface StatusSource {
  readonly openStored: (signal: AbortSignal) => Promise<Outcome<Session, Failure<"db_error">>>;
  readonly store: () => Promise<Store | undefined>;
}

/** Never fails: a failure is part of the status. */
export async function workflowStatus(
  { openStored: session, store }: StatusSource,
  policy: Policy,
  now: number,
  signal: AbortSignal,
): Promise<WorkflowStatus> {
  const status = await orStorageFailure(async () => {
    const opened = await session(signal);
    if (!opened.ok) return opened;
    const { store, account } = opened.value;
    await store.check();
    const [pendingApprovals, unsettledReceipts, limits, runner, stop] = await Promise.all([
      pendingCount(store.db, account, now),
      unsettledCount(store.db, account),
      rateLimits(store.db, account, policy, now),
      runnerStatus(opened.value, now),
      findStop(store.db, account),
    ]);
    return {
      status: "ok" as const,
      engine: store.engine,
      pendingApprovals,
      unsettledReceipts,
      rateLimits: limits,
      runner,
      stop,
    };
  });
  if (!("failure" in status)) return status;
  const { reason, message, suggestedFix = "Run `tuitbot doctor`." } = status.failure;
  if (reason !== "account_unknown") return { status: "failed", message, fix: suggestedFix };
  const unopened = { status: "unopened" as const, message, fix: suggestedFix };
  const counted = await orStorageFailure(async () => {
    const db = (await store())?.db;
    return ok(db === undefined ? 0 : await releasingCount(db));
  });
  return counted.ok && counted.value > 0 ? { ...unopened, approvedWaiting: counted.value } : unopened;
}
