import { pendingCount } from "../../approval/queue.ts";
import type { Policy } from "../../mutation/policy/policy.ts";
import { type RateLimitStatus, rateLimits } from "../../mutation/policy/status.ts";
import { unsettledCount } from "../../mutation/receipts/receipt-queries.ts";
import type { OpenSession } from "../../storage/session.ts";
import { orStorageFailure } from "../../storage/storage-failure.ts";
import type { Store } from "../../storage/store.ts";

/** How it stands with what outlives the calls. */
export type WorkflowStanding =
  | {
      readonly status: "ok";
      readonly engine: Store["engine"];
      readonly pendingApprovals: number;
      /** Calls of which nobody knows yet whether X carried them out. */
      readonly unsettledReceipts: number;
      readonly rateLimits: readonly RateLimitStatus[];
    }
  | {
      /** `unopened`: X has to say first whose it is. */
      readonly status: "failed" | "unopened";
      readonly message: string;
      readonly fix: string;
    };

/** Never fails: what is wrong is the answer. */
export async function workflowStanding(
  session: OpenSession,
  policy: Policy,
  now: number,
  signal: AbortSignal,
): Promise<WorkflowStanding> {
  const standing = await orStorageFailure(async () => {
    const opened = await session(signal);
    if (!opened.ok) return opened;
    const { store, account } = opened.value;
    const [pendingApprovals, unsettledReceipts, limits] = await Promise.all([
      pendingCount(store.db, account, now),
      unsettledCount(store.db, account),
      rateLimits(store.db, account, policy, now),
    ]);
    return {
      status: "ok" as const,
      engine: store.engine,
      pendingApprovals,
      unsettledReceipts,
      rateLimits: limits,
    };
  });
  if (!("failure" in standing)) return standing;
  const { code, message, suggestedFix = "Run `tuitbot doctor`." } = standing.failure;
  return { status: code === "db_error" ? "failed" : "unopened", message, fix: suggestedFix };
}
