import * as z from "zod";
import type { Session } from "../storage/store.ts";

/** Lease held by `tuitbot run`, or by a server with `server.runner`, for its lifetime. */
export const RUNNER_LEASE = "runner";

/** Whether something publishes what is scheduled. */
export interface RunnerStatus {
  readonly isAlive: boolean;
  /** Last run of a loop in any process; undefined before the first. */
  readonly lastWorkedAt: number | undefined;
}

export async function runnerStatus({ store, account }: Session, now: number): Promise<RunnerStatus> {
  const [lease, pass] = await Promise.all([
    store.db
      .selectFrom("leases")
      .select("until")
      .where("account", "=", account)
      .where("name", "=", RUNNER_LEASE)
      .executeTakeFirst(),
    store.db
      .selectFrom("loops")
      .select(({ fn }) => fn.max("ran_at").as("at"))
      .where("account", "=", account)
      .executeTakeFirst(),
  ]);
  return {
    isAlive: lease !== undefined && lease.until > now,
    lastWorkedAt: Number(pass?.at ?? 0) || undefined,
  };
}

/** The status of the runner in the answer of a tool or command. */
export const runnerShape = z.object({
  alive: z.boolean().describe("Whether a runner publishes what is due"),
  last_worked_at: z.string().nullable(),
  fix: z.string().optional().describe("How to start one"),
});

export function runnerView({ isAlive, lastWorkedAt }: RunnerStatus): z.input<typeof runnerShape> {
  return {
    alive: isAlive,
    last_worked_at: lastWorkedAt === undefined ? null : new Date(lastWorkedAt).toISOString(),
    ...(!isAlive && { fix: START_RUNNER }),
  };
}

/** The status of the runner in one line. */
export function runnerText({ isAlive, lastWorkedAt }: RunnerStatus): string {
  const last =
    lastWorkedAt === undefined
      ? "none has worked yet"
      : `the last pass was at ${new Date(lastWorkedAt).toISOString()}`;
  return isAlive ? `A runner is alive; ${last}.` : `No runner is alive; ${last}. ${START_RUNNER}`;
}

const START_RUNNER =
  "Nothing goes out before one works: start `tuitbot run`, set `server.runner = true` for the MCP server, or call `tuitbot tick` from a timer.";
