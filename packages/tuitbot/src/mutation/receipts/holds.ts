import type { LedgerHold } from "@toolpact/contract/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { reserve, settleHolds as settleMoney } from "../budget/ledger.ts";
import type { LimitHold } from "../policy/limit.ts";
import { giveBack, takePlaces } from "../policy/limits.ts";
import type { Needs, Refusal } from "./receipt-storage.ts";

/** What a mutation has taken: stored with its receipt, so that settling the receipt can give it back. */
export interface Holds {
  readonly money: readonly LedgerHold[];
  readonly places: readonly LimitHold[];
  /** The first step that they pay for. */
  readonly fromStep: number;
}

/** Everything or nothing, inside the transaction that writes the receipt. */
export async function takeHolds(
  db: Kysely<Database>,
  account: string,
  { expense, caps, limits }: Needs,
  fromStep: number,
  now: number,
): Promise<Outcome<Holds, Refusal>> {
  const money = await reserve(db, account, { ...expense, now }, caps);
  if (!money.ok) return failed({ kind: "budget", ...money.failure });
  const places = await takePlaces(db, account, limits, now);
  if (!places.ok) return failed({ kind: "limit", ...places.failure });
  return ok({ money: money.value, places: places.value, fromStep });
}

/** X charges for each request it carries out, and what was carried out has used its places. */
export async function settleHolds(
  db: Kysely<Database>,
  account: string,
  { money, places, fromStep }: Holds,
  steps: readonly { readonly seq: number; readonly state: string }[],
): Promise<void> {
  const done = steps.filter(({ seq, state }) => seq >= fromStep && state === "confirmed").length;
  await settleMoney(
    db,
    account,
    money.map((hold, index) => {
      const isDone = index < done;
      return { hold, spentMicros: isDone ? hold.micros : 0, hasFailed: !isDone };
    }),
  );
  await giveBack(db, account, places, done);
}
