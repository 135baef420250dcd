import { lastToReset, periodsOf, type Spent, wouldExceed } from "./caps.ts";
import type { RateLimit } from "./refusals.ts";
import type { RunSql } from "./sql.ts";
import type { Needs, NotClaimed } from "./storage.ts";

export async function refusedBy(
  run: RunSql,
  scope: string,
  { limits, caps, costMicros }: Needs,
  now: number,
): Promise<NotClaimed | undefined> {
  const reached: { readonly limit: RateLimit; readonly resetsAt: number }[] = [];
  for (const limit of limits) {
    const { tool, principal, max, periodMs } = limit;
    if (max < 1) return { kind: "limit", limit, resetsAt: now + periodMs };
    // The call with which the limit was reached: the next slot is free when its period ends.
    const [last] = await run(
      `select created_at from guard_receipts where ${COUNTS}
       ${tool === undefined ? "" : "and tool = ?"} ${principal === undefined ? "" : "and principal = ?"}
       order by created_at desc limit 1 offset ?`,
      [scope, now - periodMs, ...[tool, principal].filter((value) => value !== undefined), max - 1],
    );
    if (last !== undefined) reached.push({ limit, resetsAt: Number(last.created_at) + periodMs });
  }
  const limit = lastToReset(reached);
  if (limit !== undefined) return { kind: "limit", ...limit };
  if (costMicros === 0) return undefined;
  const record = {
    spent: () => spentIn(run, scope, now),
    spentBy: (caller: string) => spentIn(run, scope, now, caller),
  };
  const over = await wouldExceed(record, costMicros, caps, now);
  return over && { kind: "budget", ...over };
}

export async function spentIn(run: RunSql, scope: string, now: number, principal?: string): Promise<Spent> {
  const { dayBegins, monthBegins } = periodsOf(now);
  const sumSince = async (since: number) => {
    const [row] = await run(
      `select sum(cost_micros) as micros from guard_receipts where ${COUNTS}
       ${principal === undefined ? "" : "and principal = ?"}`,
      [scope, since - 1, ...(principal === undefined ? [] : [principal])],
    );
    return Number(row?.micros ?? 0);
  };
  return { day: await sumSince(dayBegins), month: await sumSince(monthBegins) };
}

/** Every receipt except those known to have had no effect. */
const COUNTS = "scope = ? and state <> 'not_done' and created_at > ?";
