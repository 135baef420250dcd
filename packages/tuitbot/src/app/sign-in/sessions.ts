import { createHash, createHmac, randomBytes } from "node:crypto";
import { canonicalJson, DAY_MS, MINUTE_MS } from "@toolpact/contract/internal";
import { sameDigest } from "@toolpact/contract/internal/guards";
import type { Kysely } from "kysely";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import type { WebSessionRow } from "../../storage/tables/access-tables.ts";
import type { Role } from "./roles.ts";

export interface Visitor {
  readonly person: string;
  readonly role: Role;
}

/** Printed links are for the machine's owner, sent ones for `notify.people`. */
export type SignInMethod = "printed_link" | "sent_link" | "passphrase";

export interface NewVisitor extends Visitor {
  readonly method: SignInMethod;
}

/** Undefined if they may no longer sign in. */
export type RoleOf = (person: string, method: string, place: SessionPlace) => Promise<Role | undefined>;

export interface WebSession extends Visitor {
  readonly method: string;
  readonly expiresAt: number;
  /** Sent with changes, because other pages cannot read it. */
  readonly csrfToken: string;
}

/** Works once, while its owner is still at the machine. */
const LINK_MS = 15 * MINUTE_MS;
const SESSION_MS = 7 * DAY_MS;

/** Only hashes are kept, so memory reveals no usable link. */
export class SignInLinks {
  readonly #waiting = new Map<string, Visitor & { readonly expiresAt: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  create(visitor: Visitor): string {
    const secret = newSecret();
    this.#waiting.set(hashOf(secret), { ...visitor, expiresAt: this.#now() + LINK_MS });
    return secret;
  }

  /** A link works once. */
  use(secret: string): Visitor | undefined {
    const id = hashOf(secret);
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (found === undefined || found.expiresAt <= this.#now()) return undefined;
    return { person: found.person, role: found.role };
  }
}

export interface SessionPlace {
  readonly db: Kysely<Database>;
  readonly account: string;
  readonly now: number;
}

/** Seals sessions. It is not in the database. */
export interface SealedPlace extends SessionPlace {
  readonly key: Uint8Array;
}

/** The secret is the browser's cookie. */
export async function openSession(
  { db, account, now, key }: SealedPlace,
  { person, role, method }: NewVisitor,
): Promise<{ readonly secret: string; readonly session: WebSession }> {
  const secret = newSecret();
  const expiresAt = now + SESSION_MS;
  await overAllAccounts(db, "session").deleteFrom("web_sessions").where("expires_at", "<=", now).execute();
  const row = {
    ...{ id: hashOf(secret), account, person, role, signed_in_by: method },
    ...{ created_at: now, expires_at: expiresAt },
  };
  await db
    .insertInto("web_sessions")
    .values({ ...row, seal: sealOf(key, row) })
    .execute();
  return { secret, session: { person, role, method, expiresAt, csrfToken: csrfTokenOf(secret) } };
}

/** With the person's current role. */
export async function findSession(
  place: SealedPlace,
  secret: string,
  roleOf: RoleOf,
): Promise<WebSession | undefined> {
  const row = await place.db
    .selectFrom("web_sessions")
    .selectAll()
    .where("id", "=", hashOf(secret))
    .where("account", "=", place.account)
    .where("expires_at", ">", place.now)
    .executeTakeFirst();
  if (row === undefined || !sameDigest(row.seal, sealOf(place.key, row))) return undefined;
  const role = await roleOf(row.person, row.signed_in_by, place);
  if (role === undefined) return undefined;
  return {
    person: row.person,
    role,
    method: row.signed_in_by,
    expiresAt: row.expires_at,
    csrfToken: csrfTokenOf(secret),
  };
}

export interface ListedSession {
  /** A hash of its cookie. */
  readonly id: string;
  readonly person: string;
  readonly role: Role;
  readonly signed_in_by: string;
  readonly since: string;
  readonly expires_at: string;
  /** The requesting browser. */
  readonly is_this: boolean;
}

/** One user's or all, newest first. */
export async function listSessions(
  place: SealedPlace,
  roleOf: RoleOf,
  { person, secret }: { readonly person: string | undefined; readonly secret: string },
): Promise<readonly ListedSession[]> {
  const rows = await place.db
    .selectFrom("web_sessions")
    .selectAll()
    .where("account", "=", place.account)
    .where("expires_at", ">", place.now)
    .$if(person !== undefined, (query) => query.where("person", "=", person ?? ""))
    .orderBy("created_at", "desc")
    .execute();
  const found = await Promise.all(
    rows.map(async (row): Promise<readonly ListedSession[]> => {
      const isOurs = sameDigest(row.seal, sealOf(place.key, row));
      const role = isOurs ? await roleOf(row.person, row.signed_in_by, place) : undefined;
      if (role === undefined) return [];
      return [
        {
          ...{ id: row.id, person: row.person, role, signed_in_by: row.signed_in_by },
          since: new Date(row.created_at).toISOString(),
          expires_at: new Date(row.expires_at).toISOString(),
          is_this: row.id === hashOf(secret),
        },
      ];
    }),
  );
  return found.flat();
}

/** Only `person`'s, if given. False if there is none. */
export async function endListedSession(
  { db, account }: Omit<SessionPlace, "now">,
  id: string,
  person: string | undefined,
): Promise<boolean> {
  const ended = await db
    .deleteFrom("web_sessions")
    .where("account", "=", account)
    .where("id", "=", id)
    .$if(person !== undefined, (query) => query.where("person", "=", person ?? ""))
    .returning("id")
    .execute();
  return ended.length > 0;
}

export async function endSession({ db }: Pick<SessionPlace, "db">, secret: string): Promise<void> {
  await overAllAccounts(db, "session").deleteFrom("web_sessions").where("id", "=", hashOf(secret)).execute();
}

/** Write access to the database cannot create or change a session. */
function sealOf(key: Uint8Array, row: Omit<WebSessionRow, "seal">): string {
  const { id, account, person, role, signed_in_by, created_at, expires_at } = row;
  return createHmac("sha256", key)
    .update(canonicalJson(["web session", id, account, person, role, signed_in_by, created_at, expires_at]))
    .digest("hex");
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function csrfTokenOf(secret: string): string {
  return createHash("sha256").update(`csrf:${secret}`).digest("base64url");
}
