import { randomBytes, randomUUID } from "node:crypto";
import { failed, type Outcome, ok, once } from "@toolpact/contract";
import {
  type Access,
  type Clock,
  createRawSender,
  createXClient,
  type ProviderError,
  type RetryOptions,
  retryReads,
  type TokenSource,
  type XClient,
  XTime,
} from "@toolpact/x-api";
import { version } from "../version.ts";
import { type OAuth1Keys, oauth1Header } from "./toolkit/oauth1.ts";
import type { Me, X } from "./x.ts";

const userAgent = `tuitbot/${version}`;

/** X as the signed-in account, for all calls. */
export interface XConnection extends X {
  /** X is asked once, with the first caller's client. */
  readonly me: (signal?: AbortSignal, client?: XClient) => Promise<Outcome<Me, ProviderError>>;
  /** X's clock, by which receipts are kept. */
  readonly xTime: XTime;
  readonly signInId: XAccount["signInId"];
}

export interface ConnectOptions {
  readonly handleKey?: X["handleKey"];
  /** Nothing that changes X is sent without a journal that records it. */
  readonly requireJournal?: boolean;
  /** Sends requests that the plan does not include, to let X itself answer. */
  readonly asksAnyway?: boolean;
}

/** Connects an account to X. Nothing is sent yet. */
export function connectX(
  account: XAccount,
  { handleKey = keyOfProcess(), requireJournal = false, asksAnyway = false }: ConnectOptions = {},
): XConnection {
  const { tokens, baseUrl, fetch, clock, timeoutMs, readTimeoutMs = 9_000, retry, adsKeys } = account;
  account.xTime ??= new XTime(clock);
  const { xTime } = account;
  const limits = { timeoutMs, readTimeoutMs };
  const options = { tokens, xTime, baseUrl, fetch, clock, ...limits, userAgent, requireJournal };
  const client = retryReads(createXClient(options), { clock, ...retry });
  return {
    client,
    send: createRawSender(options),
    ...(adsKeys !== undefined && {
      sendToAds: createRawSender({ ...options, sign: signer(adsKeys, clock) }),
    }),
    me: askedOnce((asking = client) => askWhoAmI(asking)),
    handleKey,
    now: () => xTime.now(),
    access: { ...account.access, hasAdsKeys: adsKeys !== undefined, asksAnyway },
    scopes: account.scopes,
    signInId: account.signInId,
    xTime,
  };
}

/** A key for the handles of this process alone. */
function keyOfProcess(): X["handleKey"] {
  const key = randomBytes(32);
  return async () => key;
}

function signer(keys: OAuth1Keys, clock: Clock) {
  return (method: string, address: string) =>
    oauth1Header(method, address, keys, {
      nonce: randomUUID().replaceAll("-", ""),
      timestamp: Math.floor(clock.now() / 1_000),
    });
}

/** The longest wait for X to say who is signed in, for what can do without the answer. */
export const WHO_AM_I_MS = 5_000;

/** Asks X who is signed in, every time. */
export async function askWhoAmI(client: XClient, signal?: AbortSignal): Promise<Outcome<Me, ProviderError>> {
  const answer = await client.call<Me | null>("getUsersMe", signal === undefined ? {} : { signal });
  if (!answer.ok) return answer;
  const { data } = answer.value;
  if (data === null) return failed({ kind: "other", message: "X did not say who is signed in." });
  return ok({ id: data.id, username: data.username, name: data.name });
}

/** Keeps the first success; those who ask meanwhile wait for the same answer. */
function askedOnce(ask: (client?: XClient) => Promise<Outcome<Me, ProviderError>>): XConnection["me"] {
  const asked = once(ask);
  // The answer is shared, so one caller's signal must not end it for the others.
  return (signal, client) => raceAbort(asked(client), signal);
}

function raceAbort(
  asked: Promise<Outcome<Me, ProviderError>>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Me, ProviderError>> {
  if (signal === undefined) return asked;
  return new Promise((resolve, reject) => {
    const stop = () =>
      resolve(
        failed({ kind: "network", cause: "aborted", ambiguous: false, message: "The call was cancelled." }),
      );
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Somebody's way into X: real, or of the sandbox. */
export interface XAccount {
  readonly tokens: TokenSource;
  /** Identifies the sign-in, which belongs to one account forever; undefined if nobody is signed in. Sends nothing. */
  readonly signInId: () => Promise<string | undefined>;
  /** The granted scopes; undefined if not known. */
  readonly scopes: () => readonly string[] | undefined;
  readonly access: Access;
  /** For the Ads API. */
  readonly adsKeys?: OAuth1Keys | undefined;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** X's time, set by the first connection. All connections of the account learn from every answer. */
  xTime?: XTime;
  readonly timeoutMs: number;
  readonly readTimeoutMs?: number;
  /** How reads are repeated. */
  readonly retry?: Pick<RetryOptions, "retries" | "firstWaitMs" | "longestWaitMs">;
}
