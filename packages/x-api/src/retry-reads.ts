import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { XAnswer } from "./answer.ts";
import type { CallArgs, XClient } from "./client.ts";
import { type Clock, pause, systemClock } from "./clock.ts";
import { isTransient, type ProviderError } from "./errors.ts";
import { type OperationId, operations } from "./operations/index.ts";

export interface RetryOptions {
  /** How often a read is repeated at most. */
  readonly retries?: number;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
  readonly clock?: Clock;
  /** A number from 0 up to 1, like `Math.random`. */
  readonly random?: () => number;
}

/**
 * The same client, with reads repeated after network and server errors. Writes are sent once, and a rate limit is
 * answered at once so that the caller decides when to come back.
 */
export function retryReads(client: XClient, options: RetryOptions = {}): XClient {
  const { retries = 2, clock = systemClock, random = Math.random } = options;

  return {
    // `Data` is the caller's claim about X's answer, see `XClient.call`.
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

/** 500 ms, 1 s, 2 s … up to 5 s, each stretched by up to a quarter so that clients do not come back together. */
function waitBefore(done: number, options: RetryOptions, chance: number): number {
  const { firstWaitMs = 500, longestWaitMs = 5000 } = options;
  return Math.min(firstWaitMs * 2 ** done * (1 + 0.25 * chance), longestWaitMs);
}
