import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { PoolFigures } from "./postgres-dialect.ts";

export type Engine = "sqlite" | "postgres";

/** Processes may share it. */
export interface Store {
  readonly engine: Engine;
  readonly db: Kysely<Database>;
  /** Retried after conflicts, so `work` must have no other effects. */
  readonly transaction: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** Survives a power cut. */
  readonly durableTransaction: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** The open file is still the current one. */
  readonly check: () => Promise<void>;
  readonly pool?: () => PoolFigures;
  readonly close: () => Promise<void>;
}

export interface Session {
  readonly store: Store;
  /** X's id. */
  readonly account: string;
  /** As X reported last. */
  readonly names?: AccountNames;
}

export interface AccountNames {
  readonly username: string;
  readonly name: string;
}
