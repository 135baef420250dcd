import type { Failed, Failure } from "@toolpact/contract";
import { type ErrorCode, errors } from "../errors.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Answers with a failure if the database cannot be used; any other error is a defect and is thrown on. A query that
 * fails although the database can be reached is answered with `code`.
 */
export async function orStorageFailure<T, Code extends ErrorCode = "db_error">(
  work: () => Promise<T>,
  code?: Code,
): Promise<T | Failed<Failure<Code | "db_error">>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (code === undefined || error.kind !== "failed") return storageFailure(error);
    return errors.fail(code, "The stored data could not be read.", {
      suggestedFix: "Run `tuitbot doctor`.",
      fixBy: "operator",
    });
  }
}

export function storageFailure({ kind }: Pick<StorageError, "kind">): Failed<Failure<"db_error">> {
  return errors.fail("db_error", MESSAGES[kind], {
    // Nothing is sent without a receipt, and nothing is done twice with one.
    suggestedFix:
      kind === "busy" ? "Call again in a moment; nothing is done twice." : "Run `tuitbot doctor`.",
    fixBy: kind === "busy" ? "agent" : "operator",
  });
}

const MESSAGES: Readonly<Record<StorageError["kind"], string>> = {
  busy: "The database is busy.",
  unreachable: "The database cannot be reached.",
  failed: "The database could not be used.",
};
