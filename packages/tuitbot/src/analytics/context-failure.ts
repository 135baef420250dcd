import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";
import { StorageError } from "../storage/storage-error.ts";
import { storageFailure } from "../storage/storage-failure.ts";

type ContextCode = "context_error" | "recommendation_error" | "topic_error";

/** A database that is busy or away is named as such; one that cannot answer keeps this answer from being made. */
export async function orContextFailure<T, Code extends ContextCode>(
  code: Code,
  work: () => Promise<T>,
): Promise<T | Failed<Failure<Code | "db_error">>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.kind !== "failed") return storageFailure(error);
    return errors.fail(code, "What is kept here could not be read.", {
      suggestedFix: "Run `tuitbot doctor`.",
      fixBy: "operator",
    });
  }
}
