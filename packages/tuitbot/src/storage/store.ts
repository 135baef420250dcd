import type { Kysely } from "kysely";
import type { Database } from "./database.ts";

export type Engine = "sqlite" | "postgres";

/** Everything that outlives a call. Several processes may have the same one open. */
export interface Store {
  readonly engine: Engine;
  readonly db: Kysely<Database>;
  /** All of the work or none of it. It runs again where others were in the way, so it must do nothing else. */
  readonly transaction: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}
