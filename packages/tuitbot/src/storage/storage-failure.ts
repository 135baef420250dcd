import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";
import { StorageError } from "./storage-error.ts";

/** Turns a database in trouble into an answer; anything else that is thrown is a defect and goes on. */
export async function orStorageFailure<T>(work: () => Promise<T>): Promise<T | Failed<Failure<"db_error">>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return storageFailure(error);
  }
}

export function storageFailure({ kind }: Pick<StorageError, "kind">): Failed<Failure<"db_error">> {
  return errors.fail("db_error", WORDS[kind], {
    // Without a receipt nothing is sent, and with one nothing is done twice.
    suggestedFix:
      kind === "busy" ? "Call again in a moment; nothing is done twice." : "Run `tuitbot doctor`.",
    fixBy: kind === "busy" ? "agent" : "operator",
  });
}

const WORDS: Readonly<Record<StorageError["kind"], string>> = {
  busy: "The database is busy.",
  unreachable: "The database cannot be reached.",
  failed: "The database could not be used.",
};
