import type { CommandFailure } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, type Outcome } from "@toolpact/contract/outcome";
import { StorageError } from "../storage/storage-error.ts";
import { storageFailure } from "../storage/storage-failure.ts";

/** What a database threw, as a command says it. Anything else that is thrown is a defect and goes on. */
export function databaseTrouble(error: unknown): Outcome<never, CommandFailure> {
  if (!(error instanceof StorageError)) throw error;
  return failed(commandFailure(storageFailure(error).failure));
}
