import type { Periods, Spent } from "@toolpact/contract/guards";
import type { Store } from "../../storage/store.ts";

/** What was spent in a day and its month. */
export interface PeriodSums extends Pick<Periods, "day" | "month"> {
  readonly spent: Spent;
}

/**
 * What an account has spent, as the last statement of this process that changed it has said; undefined where that was
 * not just now. It says what a call cost. Caps are kept by the database, whatever is remembered here.
 */
export function recentSpent(
  store: Store,
  account: string,
  { day, month }: Pick<Periods, "day" | "month">,
): Spent | undefined {
  const { last } = changesOf(store, account);
  const isRecent = last !== undefined && performance.now() - last.at < RECENT_MS;
  return isRecent && last.day === day && last.month === month ? last.spent : undefined;
}

/** Longer than a call takes to say what it cost. */
const RECENT_MS = 1_000;

/**
 * Call it before what was spent is changed, and what it returns with the new sums once that is committed; with nothing
 * where they are not known. Of changes at the same time none is remembered: which was the last one is not known here.
 */
export function changeOfSpent(store: Store, account: string): (sums: PeriodSums | undefined) => void {
  const changes = changesOf(store, account);
  const number = ++changes.begun;
  const isAlone = changes.running === 0;
  changes.running += 1;
  changes.last = undefined;
  return (sums) => {
    changes.running -= 1;
    if (sums !== undefined && isAlone && changes.begun === number)
      changes.last = { ...sums, at: performance.now() };
  };
}

interface Changes {
  running: number;
  begun: number;
  last: (PeriodSums & { readonly at: number }) | undefined;
}

const known = new WeakMap<Store, Map<string, Changes>>();

function changesOf(store: Store, account: string): Changes {
  const accounts = known.get(store) ?? new Map<string, Changes>();
  const changes = accounts.get(account) ?? { running: 0, begun: 0, last: undefined };
  known.set(store, accounts.set(account, changes));
  return changes;
}
