import type { NetworkCause, ProviderError } from "./errors.ts";

/** The error for a request without a usable answer, from a known cause or from what `fetch` threw. */
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

/** Codes that Node gives when no connection came about, so X cannot have seen the request. */
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

/** `fetch` wraps the error of the socket in `cause`, sometimes twice. */
function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (typeof thrown !== "object" || thrown === null || depth > 3) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  return "cause" in thrown ? codeOf(thrown.cause, depth + 1) : undefined;
}

/** The code that Node gives an error of the system, such as `ENOENT`. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}
