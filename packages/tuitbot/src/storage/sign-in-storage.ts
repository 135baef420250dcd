import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { MINUTE_MS } from "@toolpact/contract/internal";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import {
  type Clock,
  type OAuthError,
  parseGrant,
  printGrant,
  type TokenStorage,
  tokensAreBusy,
} from "@toolpact/x-api";
import { type RawBuilder, sql } from "kysely";
import { StorageError, storageFailure } from "./storage-error.ts";
import type { Store } from "./store.ts";

export interface SignInPlace {
  /** Again after a failure. */
  readonly open: () => Promise<Outcome<Store, StorageError>>;
  readonly name: string;
  /** Equal on every machine. */
  readonly secret: () => Promise<Uint8Array>;
  readonly clock: Clock;
  /** After a crash; default 10 s. */
  readonly lifeMs?: number;
}

/**
 * Encrypted, for processes on several machines. The row names who may replace the tokens, by the database's
 * clock.
 */
export function signInStorage({ open, name, secret, clock, lifeMs = 10_000 }: SignInPlace): TokenStorage {
  let readAt = Number.NEGATIVE_INFINITY;
  /** This process's name in the row. */
  let holder: string | undefined;

  async function withStore<T>(work: (store: Store) => Promise<Outcome<T, OAuthError>>) {
    try {
      const store = await open();
      return store.ok ? await work(store.value) : failed(unusable(store.failure));
    } catch (error) {
      if (error instanceof StorageError) return failed(unusable(error));
      throw error;
    }
  }

  /** If still held. Waits for the disk. */
  async function update(values: {
    readonly sealed?: string | null;
    readonly renewing: number;
  }): Promise<Outcome<undefined, OAuthError>> {
    return withStore(async (store) => {
      const { numUpdatedRows } = await store.durableTransaction((db) =>
        db
          .updateTable("stored_sign_ins")
          .set(values)
          .where("name", "=", name)
          .where("holder", "=", holder ?? "")
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows === 1n ? ok(undefined) : failed(tokensAreBusy);
    });
  }

  async function keyOf(): Promise<Outcome<Uint8Array, OAuthError>> {
    try {
      return ok(new Uint8Array(hkdfSync("sha256", await secret(), "", "tuitbot sign-in", 32)));
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown error";
      return failed({ kind: "token_storage", message: `The key of the sign-in cannot be used: ${why}` });
    }
  }

  return {
    isCurrent: () => {
      const age = clock.now() - readAt;
      return age >= 0 && age < CURRENT_MS;
    },
    read: () =>
      withStore(async ({ db }) => {
        // A later replacement is then read in time.
        const now = clock.now();
        const row = await db
          .selectFrom("stored_sign_ins")
          .select("sealed")
          .where("name", "=", name)
          .executeTakeFirst();
        if (row === undefined || row.sealed === null) return ok(undefined);
        const key = await keyOf();
        if (!key.ok) return key;
        const text = unseal(row.sealed, name, key.value);
        const grant = text === undefined ? undefined : parseGrant(text);
        if (grant === undefined) return failed(WRONG_KEY);
        readAt = now;
        return ok(grant);
      }),
    async write(grant) {
      const key = await keyOf();
      if (!key.ok) return key;
      const now = clock.now();
      const written = await update({ sealed: seal(printGrant(grant), name, key.value), renewing: 0 });
      if (written.ok) readAt = now;
      return written;
    },
    delete: () => update({ sealed: null, renewing: 0 }),
    markRenewal: () =>
      withStore(async ({ db }) => {
        const row = await db
          .selectFrom("stored_sign_ins")
          .select("renewing")
          .where("name", "=", name)
          .executeTakeFirst();
        const marked = await update({ renewing: 1 });
        return marked.ok ? ok({ isFirst: row?.renewing !== 1 }) : marked;
      }),
    // Otherwise a later sign-in's end would look like lost tokens.
    clearRenewal: async () => void (await update({ renewing: 0 })),
    locked: (work) =>
      withStore(async (store) => {
        const own = randomUUID();
        for (let waited = 0; !(await take(store, name, own, lifeMs)); waited += WAIT_MS) {
          if (waited > GIVE_UP_MS) return failed(tokensAreBusy);
          await new Promise<void>((resolve) => clock.after(WAIT_MS, resolve));
        }
        holder = own;
        const stopRenewing = repeatEvery(lifeMs / 4, clock, () => renew(store, name, own, lifeMs));
        try {
          return await work();
        } finally {
          stopRenewing();
          holder = undefined;
          await release(store, name, own);
        }
      }),
  };
}

/** Another machine may have signed in or out. */
const CURRENT_MS = 10_000;
const WAIT_MS = 100;
const GIVE_UP_MS = MINUTE_MS;

/** Unless another process holds it. */
async function take({ db, engine }: Store, name: string, holder: string, lifeMs: number): Promise<boolean> {
  const now = timeOf(engine);
  const until = after(now, lifeMs);
  const taken = await db
    .insertInto("stored_sign_ins")
    .values({ name, sealed: null, renewing: 0, holder, held_until: until })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ holder, held_until: until })
        .where((eb) =>
          eb.or([
            eb("stored_sign_ins.holder", "is", null),
            eb("stored_sign_ins.held_until", "<=", now),
            // Held longer than possible, so taken before a clock change.
            eb("stored_sign_ins.held_until", ">", until),
          ]),
        ),
    )
    .returning("holder")
    .executeTakeFirst();
  return taken !== undefined;
}

async function renew({ db, engine }: Store, name: string, holder: string, lifeMs: number): Promise<void> {
  await db
    .updateTable("stored_sign_ins")
    .set({ held_until: after(timeOf(engine), lifeMs) })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .execute();
}

/** Others wait until it expires. */
async function release({ db }: Store, name: string, holder: string): Promise<void> {
  await unlessStorageFails(
    db
      .updateTable("stored_sign_ins")
      .set({ holder: null, held_until: 0 })
      .where("name", "=", name)
      .where("holder", "=", holder)
      .execute(),
  );
}

/** PostgreSQL's clock, because machines may disagree; SQLite is on one machine. */
function timeOf(engine: Store["engine"]): RawBuilder<number> {
  return engine === "postgres"
    ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql`${sql.lit(Date.now())}`;
}

function after(time: RawBuilder<number>, ms: number): RawBuilder<number> {
  return sql`${time} + ${sql.lit(ms)}`;
}

function repeatEvery(ms: number, clock: Clock, work: () => Promise<void>): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(ms, () => {
      void unlessStorageFails(work());
      next();
    });
  };
  next();
  return () => cancel();
}

async function unlessStorageFails(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

/** AES-256-GCM, bound to the name, so rows cannot be swapped. */
function seal(text: string, name: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
}

/** Undefined for another key or name, or a change. */
function unseal(sealed: string, name: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const WRONG_KEY: OAuthError = {
  kind: "token_storage",
  message:
    "The sign-in in the database was encrypted with another key. Give every machine the same approvals.key (TUITBOT_APPROVALS__KEY) or approvals.key_file, or sign in again with `tuitbot auth login`.",
};

function unusable(error: StorageError): OAuthError {
  const { message } = storageFailure(error).failure;
  return { kind: "token_storage", message: `The sign-in is kept in the database. ${message}` };
}
