import type { Caller } from "@toolpact/contract";
import type { Bill, BudgetLedger } from "@toolpact/contract/internal/guards";
import { clientName } from "../../agents/agent.ts";
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

/** A caller by its token, by the name that it gave itself, or by where it is. */
export function callerName(caller: Caller, isOwnCall?: boolean): string {
  const { client, transport } = caller;
  if (transport === "web") return `page: ${client ?? "somebody"}`;
  return clientName(caller, isOwnCall) ?? (transport === "cli" ? "command line" : transport);
}

/** What tuitbot asks by itself, such as what became of a request, or who is signed in. */
export const BY_ITSELF = "tuitbot";
