import type { Outcome } from "@toolpact/contract";
import type { ProviderError } from "@toolpact/x-api";
import type { Connection } from "./server-state.ts";
import type { Me } from "./x.ts";

/** How it stands with X, from the answer to the question who is signed in. */
export function connectionFrom(
  me: Outcome<Me, ProviderError>,
  scopes: readonly string[] | undefined,
): Connection {
  return me.ok ? { status: "ok", me: me.value, ...(scopes !== undefined && { scopes }) } : broken(me.failure);
}

function broken(error: ProviderError): Connection {
  const { message } = error;
  switch (error.kind) {
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
    case "forbidden":
      return { status: "refused", message, fix: forbiddenFix(error.reason) };
    default:
      return { status: "refused", message, fix: "Run `tuitbot doctor`." };
  }
}

function forbiddenFix(reason: string): string {
  switch (reason) {
    case "credits_depleted":
      return "Buy credits in X's developer console.";
    case "not_enrolled":
      return "Enrol the app in X's developer console.";
    case "missing_scope":
      return "Run `tuitbot auth login` and grant what is asked for.";
    default:
      return "Run `tuitbot doctor`.";
  }
}
