import { type LimitWindow, neverFits, windowEnd, windowNow } from "@toolpact/contract/internal/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/transaction.ts";
import {
  allLimits,
  type LimitHold,
  type LimitNeed,
  type PolicyLimit,
  type PolicyLimitReached,
  placesOf,
} from "./limit.ts";
import type { Policy } from "./policy.ts";

/**
 * Takes the places needed under every limit, or none and says which limit is used up. Inside a transaction. Numbers and
 * periods come from the configuration each time, so that a change applies at once.
 */
export async function takePlaces(
  db: Kysely<Database>,
  account: string,
  limits: readonly LimitNeed[],
  now: number,
): Promise<Outcome<readonly LimitHold[], PolicyLimitReached>> {
  const tooMany = neverFits(limits, placesOf);
  if (tooMany !== undefined) return failed(tooMany);
  // Always in the same order, so that two calls cannot wait for each other.
  const sorted = limits.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const starts = await Promise.all(sorted.map((limit) => take(db, account, limit, now)));
  const holds: LimitHold[] = [];
  for (const [index, limit] of sorted.entries()) {
    const windowStart = starts[index];
    if (windowStart === undefined) return failed({ limit, resetsAt: await resetOf(db, account, limit, now) });
    const { key, posts } = limit;
    holds.push({ key, windowStart, ...(posts !== undefined && { posts }) });
  }
  return ok(holds);
}

/** Gives places back, unless their window has ended: all of them, or all but one for each post that is out. */
export async function giveBack(
  db: Kysely<Database>,
  account: string,
  holds: readonly LimitHold[],
  postsOut = 0,
): Promise<void> {
  for (const { key, windowStart, posts } of holds) {
    const unused = posts === undefined ? Number(postsOut === 0) : Math.max(0, posts - postsOut);
    if (unused === 0) continue;
    await db
      .updateTable("limit_counters")
      .set((eb) => ({ used: eb("used", "-", unused) }))
      .where("account", "=", account)
      .where("key", "=", key)
      .where("window_start", "=", windowStart)
      .where("used", ">=", unused)
      .execute();
  }
}

export interface LimitUse extends LimitWindow {
  readonly limit: PolicyLimit;
}

/** How far each limit is used up now. */
export async function limitUse(
  db: Kysely<Database>,
  account: string,
  limits: readonly PolicyLimit[],
  now: number,
): Promise<readonly LimitUse[]> {
  const rows = await db.selectFrom("limit_counters").selectAll().where("account", "=", account).execute();
  return limits.map((limit) => {
    const row = rows.find(({ key }) => key === limit.key);
    const last = row && { used: row.used, windowStart: row.window_start };
    return { limit, ...windowNow(limit, last, now) };
  });
}

/** One statement: it begins a new window where the old one has ended, and counts only while there is room. */
async function take(
  db: Kysely<Database>,
  account: string,
  limit: LimitNeed,
  now: number,
): Promise<number | undefined> {
  const { key, max, periodMs } = limit;
  const places = placesOf(limit);
  const { rows } = await count(db, {
    account,
    key,
    places,
    room: max - places,
    now,
    border: now - periodMs,
  });
  return rows[0]?.window_start;
}

interface Places {
  readonly account: string;
  readonly key: string;
  readonly places: number;
  /** Most that may be used before. */
  readonly room: number;
  readonly now: number;
  /** A window that began then or before has ended. */
  readonly border: number;
}

const count = prepared((db, { account, key, places, room, now, border }: Places) =>
  db
    .insertInto("limit_counters")
    .values({ account, key, window_start: now, used: places })
    .onConflict((conflict) =>
      conflict
        .columns(["account", "key"])
        .doUpdateSet((eb) => {
          const isOver = eb("limit_counters.window_start", "<=", border);
          return {
            // As a value: Kysely writes bare numbers into the statement, which is then a new one every time.
            window_start: eb
              .case()
              .when(isOver)
              .then(eb.val(now))
              .else(eb.ref("limit_counters.window_start"))
              .end(),
            used: eb
              .case()
              .when(isOver)
              .then(eb.val(places))
              .else(eb("limit_counters.used", "+", places))
              .end(),
          };
        })
        .where((eb) =>
          eb.or([eb("limit_counters.window_start", "<=", border), eb("limit_counters.used", "<=", room)]),
        ),
    )
    .returning("window_start"),
);

async function resetOf(
  db: Kysely<Database>,
  account: string,
  limit: PolicyLimit,
  now: number,
): Promise<number> {
  const [use] = await limitUse(db, account, [limit], now);
  return windowEnd(limit, use ?? { windowStart: now });
}

/** How far one limit is used up. */
export interface RateLimitStatus {
  readonly action_type: string;
  readonly request_count: number;
  readonly max_requests: number;
  readonly period_start: string;
  readonly period_seconds: number;
  readonly remaining: number;
}

/** How far every limit is used up now; a window that has ended counts as empty. */
export async function rateLimits(
  db: Kysely<Database>,
  account: string,
  policy: Policy,
  now: number,
): Promise<readonly RateLimitStatus[]> {
  const uses = await limitUse(db, account, allLimits(policy), now);
  return uses.map(({ limit, used, windowStart }) => ({
    action_type: limit.key,
    request_count: used,
    max_requests: limit.max,
    period_start: new Date(windowStart).toISOString(),
    period_seconds: limit.periodMs / 1_000,
    remaining: Math.max(0, limit.max - used),
  }));
}
