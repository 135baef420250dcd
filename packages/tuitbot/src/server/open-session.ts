import { type Clock, type Failure, failed, type Outcome, ok, once } from "@toolpact/contract";
import { microsOf } from "@toolpact/contract/internal/money";
import { priceAfter, priceBefore } from "@toolpact/x-api";
import { type Kysely, sql } from "kysely";
import { findAgent } from "../agents/agents.ts";
import { errors } from "../errors.ts";
import { type AccountLedger, BY_ITSELF, readPrice } from "../guards/budget/bill.ts";
import { budgetLedger } from "../guards/budget/ledger.ts";
import type { Account } from "../guards/call/call-context.ts";
import { receiptStorage } from "../guards/receipts/kysely-receipts.ts";
import { overAllAccounts } from "../storage/account-check.ts";
import type { Database } from "../storage/database.ts";
import type { StorePlace } from "../storage/open-store.ts";
import { orStorageFailure, StorageError, storageFailure } from "../storage/storage-error.ts";
import type { Session, Store } from "../storage/store.ts";
import { WHO_AM_I_MS, type XConnection } from "../x/connect-x.ts";
import type { Me } from "../x/x.ts";
import { xFailed } from "../x/x-errors.ts";
import type { Persistence } from "./persistence.ts";

/** The one session of a server. */
export interface SessionKeeper {
  /** The account that X says is signed in; X is asked once. */
  readonly open: (signal: AbortSignal) => Promise<Outcome<Account, Failure>>;
  /**
   * The account that X said last for this sign-in, or for the last one where nobody is signed in. X is asked, and not
   * for long, only if this database has never seen the sign-in.
   */
  readonly openStored: (signal: AbortSignal) => Promise<Outcome<Account, Failure<"db_error">>>;
  /**
   * The ledger for reads while the signed-in account is unknown: that of the account last signed in, so the caps still
   * apply. Undefined if the database cannot be used.
   */
  readonly ledger: () => Promise<AccountLedger | undefined>;
  /** The session if it is open. */
  readonly current: () => Session | undefined;
  /** Whether the database can be used now. */
  readonly reach: () => Promise<Outcome<Store, Failure<"db_error">>>;
  /** The database, opened if it is not: it needs no account. */
  readonly database: () => Promise<Outcome<Store, Failure<"db_error">>>;
  /** The database if it is open, also where nobody is signed in. */
  readonly store: () => Promise<Store | undefined>;
  /** It cannot be opened again. */
  readonly close: () => Promise<void>;
}

/** Opens the database when it is first needed. A failure is tried again. */
export function sessionKeeper(
  { store: place, shared }: Pick<Persistence, "store" | "shared">,
  { me, signInId }: Pick<XConnection, "me" | "signInId">,
  clock: Clock,
  { ownsApp, configuredAs }: { readonly ownsApp: boolean; readonly configuredAs: string },
): SessionKeeper {
  const opening = once(() => shared?.open() ?? openAt(place, clock));
  let current: Account | undefined;
  let stored: (Account & { readonly signIn: string | undefined }) | undefined;
  let isClosed = false;

  async function openDatabase(): Promise<Outcome<Store, Failure<"db_error">>> {
    if (isClosed) return storageFailure({ kind: "unreachable" }, "This server is shutting down.");
    const store = await opening();
    if (store.ok) return store;
    return storageFailure(store.failure, store.failure.message);
  }

  async function open(signal: AbortSignal): Promise<Outcome<Account, Failure>> {
    if (current !== undefined && !isClosed) return ok(current);
    const store = await openDatabase();
    if (!store.ok) return store;
    const who = await me(signal);
    if (!who.ok) return xFailed(who.failure, "read");
    if (current === undefined) {
      const { id, username, name } = who.value;
      current = accountOf({ store: store.value, account: id, names: { username, name } }, ownsApp);
      await billQuestion(current, clock.now());
      const signIn = await signInId();
      await unlessStorageFails(() =>
        rememberSignIn(store.value.db, { signIn, configuredAs }, who.value, clock.now()),
      );
    }
    return ok(current);
  }

  return {
    open,
    async openStored(signal) {
      if (current !== undefined && !isClosed) return ok(current);
      const store = await openDatabase();
      if (!store.ok) return store;
      const signIn = await signInId();
      if (stored !== undefined && stored.signIn === signIn) return ok(stored);
      const known = await orStorageFailure(async () =>
        ok(await rememberedSignIn(store.value.db, { signIn, configuredAs })),
      );
      if (!known.ok) return known;
      if (known.value !== undefined) {
        stored = { ...accountOf({ store: store.value, ...known.value }, ownsApp), signIn };
        return ok(stored);
      }
      const inTime = new AbortController();
      const stop = clock.after(WHO_AM_I_MS, () => inTime.abort());
      const asked = await open(AbortSignal.any([signal, inTime.signal]));
      stop();
      return asked.ok ? asked : unknownAccount(asked.failure);
    },
    async ledger() {
      const store = await opening.current();
      if (!store?.ok) return undefined;
      const last = await unlessStorageFails(() =>
        rememberedSignIn(store.value.db, { signIn: undefined, configuredAs }),
      );
      return budgetLedger({ store: store.value, account: last?.account ?? "app" }, ownsApp);
    },
    current: () => current ?? stored,
    database: openDatabase,
    reach: () =>
      orStorageFailure(async () => {
        const store = await openDatabase();
        if (!store.ok) return store;
        await store.value.check();
        await sql`select 1`.execute(store.value.db);
        return store;
      }),
    store: async () => {
      const opened = await opening.current();
      return opened?.ok ? opened.value : undefined;
    },
    async close() {
      isClosed = true;
      const store = await opening.current();
      if (store?.ok) await store.value.close();
    },
  };
}

function accountOf(session: Session, ownsApp: boolean): Account {
  return {
    ...session,
    receipts: receiptStorage(session),
    ledger: budgetLedger(session, ownsApp),
    findAgent: (name) => findAgent(session.store.db, name),
  };
}

async function openAt(place: StorePlace, clock: Clock): Promise<Outcome<Store, StorageError>> {
  const { openStore } = await import("../storage/open-store.ts");
  return openStore(place, { now: () => clock.now(), checksAccounts: true });
}

/** The data of an account can be found only once X has said whose sign-in it is. */
function unknownAccount({ code, message, suggestedFix }: Failure): Outcome<never, Failure<"db_error">> {
  if (code === "db_error") return failed({ code, message, ...(suggestedFix && { suggestedFix }) });
  return errors.fail("db_error", `X has not said yet whose data this is. ${message}`, {
    reason: "account_unknown",
    suggestedFix: suggestedFix ?? "Run `tuitbot doctor`.",
    fixBy: "operator",
  });
}

/** The account whose ledger it belongs on is known only once X has answered. */
async function billQuestion({ account, ledger }: Account, now: number): Promise<void> {
  const requests = [{ operation: "getUsersMe", micros: microsOf(priceBefore("getUsersMe", {}).usd) }];
  const answer = { data: { id: account }, includes: {} };
  await unlessStorageFails(async () => {
    const held = await ledger.reserve(
      { callId: "session", tool: "session", by: BY_ITSELF, requests, now },
      {},
    );
    for (const hold of held.ok ? held.value : [])
      await ledger.settleRead(
        hold,
        readPrice((context) => priceAfter("getUsersMe", {}, answer, context)),
      );
  });
}

/** Swallows storage errors here: later use of the database reports them. */
async function unlessStorageFails<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/** Remembers whose sign-in this is, as X has just said. */
async function rememberSignIn(
  db: Kysely<Database>,
  { signIn, configuredAs }: SignIn,
  { id: account, username, name }: Me,
  now: number,
): Promise<void> {
  if (signIn === undefined) return;
  const said = { account, username, name, seen_at: now, configured_as: configuredAs };
  await db
    .insertInto("sign_ins")
    .values({ id: signIn, ...said })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(said))
    .execute();
}

/** A sign-in of an account of the configuration; undefined where nobody is signed in. */
export interface SignIn {
  readonly signIn: string | undefined;
  readonly configuredAs: string;
}

/** The account of a sign-in, or of the last one of this account of the configuration where nobody is signed in. */
async function rememberedSignIn(
  db: Kysely<Database>,
  { signIn, configuredAs }: SignIn,
): Promise<Pick<Session, "account" | "names"> | undefined> {
  const all = overAllAccounts(db, "sign-in")
    .selectFrom("sign_ins")
    .select(["account", "username", "name"])
    .where("configured_as", "=", configuredAs);
  const found = await (signIn === undefined
    ? all.orderBy("seen_at", "desc").limit(1)
    : all.where("id", "=", signIn)
  ).executeTakeFirst();
  return found && { account: found.account, names: { username: found.username, name: found.name } };
}
