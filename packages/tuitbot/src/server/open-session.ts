import { type Clock, type Failure, type Outcome, ok } from "@toolpact/contract";
import { priceAfter, priceBefore } from "@toolpact/x-api";
import type { BudgetLedger } from "../mutation/budget/bill.ts";
import { microsOf } from "../mutation/budget/bill.ts";
import { budgetLedger } from "../mutation/budget/ledger.ts";
import { readPrice } from "../mutation/budget/metered-client.ts";
import type { Account } from "../mutation/call-context.ts";
import { receiptStorage } from "../mutation/receipts/kysely-receipts.ts";
import type { StorePlace } from "../storage/open-store.ts";
import { StorageError, storageFailure } from "../storage/storage-error.ts";
import type { Session, Store } from "../storage/store.ts";
import type { X } from "../x/x.ts";
import { xFailed } from "../x/x-errors.ts";

/** The one session of a server. */
export interface SessionKeeper {
  readonly open: (signal: AbortSignal) => Promise<Outcome<Account, Failure>>;
  /**
   * The ledger for reads while X does not say who is signed in: that of the account which read last, so that the caps
   * hold. Undefined where the database cannot be used.
   */
  readonly ledger: () => Promise<BudgetLedger | undefined>;
  /** The session if it is open. */
  readonly current: () => Session | undefined;
  /** The database if it is open, also where nobody is signed in. */
  readonly store: () => Promise<Store | undefined>;
  /** It cannot be opened again. */
  readonly close: () => Promise<void>;
}

/** Opens the database when it is first needed. A failure is tried again. */
export function sessionKeeper(
  place: StorePlace,
  { me }: Pick<X, "me">,
  clock: Clock,
  ownsApp: boolean,
): SessionKeeper {
  let opening: Promise<Outcome<Store, StorageError>> | undefined;
  let current: Account | undefined;
  let isClosed = false;
  return {
    async open(signal) {
      if (isClosed) return storageFailure({ kind: "unreachable" }, "This server is shutting down.");
      if (current !== undefined) return ok(current);
      opening ??= openAt(place, clock);
      const asked = opening;
      const store = await asked;
      if (!store.ok) {
        if (opening === asked) opening = undefined;
        return storageFailure(store.failure, store.failure.message);
      }
      const who = await me(signal);
      if (!who.ok) return xFailed(who.failure, "read");
      if (current === undefined) {
        current = accountOf({ store: store.value, account: who.value.id }, ownsApp);
        await billQuestion(current, clock.now());
      }
      return ok(current);
    },
    async ledger() {
      const store = await opening;
      if (!store?.ok) return undefined;
      const last = await store.value.db
        .selectFrom("ledger")
        .select("account")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return budgetLedger({ store: store.value, account: last?.account ?? "app" }, ownsApp);
    },
    current: () => current,
    store: async () => {
      const opened = await opening;
      return opened?.ok ? opened.value : undefined;
    },
    async close() {
      isClosed = true;
      const store = await opening;
      if (store?.ok) await store.value.close();
    },
  };
}

function accountOf(session: Session, ownsApp: boolean): Account {
  return { ...session, receipts: receiptStorage(session), ledger: budgetLedger(session, ownsApp) };
}

async function openAt(place: StorePlace, clock: Clock): Promise<Outcome<Store, StorageError>> {
  const { openStore } = await import("../storage/open-store.ts");
  return openStore(place, { now: () => clock.now() });
}

/** The account whose ledger it belongs on is known only once X has answered. */
async function billQuestion({ account, ledger }: Account, now: number): Promise<void> {
  const requests = [{ operation: "getUsersMe", micros: microsOf(priceBefore("getUsersMe", {}).usd) }];
  const answer = { data: { id: account }, includes: {} };
  try {
    const held = await ledger.reserve({ callId: "session", tool: "session", requests, now }, {});
    for (const hold of held.ok ? held.value : [])
      await ledger.settleRead(
        hold,
        readPrice((context) => priceAfter("getUsersMe", {}, answer, context)),
      );
  } catch (error) {
    // A database that cannot be used says so itself when it is needed.
    if (!(error instanceof StorageError)) throw error;
  }
}
