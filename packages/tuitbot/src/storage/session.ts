import type { Failure, Outcome } from "@toolpact/contract";
import type { Store } from "./store.ts";

/** Where calls keep what outlives them, and for whom. */
export interface Session {
  readonly store: Store;
  /** Id of the signed-in X account. */
  readonly account: string;
}

/** Opens the database and asks X who is signed in, on the first call that needs them; then it is there at once. */
export type OpenSession = (signal: AbortSignal) => Promise<Outcome<Session, Failure>>;
