import type { PriceAfter, PriceContext } from "@toolpact/x-api";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { type Micros, microsOf } from "./money.ts";
import { periodsOf } from "./periods.ts";

/**
 * What a read comes to, with every resource written down that X charges for: it does so once a day by UTC. Inside the
 * transaction that settles the read, so that of several at once one pays.
 */
export async function chargeRead(
  db: Kysely<Database>,
  account: string,
  at: number,
  price: (context?: PriceContext) => PriceAfter | undefined,
): Promise<Micros> {
  const { day } = periodsOf(at);
  const { billed = [], usd = 0 } = price() ?? {};
  if (billed.length === 0) return microsOf(usd);
  await db.deleteFrom("billed_resources").where("account", "=", account).where("day", "<", day).execute();
  const added = await db
    .insertInto("billed_resources")
    // In one order, so that two that write down the same do not wait for each other.
    .values(billed.toSorted().map((resource) => ({ account, day, resource })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("resource")
    .execute();
  const isNew = new Set(added.map(({ resource }) => resource));
  return microsOf(price({ billedToday: (resource) => !isNew.has(resource) })?.usd ?? 0);
}
