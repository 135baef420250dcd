import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { Limit, LimitHold, LimitReached } from "./limit.ts";

/**
 * Takes one place under every limit, or none and says which limit is used up. Inside a transaction. Numbers and
 * periods come from the configuration each time, so that a change applies at once.
 */
export async function takePlaces(
  db: Kysely<Database>,
  account: string,
  limits: readonly Limit[],
  now: number,
): Promise<Outcome<readonly LimitHold[], LimitReached>> {
  const holds: LimitHold[] = [];
  // Always in the same order, so that two calls cannot wait for each other.
  for (const limit of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const windowStart = await takePlace(db, account, limit, now);
    if (windowStart === undefined) return failed({ limit, resetsAt: await resetOf(db, account, limit, now) });
    holds.push({ key: limit.key, windowStart });
  }
  return ok(holds);
}

/** Gives places back, unless their window has ended. */
export async function giveBack(
  db: Kysely<Database>,
  account: string,
  holds: readonly LimitHold[],
): Promise<void> {
  for (const { key, windowStart } of holds) {
    await db
      .updateTable("limit_counters")
      .set((eb) => ({ used: eb("used", "-", 1) }))
      .where("account", "=", account)
      .where("key", "=", key)
      .where("window_start", "=", windowStart)
      .where("used", ">", 0)
      .execute();
  }
}

export interface LimitUse {
  readonly limit: Limit;
  readonly used: number;
  readonly windowStart: number;
}

/** How far each limit is used up now. */
export async function limitUse(
  db: Kysely<Database>,
  account: string,
  limits: readonly Limit[],
  now: number,
): Promise<readonly LimitUse[]> {
  const rows = await db.selectFrom("limit_counters").selectAll().where("account", "=", account).execute();
  return limits.map((limit) => {
    const row = rows.find(({ key }) => key === limit.key);
    const isOver = row === undefined || now - row.window_start >= limit.periodMs;
    return isOver
      ? { limit, used: 0, windowStart: now }
      : { limit, used: row.used, windowStart: row.window_start };
  });
}

/** One statement: it begins a new window where the old one has ended, and counts only while there is room. */
async function takePlace(
  db: Kysely<Database>,
  account: string,
  { key, max, periodMs }: Limit,
  now: number,
): Promise<number | undefined> {
  const { rows } = await countOne(db, { account, key, max, now, border: now - periodMs });
  return rows[0]?.window_start;
}

interface OnePlace {
  readonly account: string;
  readonly key: string;
  readonly max: number;
  readonly now: number;
  /** A window that began then or before has ended. */
  readonly border: number;
}

const countOne = prepared((db, { account, key, max, now, border }: OnePlace) =>
  db
    .insertInto("limit_counters")
    .values({ account, key, window_start: now, used: 1 })
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
              .then(1)
              .else(eb("limit_counters.used", "+", 1))
              .end(),
          };
        })
        .where((eb) =>
          eb.or([eb("limit_counters.window_start", "<=", border), eb("limit_counters.used", "<", max)]),
        ),
    )
    .returning("window_start"),
);

async function resetOf(db: Kysely<Database>, account: string, limit: Limit, now: number): Promise<number> {
  const [use] = await limitUse(db, account, [limit], now);
  return (use?.windowStart ?? now) + limit.periodMs;
}
