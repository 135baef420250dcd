import type { Failed, Failure } from "@toolpact/contract";
import { type ErrorCode, errors } from "../errors.ts";

/** Drivers throw nothing else, so problems differ from bugs in one place. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageTrouble;
  /** Not retried at once. */
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
 * `busy`: lock or conflict, retry. `full`: disk. `damaged`: no or broken database. `replaced`: the open file
 * was deleted or replaced, so writes would be lost.
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

/** One statement or the whole database; undefined for other errors. */
export function troubleOf(error: unknown): "refused" | "unusable" | undefined {
  if (!(error instanceof StorageError)) return undefined;
  return error.kind === "failed" ? "refused" : "unusable";
}

export function fileError(error: NodeJS.ErrnoException, message: string): StorageError {
  return new StorageError(FILE_TROUBLES.get(error.code) ?? "failed", message, { cause: error });
}

const FILE_TROUBLES: ReadonlyMap<string | undefined, StorageTrouble> = new Map([
  ["EACCES", "denied"],
  ["EPERM", "denied"],
  ["EROFS", "denied"],
  // The path cannot be a file's.
  ["ENOENT", "denied"],
  ["ENOTDIR", "denied"],
  ["EISDIR", "denied"],
  ["ELOOP", "denied"],
  ["ENAMETOOLONG", "denied"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
]);

/** Other errors are bugs, and rethrown. A failed query in a reachable database gets `code`. */
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

/** With the caller's message, if given. */
export function storageFailure(
  { kind }: Pick<StorageError, "kind">,
  ownMessage?: string,
): Failed<Failure<"db_error">> {
  const { message, fix } = TROUBLES[kind];
  return errors.fail("db_error", ownMessage ?? message, {
    ...(kind !== "failed" && { reason: kind }),
    // Receipts prevent unrecorded and repeated sending.
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
