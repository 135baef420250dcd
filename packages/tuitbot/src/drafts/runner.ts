import * as z from "zod";
import type { Session } from "../storage/store.ts";

/** Held by `tuitbot run`, or a server with `server.runner`. */
export const RUNNER_LEASE = "runner";

/** Publishes what is scheduled. */
export interface RunnerStatus {
  readonly isAlive: boolean;
  /** In any process; undefined before the first. */
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

/** In one line. */
export function runnerText({ isAlive, lastWorkedAt }: RunnerStatus): string {
  const last =
    lastWorkedAt === undefined
      ? "none has worked yet"
      : `the last pass was at ${new Date(lastWorkedAt).toISOString()}`;
  return isAlive ? `A runner is alive; ${last}.` : `No runner is alive; ${last}. ${START_RUNNER}`;
}

const START_RUNNER =
  "Nothing goes out before one works: start `tuitbot run`, set `server.runner = true` for the MCP server, or call `tuitbot tick` from a timer.";
