import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Clock, systemClock, type XTime } from "./clock.ts";
import { beforeSending, networkError, type ProviderError } from "./errors.ts";
import { notSent, type RequestJournal, type WriteRequest, writeResult } from "./journal.ts";
import type { Method } from "./operations/index.ts";
import type { Multipart } from "./request-plan.ts";
import type { TokenKind, TokenSource } from "./tokens.ts";

export interface TransportOptions {
  readonly tokens: TokenSource;
  /** Default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** To the last byte of the response; default 30 seconds. */
  readonly timeoutMs?: number;
  /** Shorter, to leave time for retries. */
  readonly readTimeoutMs?: number;
  /** For files and their parts; default 5 minutes. */
  readonly uploadTimeoutMs?: number;
  readonly userAgent?: string;
  readonly xTime?: XTime;
  /** Fails with `not_sent` if a write has no journal. */
  readonly requireJournal?: boolean;
}

export interface SendArgs {
  readonly signal?: AbortSignal;
  readonly journal?: RequestJournal;
}

export interface Outgoing {
  readonly method: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Multipart | undefined;
  /** Instead of text. */
  readonly isBytes?: boolean;
  /** Set if the request can change something. */
  readonly write?: WriteRequest | undefined;
  /** Kinds of token by preference, or an `authorization` header. */
  readonly authorization: readonly TokenKind[] | { readonly header: string };
}

export interface Received {
  readonly response: WireResponse;
  readonly content: string | Uint8Array;
  readonly token: TokenKind | undefined;
  readonly now: number;
}

/** Sends each request once, or twice if X rejects the first token. */
export interface Transport {
  send<T>(
    outgoing: Outgoing,
    args: SendArgs,
    read: (received: Received) => Outcome<T, ProviderError>,
  ): Promise<Outcome<T, ProviderError>>;
}

export function createTransport(options: TransportOptions): Transport {
  const { tokens, xTime, requireJournal = false } = options;
  const fetch = options.fetch ?? globalThis.fetch;
  const clock = options.clock ?? systemClock;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const readTimeoutMs = Math.min(options.readTimeoutMs ?? timeoutMs, timeoutMs);
  const uploadTimeoutMs = options.uploadTimeoutMs ?? 300_000;
  const commonHeaders = {
    accept: "application/json",
    "user-agent": options.userAgent ?? "toolpact-x-api",
  };

  return {
    async send(outgoing, args, read) {
      if (requireJournal && outgoing.write !== undefined && args.journal === undefined)
        return failed(notSent("no_journal", "No journal was given to record this request."));
      const credential = await credentialFor(outgoing, args.signal);
      if (!credential.ok) return credential;
      const first = await attempt(outgoing, credential.value, args, read);
      const { token, kind } = credential.value;
      if (first.ok || first.failure.kind !== "auth_expired" || kind === undefined) return first;

      // X does not execute a request it answers with 401, so even a write may be retried.
      const renewed = await tokens.rejected(token, kind, args.signal);
      if (!renewed.ok) return renewed.failure === "none" ? first : failed(beforeSending(renewed.failure));
      if (renewed.value === token) return first;
      return attempt(outgoing, bearer(renewed.value, kind), args, read);
    },
  };

  async function credentialFor(
    { authorization }: Outgoing,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Credential, ProviderError>> {
    if ("header" in authorization) return ok({ header: authorization.header, token: "", kind: undefined });
    if (authorization.length === 0) return ok(NO_CREDENTIAL);
    for (const kind of authorization) {
      const token = kind === "user" ? await tokens.userToken(signal) : await tokens.appToken(signal);
      if (token.ok) return ok(bearer(token.value, kind));
      if (token.failure !== "none") return failed(beforeSending(token.failure));
    }
    return failed(notConfigured(authorization));
  }

  /** Records it in the journal before and after. */
  async function attempt<T>(
    outgoing: Outgoing,
    credential: Credential,
    { signal, journal }: SendArgs,
    read: (received: Received) => Outcome<T, ProviderError>,
  ): Promise<Outcome<T, ProviderError>> {
    const headers = headersFor(outgoing, credential);
    if (headers === undefined) return failed(unusableToken);
    const receivedFrom = ({ response, content }: WireAnswer) =>
      read({ response, content, token: credential.kind, now: clock.now() });
    if (outgoing.write === undefined || journal === undefined) {
      const answer = await sendInTime(outgoing, headers, signal);
      return answer.ok ? receivedFrom(answer.value) : answer;
    }

    if (signal?.aborted) return failed(networkError("aborted", false));
    const permit = await journal.beforeSend(outgoing.write);
    if (!permit.ok) return permit;
    if (permit.value.recorded !== undefined) {
      const { status, text } = permit.value.recorded;
      return receivedFrom({ response: recordedResponse(status), content: text });
    }
    const answer = await sendInTime(outgoing, headers, signal);
    const outcome = answer.ok ? receivedFrom(answer.value) : answer;
    await permit.value.afterAnswer?.(writeResult(answer.ok ? textOf(answer.value) : undefined, outcome));
    return outcome;
  }

  /** Resolves at the limit even if the request never ends. */
  function sendInTime(
    { method, url, body, isBytes = false, write }: Outgoing,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<WireAnswer, ProviderError>> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(failed(networkError("aborted", false)));
      const sending = new AbortController();
      const release = () => {
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
      };
      const giveUp = (cause: "timeout" | "aborted") => {
        release();
        resolve(failed(networkError(cause, true)));
        sending.abort();
      };
      const onAbort = () => giveUp("aborted");
      const hasFile = typeof body === "object";
      const limitMs = write === undefined ? readTimeoutMs : timeoutMs;
      const cancelTimer = clock.after(hasFile ? uploadTimeoutMs : limitMs, () => giveUp("timeout"));
      signal?.addEventListener("abort", onAbort);
      const sentAt = xTime?.monotonic() ?? 0;
      exchange(fetch, { method, url, headers, body, isBytes }, sending.signal, (head) =>
        xTime?.observe(head, sentAt),
      ).then(
        (answer) => {
          release();
          resolve(ok(answer));
        },
        (error) => {
          release();
          resolve(failed(networkError(error)));
        },
      );
    });
  }

  /** Undefined if the token is not allowed in headers. */
  function headersFor(
    { headers = {}, body }: Outgoing,
    { header }: Credential,
  ): Readonly<Record<string, string>> | undefined {
    if (header !== undefined && NO_HEADER_HAS.test(header)) return undefined;
    return {
      ...headers,
      ...commonHeaders,
      ...(header !== undefined && { authorization: header }),
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...(typeof body === "object" && {
        "content-type": body.contentType,
        "content-length": String(body.length),
      }),
    };
  }
}

const NO_HEADER_HAS = /[^\t\x20-\x7e\x80-\xff]/;

/** The journal keeps no headers. */
function recordedResponse(status: number): WireResponse {
  return { status, ok: status >= 200 && status < 300, headers: new Headers() };
}

/** Only a token from the source has a kind and can be renewed. */
interface Credential {
  readonly header: string | undefined;
  readonly token: string;
  readonly kind: TokenKind | undefined;
}

const NO_CREDENTIAL: Credential = { header: undefined, token: "", kind: undefined };

function bearer(token: string, kind: TokenKind): Credential {
  return { header: `Bearer ${token}`, token, kind };
}

const unusableToken: ProviderError = {
  kind: "auth_expired",
  message: "The access token has characters in it that no token of X has; sign in again.",
};

function notConfigured(tokens: readonly TokenKind[]): ProviderError {
  const needed = tokens.map((kind) => (kind === "user" ? "a signed-in user" : "an app-only bearer token"));
  return {
    kind: "not_configured",
    tokens,
    message: `This request needs ${needed.join(" or ")}, and none is configured.`,
  };
}

function textOf({ response, content }: WireAnswer) {
  return { status: response.status, text: typeof content === "string" ? content : "" };
}

export interface WireRequest {
  readonly method: Method;
  readonly url: string;
  /** Lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Multipart | undefined;
  readonly isBytes: boolean;
}

export type WireResponse = Pick<Response, "status" | "ok" | "headers">;

export interface WireAnswer {
  readonly response: WireResponse;
  readonly content: string | Uint8Array;
}

/** Calls `onHead` with the response's headers. */
export async function exchange(
  fetch: typeof globalThis.fetch,
  { method, url, headers, body, isBytes }: WireRequest,
  signal: AbortSignal,
  onHead: (headers: Headers) => void,
): Promise<WireAnswer> {
  // A redirect could repeat a write or leak the token.
  const response = await fetch(url, { method, headers, ...bodyInit(body), signal, redirect: "manual" });
  onHead(response.headers);
  return {
    response,
    content: isBytes && response.ok ? new Uint8Array(await response.arrayBuffer()) : await response.text(),
  };
}

function bodyInit(body: WireRequest["body"]): RequestInit {
  if (body === undefined) return {};
  if (typeof body === "string") return { body };
  // Only Node's request type has `duplex`.
  const streamed = { body: body.stream(), duplex: "half" as const };
  return streamed;
}
