import type { Bill, BudgetLedger } from "@toolpact/contract/internal/guards";
import { StorageError } from "../../storage/storage-error.ts";

/** The money of one account. */
export interface AccountLedger extends BudgetLedger {
  /** The account, if it owns the app: X charges it less for reading its own data. */
  readonly appOwnerId: string | undefined;
}

/** What one call has asked of X so far, and what that costs. */
export type XBill = Bill<AccountLedger, StorageError>;

export function isOutage(error: unknown): error is StorageError {
  return error instanceof StorageError;
}

/** What tuitbot asks by itself, such as what became of a request, or who is signed in. */
export const BY_ITSELF = "tuitbot";
