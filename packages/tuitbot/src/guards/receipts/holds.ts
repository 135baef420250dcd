import type { LedgerHold } from "@toolpact/contract/internal/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { reserve, settleHolds as settleMoney } from "../budget/ledger.ts";
import type { LimitHold } from "../policy/limit.ts";
import { giveBack, takePlaces } from "../policy/limits.ts";
import type { MutationRefusal, Needs } from "./receipt-storage.ts";

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
): Promise<Outcome<Holds, MutationRefusal>> {
  const reserving = reserve(db, account, { ...expense, now }, caps);
  // Who asked and what an agent may spend is read first; money is locked before places, by every call.
  if (caps.caller !== undefined || expense.approvalId !== undefined) await reserving;
  // Together: where one is refused, the other is undone with the rest.
  const [money, places] = await Promise.all([reserving, takePlaces(db, account, limits, now)]);
  if (!money.ok) return failed({ kind: "budget", ...money.failure });
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
  const settlements = money.map((hold, index) => {
    const isDone = index < done;
    return { hold, spentMicros: isDone ? hold.micros : 0, hasFailed: !isDone };
  });
  await Promise.all([settleMoney(db, account, settlements), giveBack(db, account, places, done)]);
}
