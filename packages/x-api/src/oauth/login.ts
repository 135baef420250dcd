import { failed, type Outcome } from "@toolpact/outcome";
import { type OperationId, operations } from "../operations/index.ts";
import type { OAuthError } from "./oauth-error.ts";
import { exchangeCode, type Grant, type OAuthApp, type OAuthEnvironment } from "./token-endpoint.ts";
import { Secret } from "./token-file.ts";

export interface PendingLogin {
  readonly app: OAuthApp;
  /** For the user's browser. */
  readonly url: string;
  readonly state: string;
  readonly verifier: Secret;
}

/** Starts a sign-in with PKCE. X redirects the user from `url` with a code for `finishLogin`. */
export async function beginLogin(
  app: OAuthApp,
  scopes: readonly string[],
  { authorizeUrl = "https://x.com/i/oauth2/authorize", random = randomBytes }: OAuthEnvironment = {},
): Promise<PendingLogin> {
  const state = base64url(random(24));
  const verifier = base64url(random(48));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const url = new URL(authorizeUrl);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: scopes.join(" "),
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  }).toString();
  return { app, url: url.href, state, verifier: new Secret(verifier) };
}

/** Finishes a sign-in with the callback's URL, whose state must match. */
export async function finishLogin(
  pending: PendingLogin,
  callback: string,
  environment: OAuthEnvironment = {},
  signal?: AbortSignal,
): Promise<Outcome<Grant, OAuthError>> {
  const answer = readCallback(callback);
  if (answer === undefined)
    return invalidCallback("not_a_url", "Paste the whole address from the browser, from http to its end.");
  const state = answer.get("state");
  const isRefused = answer.get("error") !== null;
  // A refusal gives nothing away, so its state is optional.
  if (state !== pending.state && !(isRefused && state === null))
    return invalidCallback("state_mismatch", "This answer belongs to another sign-in. Start again.");
  if (isRefused) return failed({ kind: "denied", message: "The sign-in was not allowed on X." });
  const code = answer.get("code");
  if (!code)
    return invalidCallback("no_code", "The address has no code in it. Copy it once more, or start again.");
  return exchangeCode(
    pending.app,
    { code: new Secret(code), verifier: pending.verifier },
    environment,
    signal,
  );
}

/** Users paste the whole URL with spaces around it, or the part after the question mark. */
function readCallback(pasted: string): URLSearchParams | undefined {
  const text = pasted.trim();
  if (URL.canParse(text)) return new URL(text).searchParams;
  return /^\??\w+=/.test(text) ? new URLSearchParams(text) : undefined;
}

function invalidCallback(
  reason: "state_mismatch" | "no_code" | "not_a_url",
  message: string,
): Outcome<never, OAuthError> {
  return failed({ kind: "invalid_callback", reason, message });
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/**
 * The scopes to request for these operations, plus `offline.access`, which keeps the sign-in past the two
 * hours of its first token.
 *
 * @example
 * scopesFor(["createPosts"]); // ["offline.access", "tweet.read", "tweet.write", "users.read"]
 */
export function scopesFor(operationIds: Iterable<OperationId>): readonly string[] {
  const scopes = new Set(["offline.access"]);
  for (const id of operationIds) {
    for (const auth of operations[id].auth) {
      if (auth.scheme === "oauth2") for (const scope of auth.scopes) scopes.add(scope);
    }
  }
  return [...scopes].sort();
}
