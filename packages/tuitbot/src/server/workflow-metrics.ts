import { gauge, type Metric } from "@toolpact/contract/internal";
import type { OpenWorkflow } from "./open-workflow.ts";

/** The database, its connections, and what waits in it, as figures. */
export async function workflowMetrics({
  reach,
  status,
}: Pick<OpenWorkflow, "reach" | "status">): Promise<readonly Metric[]> {
  const store = await reach();
  const up = gauge("tuitbot_database_up", "Whether the database can be used.", store.ok ? 1 : 0);
  if (!store.ok) return [up];
  const pool = store.value.pool?.();
  const known = await status(AbortSignal.timeout(STATUS_MS));
  return [
    up,
    ...(pool === undefined
      ? []
      : [
          gauge("tuitbot_database_connections", "Open connections to PostgreSQL.", pool.open),
          gauge("tuitbot_database_connections_idle", "Those of them that nobody uses.", pool.idle),
          gauge("tuitbot_database_waiting", "Queries that wait for a connection.", pool.waiting),
        ]),
    ...(known.status === "ok"
      ? [
          gauge("tuitbot_approvals_pending", "Calls that wait for a person.", known.pendingApprovals),
          gauge("tuitbot_receipts_unsettled", "Calls whose outcome is not known.", known.unsettledReceipts),
          gauge(
            "tuitbot_runner_alive",
            "Whether a runner publishes what is due.",
            known.runner.isAlive ? 1 : 0,
          ),
        ]
      : []),
  ];
}

const STATUS_MS = 5_000;
