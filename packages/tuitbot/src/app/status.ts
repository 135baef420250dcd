import { followerChange, followerTrend } from "../analytics/followers.ts";
import { listDrafts } from "../drafts/find-draft.ts";
import { runnerView } from "../drafts/runner.ts";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { lastSettledRequest } from "../guards/budget/usage.ts";
import { stopView } from "../guards/stop/stop.ts";
import type { Session } from "../storage/store.ts";
import { readinessOf, readinessView, signInObstacles } from "./readiness.ts";
import type { Services } from "./services.ts";
import { spendingOf } from "./spending.ts";
import { storedStatus } from "./workflow-status.ts";

export const TREND_DAYS = 30;
const MAX_SCHEDULED = 200;

/** For `--output json` and the dashboard. */
export async function accountStatus(session: Pick<Services, "db" | "workflow" | "config">) {
  const { db, workflow, config } = session;
  const { store, account } = db;
  const now = workflow.now();
  const trend = await followerTrend(store.db, account, TREND_DAYS);
  const stored = await storedStatus(
    { ...db, ledger: budgetLedger(db, true) },
    { approvalKey: workflow.approvalKey, policy: workflow.policy, caps: workflow.caps, now },
  );
  const signedIn = signInObstacles(await workflow.signInId());
  const { items: scheduled } = await listDrafts(
    { ...db, now: workflow.now },
    { status: "scheduled", limit: MAX_SCHEDULED },
  );
  const [next] = scheduled.toSorted((a, b) => (a.scheduledFor ?? 0) - (b.scheduledFor ?? 0));
  const asked = await lastSettledRequest(store.db, account);
  const limit = (name: string) => {
    const found = stored.rateLimits.find(({ action_type }) => action_type === name);
    return { used: found?.request_count ?? 0, max: found?.max_requests ?? null };
  };
  return {
    account: { id: account, username: db.names?.username ?? null },
    mode: config.values.mode,
    approval_mode: config.approvalMode,
    ...readinessView(readinessOf([...signedIn, ...stored.obstacles])),
    pending_approvals: stored.pendingApprovals,
    unknown_outcomes: stored.unsettledReceipts,
    posts_today: limit("tweets_per_day"),
    replies_today: limit("replies_per_day"),
    spending: { ...(await spendingOf(db, workflow)) },
    followers: {
      current: trend.at(-1)?.follower_count ?? null,
      change_7d: trend.length === 0 ? null : await followerChange(store.db, account, 7, now),
      trend: trend.map(({ date, follower_count }) => ({ date, follower_count })),
    },
    scheduled: scheduled.length,
    next_scheduled:
      next?.scheduledFor === undefined
        ? null
        : { draft: next.id, at: new Date(next.scheduledFor).toISOString(), text: next.texts[0] ?? "" },
    /** The latest finished request of any process. */
    x: {
      asked_at: asked === undefined ? null : new Date(asked.at).toISOString(),
      failed: asked?.hasFailed ?? false,
    },
    runner: runnerView(stored.runner),
    stop: stored.stop === undefined ? null : stopView(stored.stop),
    /** Switched off by a person. */
    loops_off: await loopsOff(db),
  };
}

async function loopsOff({ store, account }: Session): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom("loops")
    .select("name")
    .where("account", "=", account)
    .where("off_at", "is not", null)
    .orderBy("name")
    .execute();
  return rows.map(({ name }) => name);
}
