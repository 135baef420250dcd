import type { TokenKind } from "./tokens.ts";

/** A closed list. */
export type ProviderError = ErrorContext &
  (
    | {
        readonly kind: "rate_limited";
        /** Requests in a window, or open streams. */
        readonly limit: "window" | "connections";
        readonly retryAfterMs: number;
        /** Epoch milliseconds. */
        readonly resetAt: number;
      }
    | { readonly kind: "auth_expired" }
    | {
        /** Signing in does not help an app token. */
        readonly kind: "not_configured";
        /** Any of these is enough. */
        readonly tokens: readonly TokenKind[];
        /** Something is stored, but unusable. */
        readonly isDamaged?: true;
      }
    | {
        /** The journal or budget stopped the request before X saw it. */
        readonly kind: "not_sent";
        /** `no_journal`, or the caller's own reason. */
        readonly reason: string;
        readonly details?: Readonly<Record<string, unknown>>;
      }
    | {
        readonly kind: "forbidden";
        readonly reason: ForbiddenReason;
        readonly scopes?: readonly string[];
      }
    | { readonly kind: "account_restricted"; readonly restriction: "suspended" | "locked" }
    | {
        readonly kind: "network";
        /** X may have executed the request although no answer came. */
        readonly ambiguous: boolean;
        readonly cause: NetworkCause;
      }
    | {
        readonly kind: "server_error";
        readonly status: number;
        /** X failed while refreshing the token, before the request was sent. */
        readonly unsent?: true;
      }
    | { readonly kind: "not_found" }
    | {
        readonly kind: "invalid_request";
        /** As X spells them. */
        readonly parameters?: readonly string[];
      }
    | { readonly kind: "other"; readonly status?: number }
  );

export type ProviderErrorKind = ProviderError["kind"];

interface ErrorContext {
  /** Without X's text or secrets. */
  readonly message: string;
  /** X's shortened message: untrusted text. */
  readonly said?: string;
  /** For X's support. */
  readonly requestId?: string;
  /** The last segment of X's problem `type`, such as `usage-capped`. */
  readonly problem?: string;
  readonly retries?: number;
}

export const forbiddenReasons = [
  "duplicate_content",
  "reply_not_allowed",
  "reply_limited_by_author",
  "reply_target_missing",
  "missing_scope",
  "not_enrolled",
  "unavailable_on_plan",
  "unsupported_authentication",
  "credits_depleted",
  "usage_capped",
  "resource_not_authorized",
  "field_not_authorized",
  "disallowed_resource",
  "unspecified",
] as const;

export type ForbiddenReason = (typeof forbiddenReasons)[number];

/**
 * - `unreachable`: no connection was made, so nothing was sent
 * - `interrupted`: the connection broke before the answer was complete
 * - `timeout`: the answer was not complete in time
 * - `aborted`: the caller aborted
 * - `unreadable`: X answered with success and a body that is not JSON or lacks required members
 */
export type NetworkCause = "unreachable" | "interrupted" | "timeout" | "aborted" | "unreadable";

/** The same request can succeed later without changes. */
export function isRetryable(error: ProviderError): boolean {
  return error.kind === "rate_limited" || isTransient(error);
}

/** False for rate limits. */
export function isTransient(error: ProviderError): boolean {
  return error.kind === "network" || error.kind === "server_error";
}

/** Read back before sending such a write again. */
export function mayHaveTakenEffect(error: ProviderError): boolean {
  if (error.kind === "server_error") return error.unsent !== true;
  return error.kind === "network" && error.ambiguous;
}

/** X cannot have executed the request. */
export function beforeSending(error: ProviderError): ProviderError {
  if (error.kind === "server_error") return { ...error, unsent: true };
  return error.kind === "network" ? { ...error, ambiguous: false } : error;
}

/** From a known cause, or the error of `fetch`. */
export function networkError(cause: NetworkCause, isAmbiguous: boolean): NetworkError;
export function networkError(thrown: unknown): NetworkError;
export function networkError(what: unknown, isAmbiguous?: boolean): NetworkError {
  if (isAmbiguous !== undefined && isCause(what))
    return { kind: "network", cause: what, ambiguous: isAmbiguous, message: messages[what] };
  const cause = neverConnected.has(codeOf(what) ?? "") ? "unreachable" : "interrupted";
  return { kind: "network", cause, ambiguous: cause !== "unreachable", message: messages[cause] };
}

type NetworkError = Extract<ProviderError, { kind: "network" }>;

const messages: Readonly<Record<NetworkCause, string>> = {
  unreachable: "X could not be reached; nothing was sent.",
  interrupted: "The connection to X broke before the answer was complete.",
  timeout: "X did not answer in time.",
  aborted: "The request was cancelled.",
  unreadable: "X reported success, but its answer cannot be read.",
};

function isCause(value: unknown): value is NetworkCause {
  return typeof value === "string" && Object.hasOwn(messages, value);
}

/** The connection was not established, so X saw nothing. */
const neverConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** `fetch` wraps it in `cause`, sometimes twice. */
function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (typeof thrown !== "object" || thrown === null || depth > 3) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  return "cause" in thrown ? codeOf(thrown.cause, depth + 1) : undefined;
}

/** Such as `ENOENT`. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}
