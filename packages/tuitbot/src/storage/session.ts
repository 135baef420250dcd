import type { Failure, Outcome } from "@toolpact/contract";
import type { Store } from "./store.ts";

/** The database and the account whose rows a call sees. */
export interface Session {
  readonly store: Store;
  /** Id of the signed-in X account. */
  readonly account: string;
}

/** Opens the database and asks X who is signed in, with the first call that needs them. */
export type OpenSession = (signal: AbortSignal) => Promise<Outcome<Session, Failure>>;
