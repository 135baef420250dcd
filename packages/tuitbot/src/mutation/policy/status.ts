import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { limitUse } from "./limits.ts";
import { allLimits } from "./limits-for.ts";
import type { Policy } from "./policy.ts";

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
