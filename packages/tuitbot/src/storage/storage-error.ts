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
 * - `unreachable`: no connection
 * - `failed`: anything else, such as a full disk or a damaged file
 */
export type StorageTrouble = "busy" | "unreachable" | "failed";
