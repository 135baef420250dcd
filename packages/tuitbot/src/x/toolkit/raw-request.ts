import { failed, type Outcome, ok } from "@toolpact/contract";
import {
  type Clock,
  type Method,
  mapError,
  networkError,
  operations,
  type ProviderError,
  type TokenKind,
  type TokenSource,
} from "@toolpact/x-api";
import type { XHost } from "./request-guard.ts";
import { operationAt } from "./route.ts";

/** A request in X's own terms, for what no typed tool covers. */
export interface RawRequest {
  readonly method: Method;
  readonly host: XHost;
  /** Begins with a slash and has no query. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  /** JSON text. */
  readonly body?: string;
}

export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** What X answered to a raw request that it carried out. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a raw request once, as the signed-in account, or as the app where X takes nothing else. */
export type SendToX = (
  request: RawRequest,
  signal?: AbortSignal,
) => Promise<Outcome<RawAnswer, ProviderError>>;

export interface RawSenderOptions {
  readonly tokens: TokenSource;
  /** Signs each request, where no token is to be shown. */
  readonly sign?: (method: Method, address: string) => string;
  /** Where X is; every one of X's hosts is there when it is not X itself. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

export function rawSender(options: RawSenderOptions): SendToX {
  const { tokens, fetch, clock, timeoutMs, userAgent } = options;
  const base = options.baseUrl.replace(/\/+$/, "");
  const { sign } = options;
  if (sign !== undefined)
    return (request, signal) => send(request, sign(request.method, urlOf(request, base)), [], signal);

  return async (request, signal) => {
    const kinds = tokenKinds(request);
    const granted = await firstToken(kinds, signal);
    if (!granted.ok) return granted;
    const { token, kind } = granted.value;
    const scopes = kind === "user" ? scopesOf(request) : [];
    const first = await send(request, `Bearer ${token}`, scopes, signal);
    if (first.ok || first.failure.kind !== "auth_expired") return first;
    // X does not carry out what it answers with 401, so even a write may be sent again with another token.
    const renewed = await tokens.rejected(token, kind, signal);
    if (!renewed.ok) return renewed.failure === "none" ? first : failed(renewed.failure);
    return renewed.value === token ? first : send(request, `Bearer ${renewed.value}`, scopes, signal);
  };

  async function firstToken(
    kinds: readonly TokenKind[],
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Grant, ProviderError>> {
    for (const kind of kinds) {
      const token = kind === "user" ? await tokens.userToken(signal) : await tokens.appToken(signal);
      if (token.ok) return ok({ token: token.value, kind });
      if (token.failure !== "none") return failed(token.failure);
    }
    const wanted = kinds.includes("user") ? "a signed-in account" : "an app-only bearer token";
    return failed({ kind: "auth_expired", message: `This request needs ${wanted}, and none is set up.` });
  }

  async function send(
    request: RawRequest,
    authorization: string,
    scopes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Outcome<RawAnswer, ProviderError>> {
    if (signal?.aborted) return failed(networkError("aborted", false));
    const timer = new AbortController();
    const stopTimer = clock.after(timeoutMs, () => timer.abort());
    try {
      const response = await fetch(urlOf(request, base), {
        method: request.method,
        headers: {
          ...Object.fromEntries(request.headers.map(({ key, value }) => [key.toLowerCase(), value])),
          accept: "application/json",
          "user-agent": userAgent,
          authorization,
          ...(request.body !== undefined && { "content-type": "application/json" }),
        },
        body: request.body ?? null,
        signal: signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]),
        // Following a redirect could repeat a write or hand the token to another host.
        redirect: "manual",
      });
      const text = await response.text();
      if (response.ok) return ok({ status: response.status, headers: response.headers, text });
      return failed(
        mapError(response.status, response.headers, jsonOf(text) ?? text, {
          now: clock.now(),
          ...(scopes.length > 0 && { scopes }),
        }),
      );
    } catch (error) {
      if (signal?.aborted) return failed(networkError("aborted", true));
      if (timer.signal.aborted) return failed(networkError("timeout", true));
      return failed(networkError(error));
    } finally {
      stopTimer();
    }
  }
}

/** JSON of X's answer, or undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Grant {
  readonly token: string;
  readonly kind: TokenKind;
}

const X_ITSELF = "https://api.x.com";

function urlOf({ host, path, query }: RawRequest, base: string): string {
  const search = new URLSearchParams(query.map(({ key, value }) => [key, value])).toString();
  const origin = base === X_ITSELF ? `https://${host}` : base;
  return `${origin}${path}${search === "" ? "" : `?${search}`}`;
}

/** A path that X's table does not have is asked for as the person first. */
function tokenKinds({ method, path }: RawRequest): readonly TokenKind[] {
  const found = operationAt(method, path);
  if (found === undefined) return ["user", "app"];
  const schemes = operations[found.operation].auth.map(({ scheme }) => scheme);
  if (schemes.length === 0) return ["user", "app"];
  return [
    ...(schemes.includes("oauth2") ? (["user"] as const) : []),
    ...(schemes.includes("bearer") ? (["app"] as const) : []),
  ];
}

function scopesOf({ method, path }: RawRequest): readonly string[] {
  const found = operationAt(method, path);
  const auth = found && operations[found.operation].auth.find(({ scheme }) => scheme === "oauth2");
  return auth?.scheme === "oauth2" ? auth.scopes : [];
}
