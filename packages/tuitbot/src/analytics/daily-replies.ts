import type { Kysely } from "kysely";
import { limitUse } from "../mutation/policy/limits.ts";
import { allLimits } from "../mutation/policy/limits-for.ts";
import type { Policy } from "../mutation/policy/policy.ts";
import type { Database } from "../storage/database.ts";

/** How much of the daily reply limit is used. */
export async function repliesUsed(
  db: Kysely<Database>,
  account: string,
  policy: Policy,
  now: number,
): Promise<number> {
  const limits = allLimits(policy).filter(({ key }) => key === "replies_per_day");
  const [use] = await limitUse(db, account, limits, now);
  return use?.used ?? 0;
}
