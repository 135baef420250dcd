import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { PoolFigures } from "./postgres-dialect.ts";

export type Engine = "sqlite" | "postgres";

/** The database. Several processes may use the same one. */
export interface Store {
  readonly engine: Engine;
  readonly db: Kysely<Database>;
  /** Runs `work` in a transaction, again if it conflicts with another one; so `work` must have no other effects. */
  readonly transaction: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** The same, and on the disk when it returns: not even a power cut undoes it. */
  readonly durableTransaction: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** Fails if the database that was opened is no longer the one that others would open. */
  readonly check: () => Promise<void>;
  /** Connections to a PostgreSQL. */
  readonly pool?: () => PoolFigures;
  readonly close: () => Promise<void>;
}

/** The database and the account whose rows a call sees. */
export interface Session {
  readonly store: Store;
  /** Id of the signed-in X account. */
  readonly account: string;
  /** The names of the account, as X said last. */
  readonly names?: AccountNames;
}

export interface AccountNames {
  readonly username: string;
  readonly name: string;
}
