import { failed, type Outcome, ok } from "@toolpact/outcome";
import { readAnswer, type XAnswer } from "./answer.ts";
import { type Clock, systemClock } from "./clock.ts";
import { beforeSending, type ProviderError } from "./errors.ts";
import { networkError } from "./network-error.ts";
import type { OperationId } from "./operations/index.ts";
import { type RateWindow, RateWindows } from "./rate-windows.ts";
import { type CallInput, type PreparedRequest, planFor, type RequestPlan } from "./request-plan.ts";
import type { TokenKind, TokenSource } from "./tokens.ts";

export interface XClientOptions {
  readonly tokens: TokenSource;
  /** `https://api.x.com` unless named: a proxy, a test server, the sandbox. */
  readonly baseUrl?: string;
  /** Where media uploads go; `baseUrl` unless named. */
  readonly uploadUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** Time for one request, from sending it to the last byte of the answer; 30 seconds unless named. */
  readonly timeoutMs?: number;
  /** The same for a request that carries a file or a part of one; 5 minutes unless named. */
  readonly uploadTimeoutMs?: number;
  readonly userAgent?: string;
}

export interface CallArgs extends CallInput {
  readonly signal?: AbortSignal;
  /** Take this kind of token rather than the first one X accepts. */
  readonly as?: TokenKind;
}

export interface XClient {
  /**
   * Call one operation. `Data` is the caller's word for the shape of `data`; nothing checks it.
   *
   * @example
   * const me = await client.call<{ id: string; username: string }>("getUsersMe");
   * if (me.ok) console.log(me.value.data?.username);
   */
  call<Data = unknown>(
    operation: OperationId,
    args?: CallArgs,
  ): Promise<Outcome<XAnswer<Data>, ProviderError>>;
  /** X's limits as its last answers stated them, of one operation or of all. */
  rateWindows(operation?: OperationId): readonly RateWindow[];
}

/** A client that sends each request once: see `retryReads` for one that repeats reads. */
export function createXClient(options: XClientOptions): XClient {
  const fetch = options.fetch ?? globalThis.fetch;
  const clock = options.clock ?? systemClock;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const uploadTimeoutMs = options.uploadTimeoutMs ?? 300_000;
  const sameHeaders = new Headers({
    accept: "application/json",
    "user-agent": options.userAgent ?? "toolpact-x-api",
  });
  const base = baseOf(options.baseUrl ?? "https://api.x.com");
  const uploadBase = options.uploadUrl === undefined ? base : baseOf(options.uploadUrl);
  const windows = new RateWindows();
  const { tokens } = options;

  return {
    // `Data` is the caller's claim about X's answer, see `XClient.call`.
    call: (id, args = {}) => call(planFor(id), args) as Promise<Outcome<XAnswer<never>, ProviderError>>,
    rateWindows: (id) => windows.running(clock.now(), id),
  };

  async function call(plan: RequestPlan, args: CallArgs): Promise<Outcome<XAnswer, ProviderError>> {
    if (plan.operation.streaming)
      return failed({
        kind: "invalid_request",
        message: `${plan.id} is a stream, which this client does not read.`,
      });
    const request = plan.prepare(args);
    if (!request.ok) return request;

    const grant = await grantFor(plan, args);
    if (!grant.ok) return grant;
    const first = await send(plan, request.value, grant.value, args.signal);
    if (first.ok || first.failure.kind !== "auth_expired" || grant.value === undefined) return first;

    // X does not carry out what it answers with 401, so even a write may be sent again with another token.
    const { token, kind } = grant.value;
    const renewed = await tokens.rejected(token, kind, args.signal);
    if (!renewed.ok) return renewed.failure === "none" ? first : failed(beforeSending(renewed.failure));
    if (renewed.value === token) return first;
    return send(plan, request.value, { token: renewed.value, kind }, args.signal);
  }

  async function grantFor(
    plan: RequestPlan,
    args: CallArgs,
  ): Promise<Outcome<Grant | undefined, ProviderError>> {
    if (plan.tokens.length === 0) return ok(undefined);
    if (args.as !== undefined && !plan.tokens.includes(args.as))
      return failed({ kind: "invalid_request", message: `${plan.id} does not take the ${args.as} token.` });
    for (const kind of args.as === undefined ? plan.tokens : [args.as]) {
      const token =
        kind === "user" ? await tokens.userToken(args.signal) : await tokens.appToken(args.signal);
      if (token.ok) return ok({ token: token.value, kind });
      if (token.failure !== "none") return failed(beforeSending(token.failure));
    }
    return failed({
      kind: "auth_expired",
      message: noToken(args.as === undefined ? plan.tokens : [args.as]),
    });
  }

  /** One request, one answer. Resolves on time even if `fetch` never settles. */
  function send(
    plan: RequestPlan,
    request: PreparedRequest,
    grant: Grant | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<XAnswer, ProviderError>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return resolve(failed(networkError("aborted", false)));
      const abort = new AbortController();
      const release = () => {
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
      };
      const giveUp = (cause: "timeout" | "aborted") => {
        release();
        resolve(failed(networkError(cause, true)));
        abort.abort();
      };
      const onAbort = () => giveUp("aborted");
      const hasFile = typeof request.body === "object";
      const cancelTimer = clock.after(hasFile ? uploadTimeoutMs : timeoutMs, () => giveUp("timeout"));
      signal?.addEventListener("abort", onAbort);
      exchange(plan, request, grant, abort.signal).finally(release).then(resolve, reject);
    });
  }

  async function exchange(
    plan: RequestPlan,
    request: PreparedRequest,
    grant: Grant | undefined,
    signal: AbortSignal,
  ): Promise<Outcome<XAnswer, ProviderError>> {
    const headers = headersFor(request, grant);
    if (headers === undefined) return failed(unusableToken);
    let response: Response;
    let content: string | Uint8Array;
    try {
      response = await fetch((plan.isUpload ? uploadBase : base) + request.target, {
        method: plan.operation.method,
        headers,
        ...bodyOf(request),
        signal,
        // X does not redirect; following one could repeat a write or hand the token to another host.
        redirect: "manual",
      });
      const isBytes = plan.operation.answer.data === "bytes" && response.ok;
      content = isBytes ? new Uint8Array(await response.arrayBuffer()) : await response.text();
    } catch (error) {
      return failed(networkError(error));
    }
    const now = clock.now();
    const rateWindows = windows.observe(plan.operation, plan.id, grant?.kind ?? "app", response.headers, now);
    return readAnswer(plan, response, content, { rateWindows, now, isUser: grant?.kind === "user" });
  }

  /** Undefined when the token has a character in it that no header may have. */
  function headersFor({ body }: PreparedRequest, grant: Grant | undefined): Headers | undefined {
    const headers = new Headers(sameHeaders);
    try {
      if (grant) headers.set("authorization", `Bearer ${grant.token}`);
    } catch {
      return undefined;
    }
    if (typeof body === "string") headers.set("content-type", "application/json");
    else if (body) {
      headers.set("content-type", body.contentType);
      headers.set("content-length", String(body.length));
    }
    return headers;
  }
}

const unusableToken: ProviderError = {
  kind: "auth_expired",
  message: "The access token has characters in it that no token of X has; sign in again.",
};

function bodyOf({ body }: PreparedRequest): RequestInit {
  if (body === undefined) return {};
  return typeof body === "string" ? { body } : { body: body.stream(), duplex: "half" };
}

interface Grant {
  readonly token: string;
  readonly kind: TokenKind;
}

function baseOf(url: string): string {
  if (!URL.canParse(url))
    throw new TypeError("the base URL of the X client is not a URL: write it with its scheme, https://…");
  return url.replace(/\/+$/, "");
}

function noToken(kinds: readonly TokenKind[]): string {
  const wanted = kinds.map((kind) => (kind === "user" ? "a signed-in user" : "an app-only bearer token"));
  return `This operation needs ${wanted.join(" or ")}, and none is set up.`;
}
