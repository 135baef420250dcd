import type { Failed, Failure } from "@toolpact/contract";
import { type ErrorCode, errors } from "../errors.ts";

/**
 * The reason a query failed. Drivers throw nothing else, so a database problem can be distinguished from a bug in one place.
 */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageTrouble;
  /** A transaction that ended with it is not tried again at once. */
  readonly isFinal: boolean;

  constructor(
    kind: StorageTrouble,
    message: string,
    options?: ErrorOptions & { readonly isFinal?: boolean },
  ) {
    super(message, options);
    this.kind = kind;
    this.isFinal = options?.isFinal === true;
  }
}

/**
 * - `busy`: a lock was held for too long, or two transactions conflicted; trying again helps
 * - `unreachable`: no connection, or it was lost
 * - `full`: no space is left on the disk
 * - `denied`: the operating system or the database does not allow it
 * - `damaged`: the file is no database, or its content contradicts itself
 * - `replaced`: the file was deleted or replaced while it was open, and new writes would be lost
 * - `failed`: anything else
 */
export type StorageTrouble = (typeof storageTroubles)[number];

export const storageTroubles = [
  "busy",
  "unreachable",
  "full",
  "denied",
  "damaged",
  "replaced",
  "failed",
] as const;

/** Whether a database refused one statement or cannot be used at all; undefined for an error of something else. */
export function troubleOf(error: unknown): "refused" | "unusable" | undefined {
  if (!(error instanceof StorageError)) return undefined;
  return error.kind === "failed" ? "refused" : "unusable";
}

/** An error of the file system. */
export function fileError(error: NodeJS.ErrnoException, message: string): StorageError {
  return new StorageError(FILE_TROUBLES.get(error.code) ?? "failed", message, { cause: error });
}

const FILE_TROUBLES: ReadonlyMap<string | undefined, StorageTrouble> = new Map([
  ["EACCES", "denied"],
  ["EPERM", "denied"],
  ["EROFS", "denied"],
  // The path cannot be one of a file.
  ["ENOENT", "denied"],
  ["ENOTDIR", "denied"],
  ["EISDIR", "denied"],
  ["ELOOP", "denied"],
  ["ENAMETOOLONG", "denied"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
]);

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

/** Reports why the database could not be used, with the caller's message for the operator if given. */
export function storageFailure(
  { kind }: Pick<StorageError, "kind">,
  ownMessage?: string,
): Failed<Failure<"db_error">> {
  const { message, fix } = TROUBLES[kind];
  return errors.fail("db_error", ownMessage ?? message, {
    ...(kind !== "failed" && { reason: kind }),
    // Nothing is sent without a receipt, and nothing is done twice with one.
    suggestedFix: fix ?? "Run `tuitbot doctor`.",
    fixBy: fix === AGAIN ? "agent" : "operator",
  });
}

interface Trouble {
  readonly message: string;
  readonly fix?: string;
}

const AGAIN = "Call again in a moment; nothing is done twice.";

const TROUBLES: Readonly<Record<StorageTrouble, Trouble>> = {
  busy: { message: "The database is busy.", fix: AGAIN },
  unreachable: { message: "The database cannot be reached.", fix: AGAIN },
  full: {
    message: "The disk of the database is full.",
    fix: "Make space on the disk of the database.",
  },
  denied: { message: "The database does not allow this." },
  damaged: {
    message: "The database is damaged.",
    fix: "Run `tuitbot doctor`, then restore a backup with `tuitbot restore`.",
  },
  replaced: {
    message:
      "The database file was deleted or replaced while this server had it open. Nothing more is sent to X.",
    fix: "Put the file back if it was moved by mistake, then restart tuitbot.",
  },
  failed: { message: "The database could not be used." },
};
