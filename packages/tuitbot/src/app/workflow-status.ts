import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import { sql } from "kysely";
import type { Agent } from "../agents/agent.ts";
import { pendingCount, releasingCount } from "../approval/queue.ts";
import { type RunnerStatus, runnerStatus } from "../drafts/runner.ts";
import { type RateLimitStatus, rateLimits } from "../guards/policy/limits.ts";
import type { Policy } from "../guards/policy/policy.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import { type AgentStop, findStop } from "../guards/stop/stop.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import type { Session, Store } from "../storage/store.ts";
import {
  decidedBy,
  keyObstacle,
  type Obstacle,
  type StoredState,
  storageObstacle,
  storedObstacles,
} from "./readiness.ts";

type SessionWithLedger = Session & Pick<StoredState, "ledger">;

export type WorkflowStatus =
  | StoredStatus
  | {
      /** `unopened`: X has not named the account yet. */
      readonly status: "failed" | "unopened";
      readonly message: string;
      readonly fix: string;
      /** They wait until X can be used again. */
      readonly approvedWaiting?: number;
      readonly obstacles: readonly Obstacle[];
    };

export interface StoredStatus {
  readonly status: "ok";
  readonly engine: Store["engine"];
  readonly pendingApprovals: number;
  readonly unsettledReceipts: number;
  readonly rateLimits: readonly RateLimitStatus[];
  readonly runner: RunnerStatus;
  readonly stop: AgentStop | undefined;
  readonly obstacles: readonly Obstacle[];
}

export interface StatusSource {
  readonly openStored: (signal: AbortSignal) => Promise<Outcome<SessionWithLedger, Failure<"db_error">>>;
  readonly store: () => Promise<Store | undefined>;
}

export interface StatusRules {
  /** Read anew. */
  readonly approvalKey: () => Promise<Outcome<unknown, Failure>>;
  readonly policy: Policy;
  readonly caps: BudgetCaps;
  /** An agent's own caps count too. */
  readonly agent?: Agent | undefined;
  readonly now: number;
}

/** A failure is part of the status. */
export async function workflowStatus(
  source: StatusSource,
  rules: StatusRules,
  signal: AbortSignal,
): Promise<WorkflowStatus> {
  const status = await orStorageFailure(async () => {
    const opened = await source.openStored(signal);
    if (!opened.ok) return opened;
    return storedStatus(opened.value, rules);
  });
  if (!("failure" in status)) return status;
  const { reason, message, suggestedFix = "Run `tuitbot doctor`." } = status.failure;
  const obstacles = [storageObstacle(status.failure), ...(await keyObstacles(rules))];
  if (reason !== "account_unknown") return { status: "failed", message, fix: suggestedFix, obstacles };
  const unopened = { status: "unopened" as const, message, fix: suggestedFix, obstacles };
  const counted = await orStorageFailure(async () => {
    const db = (await source.store())?.db;
    return ok(db === undefined ? 0 : await releasingCount(db));
  });
  return counted.ok && counted.value > 0 ? { ...unopened, approvedWaiting: counted.value } : unopened;
}

/** Throws a `StorageError` without a usable database. */
export async function storedStatus(session: SessionWithLedger, rules: StatusRules): Promise<StoredStatus> {
  const { store, account, ledger } = session;
  const { policy, caps, agent, now } = rules;
  await store.check();
  // Changes no row, but fails if the database cannot be written.
  await sql`update kysely_migration set name = name where 1 = 0`.execute(store.db);
  const [pendingApprovals, unsettledReceipts, limits, runner, stop, ofKey] = await Promise.all([
    pendingCount(store.db, account, now),
    unsettledCount(store.db, account),
    rateLimits(store.db, account, policy, now),
    runnerStatus(session, now),
    findStop(store.db, account),
    keyObstacles(rules),
  ]);
  return {
    status: "ok",
    engine: store.engine,
    pendingApprovals,
    unsettledReceipts,
    rateLimits: limits,
    runner,
    stop,
    obstacles: [...ofKey, ...(await storedObstacles({ stop, limits, ledger, caps, agent, policy, now }))],
  };
}

async function keyObstacles({ approvalKey, policy, now }: StatusRules): Promise<readonly Obstacle[]> {
  const key = await approvalKey();
  return key.ok ? [] : [keyObstacle(key.failure, decidedBy(policy, ["require_approval"], now))];
}
