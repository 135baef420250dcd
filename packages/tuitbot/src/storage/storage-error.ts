/**
 * Why a query failed. The drivers throw nothing else, so that one place can tell a database in trouble from a defect.
 */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageTrouble;

  constructor(kind: StorageTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * - `busy`: a lock was held for too long, or two transactions conflicted; trying again helps
 * - `unreachable`: no connection, or it was lost
 * - `full`: no space is left on the disk
 * - `denied`: the operating system or the database does not allow it
 * - `damaged`: the file is no database, or its content contradicts itself
 * - `replaced`: the file was deleted or replaced while it was open, so that what is written now would be lost
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

/** An error of the file system. */
export function fileError(error: NodeJS.ErrnoException, message: string): StorageError {
  return new StorageError(FILE_TROUBLES.get(error.code) ?? "failed", message, { cause: error });
}

const FILE_TROUBLES: ReadonlyMap<string | undefined, StorageTrouble> = new Map([
  ["EACCES", "denied"],
  ["EPERM", "denied"],
  ["EROFS", "denied"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
]);
