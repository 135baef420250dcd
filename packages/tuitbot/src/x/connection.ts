import type { Outcome } from "@toolpact/contract";
import type { ForbiddenReason, ProviderError } from "@toolpact/x-api";
import type { Me } from "./x.ts";
import { FORBIDDEN_FIXES } from "./x-errors.ts";

/** With the fix if not. */
export type Connection =
  | {
      readonly status: "ok";
      readonly me: Me;
      readonly scopes?: readonly string[];
      /** If X reported its time. */
      readonly aheadMs?: number | undefined;
    }
  | {
      readonly status:
        | "not_configured"
        | "expired"
        | "restricted"
        | "limited"
        | "refused"
        | "unreachable"
        /** Not asked, because of budget or database. */
        | "unknown";
      readonly message: string;
      readonly fix: string;
    };

/** From X's answer about the signed-in account. */
export function connectionFrom(
  me: Outcome<Me, ProviderError>,
  scopes: readonly string[] | undefined,
  aheadMs?: number,
): Connection {
  return me.ok
    ? { status: "ok", me: me.value, aheadMs, ...(scopes !== undefined && { scopes }) }
    : troubleOf(me.failure);
}

/** Undefined if it is close enough. */
export function clockTrouble(
  aheadMs: number,
): { readonly message: string; readonly fix: string } | undefined {
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const off = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return {
    message: `This machine's clock is ${off} ${aheadMs > 0 ? "ahead of" : "behind"} X's.`,
    fix: "Set the clock of this machine from the network.",
  };
}

/** Beyond this, token expiry and schedules go wrong. */
const MAX_SKEW_MS = 30_000;

/** With the fix. */
export function troubleOf(error: ProviderError): Exclude<Connection, { readonly status: "ok" }> {
  const { message } = error;
  switch (error.kind) {
    case "not_configured":
      return { status: "not_configured", message, fix: "Run `tuitbot auth login`." };
    case "auth_expired":
      return { status: "expired", message, fix: "Run `tuitbot auth login`." };
    case "account_restricted":
      return { status: "restricted", message, fix: "The owner of the account settles this at x.com." };
    case "rate_limited":
      return {
        status: "limited",
        message,
        fix: `Wait until ${new Date(error.resetAt).toISOString()}.`,
      };
    case "network":
    case "server_error":
      return { status: "unreachable", message, fix: "Check the network and X's status, then try again." };
    case "not_sent":
      return { status: "unknown", message, fix: "Run `tuitbot doctor`." };
    case "forbidden":
      return { status: "refused", message, fix: forbiddenFix(error.reason) };
    default:
      return { status: "refused", message, fix: "Run `tuitbot doctor`." };
  }
}

/** For any request; `tuitbot doctor` finds the others. */
function forbiddenFix(reason: ForbiddenReason): string {
  switch (reason) {
    case "credits_depleted":
    case "not_enrolled":
    case "missing_scope":
    case "usage_capped":
      return FORBIDDEN_FIXES[reason].suggestedFix;
    default:
      return "Run `tuitbot doctor`.";
  }
}
