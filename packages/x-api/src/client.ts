import { failed, type Outcome, ok } from "@toolpact/outcome";
import { readAnswer, type XAnswer } from "./answer.ts";
import { type Clock, pause, systemClock } from "./clock.ts";
import { isTransient, type ProviderError } from "./errors.ts";
import { type OperationId, operations } from "./operations/index.ts";
import { type RateWindow, RateWindows } from "./rate-windows.ts";
import { type CallInput, planFor, type RequestPlan } from "./request-plan.ts";
import type { TokenKind } from "./tokens.ts";
import { createTransport, type SendArgs, type TransportOptions } from "./transport.ts";

export interface XClientOptions extends TransportOptions {
  /** Default `https://api.x.com`; or a proxy, a test server or the sandbox. */
  readonly baseUrl?: string;
  /** Default `baseUrl`. */
  readonly uploadUrl?: string;
}

export interface CallArgs extends CallInput, SendArgs {
  /** Default: the first kind X accepts. */
  readonly as?: TokenKind;
}

export interface XClient {
  /**
   * Call one operation. `Data` is the caller's claim about the shape of `data`; nothing checks it.
   *
   * @example
   * const me = await client.call<{ id: string; username: string }>("getUsersMe");
   * if (me.ok) console.log(me.value.data?.username);
   */
  call<Data = unknown>(
    operation: OperationId,
    args?: CallArgs,
  ): Promise<Outcome<XAnswer<Data>, ProviderError>>;
  /** From the latest answers, for one operation or all. */
  rateWindows(operation?: OperationId): readonly RateWindow[];
}

/** A client that sends each request once. Use `retryReads` to retry reads. */
export function createXClient(options: XClientOptions): XClient {
  const clock = options.clock ?? systemClock;
  const base = originOf(options.baseUrl ?? "https://api.x.com");
  const uploadBase = options.uploadUrl === undefined ? base : originOf(options.uploadUrl);
  const windows = new RateWindows();
  const transport = createTransport(options);

  return {
    // The caller claims the type of `Data`.
    call: (id, args = {}) => call(planFor(id), args) as Promise<Outcome<XAnswer<never>, ProviderError>>,
    rateWindows: (id) => windows.running(clock.now(), id),
  };

  async function call(plan: RequestPlan, args: CallArgs): Promise<Outcome<XAnswer, ProviderError>> {
    const { id, operation } = plan;
    if (operation.streaming)
      return failed({
        kind: "invalid_request",
        message: `${id} is a stream, which this client does not read.`,
      });
    const request = plan.prepare(args);
    if (!request.ok) return request;
    if (args.as !== undefined && plan.tokens.length > 0 && !plan.tokens.includes(args.as))
      return failed({ kind: "invalid_request", message: `${id} does not take the ${args.as} token.` });

    const { target, body } = request.value;
    const { method } = operation;
    return transport.send(
      {
        method,
        url: (plan.isUpload ? uploadBase : base) + target,
        body,
        isBytes: operation.answer.data === "bytes",
        authorization: args.as === undefined || plan.tokens.length === 0 ? plan.tokens : [args.as],
        write:
          method === "GET"
            ? undefined
            : {
                operation: id,
                method,
                target,
                path: Object.fromEntries(
                  Object.entries(args.path ?? {}).map(([name, value]) => [name, String(value)]),
                ),
                ...(typeof body === "string" && { body: args.body ?? {}, bodyText: body }),
              },
      },
      args,
      ({ response, content, token, now }) => {
        const rateWindows = windows.observe(operation, id, token ?? "app", response.headers, now);
        return readAnswer(plan, response, content, { rateWindows, now, isUser: token === "user" });
      },
    );
  }
}

/**
 * The same client with default arguments for every call, such as the journal and the signal of the current
 * work. Arguments of a call win.
 *
 * @example
 * const x = withCallDefaults(client, { journal, signal });
 * await x.call("likePost", { path: { id: "12" }, body: { tweet_id: "34" } });
 */
export function withCallDefaults(client: XClient, defaults: SendArgs): XClient {
  return { ...client, call: (operation, args) => client.call<never>(operation, { ...defaults, ...args }) };
}

function originOf(url: string): string {
  if (!URL.canParse(url))
    throw new TypeError("the base URL of the X client is not a URL: write it with its scheme, https://…");
  return url.replace(/\/+$/, "");
}

export interface RetryOptions {
  readonly retries?: number;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Retries reads after network and server errors. Writes are sent once, and rate limits returned immediately. */
export function retryReads(client: XClient, options: RetryOptions = {}): XClient {
  const { retries = 2, clock = systemClock, random = Math.random } = options;

  return {
    // The caller claims the type of `Data`.
    call: (id, args) => call(id, args) as Promise<Outcome<XAnswer<never>, ProviderError>>,
    rateWindows: (id) => client.rateWindows(id),
  };

  async function call(id: OperationId, args: CallArgs = {}): Promise<Outcome<XAnswer, ProviderError>> {
    let outcome = await client.call(id, args);
    if (operations[id].method !== "GET") return outcome;
    let done = 0;
    while (done < retries && !outcome.ok && isTransient(outcome.failure)) {
      await pause(clock, waitBefore(done, options, random()), args.signal);
      if (args.signal?.aborted) break;
      outcome = await client.call(id, args);
      done += 1;
    }
    if (done === 0) return outcome;
    return outcome.ok
      ? ok({ ...outcome.value, retries: done })
      : failed({ ...outcome.failure, retries: done });
  }
}

/** 500 ms, 1 s, 2 s … up to 5 s, plus up to 25 % of jitter. */
function waitBefore(done: number, options: RetryOptions, chance: number): number {
  const { firstWaitMs = 500, longestWaitMs = 5000 } = options;
  return Math.min(firstWaitMs * 2 ** done * (1 + 0.25 * chance), longestWaitMs);
}
