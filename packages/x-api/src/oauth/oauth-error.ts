import { errorCode, type NetworkCause, type ProviderError } from "../errors.ts";

/** A closed list. */
export type OAuthError = { readonly message: string } & (
  | {
      /** Only a new sign-in helps. */
      readonly kind: "auth_expired";
    }
  | {
      /** Unknown to X, or used before. */
      readonly kind: "invalid_grant";
    }
  | {
      readonly kind: "invalid_client";
    }
  | {
      readonly kind: "denied";
    }
  | {
      /** It belongs to another sign-in, or has no code. */
      readonly kind: "invalid_callback";
      readonly reason: "state_mismatch" | "no_code" | "not_a_url";
    }
  | { readonly kind: "callback_unavailable" }
  | { readonly kind: "network"; readonly cause: NetworkCause; readonly ambiguous: boolean }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number; readonly resetAt: number }
  | { readonly kind: "server_error"; readonly status: number }
  | {
      readonly kind: "token_storage";
    }
  | {
      readonly kind: "busy";
    }
);

/** The request that needed the token was not sent. */
export function asProviderError(error: OAuthError): ProviderError {
  const { message } = error;
  switch (error.kind) {
    case "auth_expired":
    case "invalid_grant":
      return { kind: "auth_expired", message };
    case "network":
      return { kind: "network", cause: error.cause, ambiguous: false, message };
    case "rate_limited":
      return {
        kind: "rate_limited",
        limit: "window",
        retryAfterMs: error.retryAfterMs,
        resetAt: error.resetAt,
        message,
      };
    case "server_error":
      return { kind: "server_error", status: error.status, unsent: true, message };
    case "invalid_client":
    case "denied":
    case "invalid_callback":
    case "callback_unavailable":
      return { kind: "other", message };
    case "token_storage":
      return { kind: "not_configured", tokens: ["user"], isDamaged: true, message };
    case "busy":
      return { kind: "network", cause: "timeout", ambiguous: false, message };
    default:
      return error satisfies never;
  }
}

/** Without the path or contents. */
export function fileProblem(what: string, cause?: unknown): OAuthError {
  const code = errorCode(cause);
  const why = code === undefined ? "" : ` (${code})`;
  return { kind: "token_storage", message: `The file with the X tokens ${what}${why}.` };
}
