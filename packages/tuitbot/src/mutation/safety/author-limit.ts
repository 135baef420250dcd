import type { Kysely } from "kysely";
import type { Config } from "../../config/schema.ts";
import type { Database } from "../../storage/database.ts";
import { DAY_MS } from "../../storage/days.ts";
import type { Limit } from "../policy/limit.ts";
import { limitUse } from "../policy/limits.ts";

/** So many replies to one author in a day, counted from the first. */
export function authorLimit(authorId: string, limits: Config["limits"]): Limit {
  return { key: `replies_to:${authorId}`, max: limits.max_replies_per_author_per_day, periodMs: DAY_MS };
}

/** Replies to an author that count against the limit now. */
export async function repliesToAuthor(
  db: Kysely<Database>,
  account: string,
  authorId: string,
  limits: Config["limits"],
  now: number,
): Promise<number> {
  const [use] = await limitUse(db, account, [authorLimit(authorId, limits)], now);
  return use?.used ?? 0;
}
