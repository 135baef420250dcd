import { failed, isJsonObject, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { type Clock, systemClock } from "../clock.ts";
import { networkError } from "../errors.ts";
import type { OAuthError } from "./oauth-error.ts";
import { Secret } from "./token-file.ts";

/** X accepts a code once, within 30 seconds. */
export function exchangeCode(
  app: OAuthApp,
  { code, verifier }: { readonly code: Secret; readonly verifier: Secret },
  environment: OAuthEnvironment,
  signal?: AbortSignal,
): Promise<Outcome<Grant, OAuthError>> {
  const form = {
    grant_type: "authorization_code",
    code: code.reveal(),
    redirect_uri: app.redirectUri,
    code_verifier: verifier.reveal(),
  };
  return requestGrant(app, form, environment, signal);
}

/** The old refresh token becomes invalid. */
export function refreshGrant(
  app: OAuthApp,
  refreshToken: Secret,
  environment: OAuthEnvironment,
  signal?: AbortSignal,
): Promise<Outcome<Grant, OAuthError>> {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken.reveal() };
  return requestGrant(app, form, environment, signal);
}

export async function revokeToken(
  app: OAuthApp,
  token: Secret,
  environment: OAuthEnvironment,
  signal?: AbortSignal,
): Promise<Outcome<undefined, OAuthError>> {
  const answer = await post("/2/oauth2/revoke", app, { token: token.reveal() }, environment, signal);
  return answer.ok ? ok(undefined) : answer;
}

async function requestGrant(
  app: OAuthApp,
  form: Readonly<Record<string, string>>,
  environment: OAuthEnvironment,
  signal: AbortSignal | undefined,
): Promise<Outcome<Grant, OAuthError>> {
  const { clock = systemClock } = environment;
  // Read before the request: a slow answer must not extend the token's lifetime.
  const askedAt = clock.now();
  const answer = await post("/2/oauth2/token", app, form, environment, signal);
  if (!answer.ok) return answer;
  const { access_token, refresh_token, expires_in, scope } = answer.value;
  if (typeof access_token !== "string" || typeof expires_in !== "number") return failed(unreadable);
  return ok({
    accessToken: new Secret(access_token),
    ...(typeof refresh_token === "string" && { refreshToken: new Secret(refresh_token) }),
    expiresAt: askedAt + expires_in * 1000,
    scopes: typeof scope === "string" ? scope.split(" ").filter((name) => name !== "") : [],
  });
}

export const TOKEN_TIMEOUT_MS = 15_000;

type JsonObject = Readonly<Record<string, unknown>>;

const unreadable: OAuthError = {
  kind: "network",
  cause: "unreadable",
  ambiguous: true,
  message: "X reported success, but its answer has no tokens in it.",
};

async function post(
  path: string,
  app: OAuthApp,
  form: Readonly<Record<string, string>>,
  {
    baseUrl = "https://api.x.com",
    fetch = globalThis.fetch,
    clock = systemClock,
    timeoutMs = TOKEN_TIMEOUT_MS,
  }: OAuthEnvironment,
  signal: AbortSignal | undefined,
): Promise<Outcome<JsonObject, OAuthError>> {
  if (signal?.aborted) return failed(networkError("aborted", false));
  const abort = new AbortController();
  let gaveUp: "timeout" | "aborted" | undefined;
  const giveUp = (cause: "timeout" | "aborted") => {
    gaveUp = cause;
    abort.abort();
  };
  const onAbort = () => giveUp("aborted");
  signal?.addEventListener("abort", onAbort);
  const cancelTimer = clock.after(timeoutMs, () => giveUp("timeout"));
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, "") + path, {
      method: "POST",
      ...identified(app, form),
      signal: abort.signal,
      redirect: "manual",
    });
    const json = parseJson(await response.text());
    const body = isJsonObject(json) ? json : {};
    if (response.ok) return ok(body);
    return failed(refusal(response, body, clock.now()));
  } catch (error) {
    return failed(gaveUp === undefined ? networkError(error) : networkError(gaveUp, true));
  } finally {
    cancelTimer();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Confidential clients use HTTP Basic only, public ones send their id in the form. */
function identified(app: OAuthApp, form: Readonly<Record<string, string>>): RequestInit {
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  if (app.clientSecret === undefined)
    return { headers, body: new URLSearchParams({ ...form, client_id: app.clientId }).toString() };
  const credentials = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret.reveal())}`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return { headers: { ...headers, authorization }, body: new URLSearchParams(form).toString() };
}

function refusal(response: Response, body: JsonObject, now: number): OAuthError {
  const { status } = response;
  if (status === 429) {
    const reset = Number(response.headers.get("x-rate-limit-reset")) * 1000;
    const resetAt = reset > now ? reset : now + 60_000;
    const message = "X has received too many sign-in requests from this app. Try again later.";
    return { kind: "rate_limited", retryAfterMs: resetAt - now, resetAt, message };
  }
  if (status >= 500)
    return { kind: "server_error", status, message: `X answered the sign-in with status ${status}.` };
  // The standard has `invalid_grant` for an unknown token or code.
  if (status === 400 && (body.error === "invalid_request" || body.error === "invalid_grant"))
    return {
      kind: "invalid_grant",
      message: "X does not know this code or refresh token, or has taken it before.",
    };
  return {
    kind: "invalid_client",
    message: `X does not accept this app (status ${status}). Check the client id, the client secret and the kind of app.`,
  };
}

export interface Grant {
  readonly accessToken: Secret;
  /** Single-use: every refresh returns a new one. Missing without `offline.access`. */
  readonly refreshToken?: Secret;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
  /** Stays the same across refreshes. */
  readonly signInId?: string;
}

export interface OAuthApp {
  readonly clientId: string;
  /** Public clients, such as desktop programs, have none. */
  readonly clientSecret?: Secret;
  /** As registered, to the character. */
  readonly redirectUri: string;
}

/** Tests replace the defaults. */
export interface OAuthEnvironment {
  /** Default `https://api.x.com`. */
  readonly baseUrl?: string;
  /** Default `https://x.com/i/oauth2/authorize`. */
  readonly authorizeUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly random?: (count: number) => Uint8Array;
}
