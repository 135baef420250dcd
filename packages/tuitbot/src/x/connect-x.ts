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

export interface XConnection extends X {
  /** Asked once, with the first caller's client. */
  readonly me: (signal?: AbortSignal, client?: XClient) => Promise<Outcome<Me, ProviderError>>;
  /** For receipts. */
  readonly xTime: XTime;
  readonly signInId: XAccount["signInId"];
}

export interface ConnectOptions {
  readonly handleKey?: X["handleKey"];
  /** Changes are only sent with a journal. */
  readonly requireJournal?: boolean;
  /** Even outside the plan, to let X answer. */
  readonly asksAnyway?: boolean;
}

/** Sends nothing yet. */
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

/** Handles are valid in this process only. */
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

/** For work that can go on without the answer. */
export const WHO_AM_I_MS = 5_000;

/** Every time. */
export async function askWhoAmI(client: XClient, signal?: AbortSignal): Promise<Outcome<Me, ProviderError>> {
  const answer = await client.call<Me | null>("getUsersMe", signal === undefined ? {} : { signal });
  if (!answer.ok) return answer;
  const { data } = answer.value;
  if (data === null) return failed({ kind: "other", message: "X did not say who is signed in." });
  return ok({ id: data.id, username: data.username, name: data.name });
}

/** Keeps the first success, and shares a running request. */
function askedOnce(ask: (client?: XClient) => Promise<Outcome<Me, ProviderError>>): XConnection["me"] {
  const asked = once(ask);
  // One caller's signal must not end it for others.
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

/** Real, or of the sandbox. */
export interface XAccount {
  readonly tokens: TokenSource;
  /** It belongs to one account. Undefined if nobody is signed in. Sends nothing. */
  readonly signInId: () => Promise<string | undefined>;
  /** If known. */
  readonly scopes: () => readonly string[] | undefined;
  readonly access: Access;
  readonly adsKeys?: OAuth1Keys | undefined;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Shared by all connections of the account. */
  xTime?: XTime;
  readonly timeoutMs: number;
  readonly readTimeoutMs?: number;
  readonly retry?: Pick<RetryOptions, "retries" | "firstWaitMs" | "longestWaitMs">;
}
