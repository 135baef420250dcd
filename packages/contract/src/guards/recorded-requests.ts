import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import { maskSecrets } from "../redact.ts";
import type { ProtectDependencies } from "./protect-options.ts";
import type { ReceiptAttempt } from "./receipt.ts";
import { leftoverResolver, type Resolver } from "./resolve.ts";
import type { ReadBack, RequestRules, Step } from "./step.ts";
import type { GuardStorage } from "./storage.ts";

/** How a product records the requests of its calls, and resolves unknown outcomes. */
export interface RecordedRequests {
  /**
   * The number of requests in a complete call, if each is recorded in the journal that `protect` adds
   * (`sendRecorded`). Default 0: none is recorded, and the call counts as one request.
   */
  readonly requests?: (call: Pick<Call, "tool" | "action" | "input">) => number;
  /**
   * Reads from the service whether a recorded request was executed, without changing anything. Without it, only a
   * person can find out.
   */
  readonly readBack?: (step: Step, reading: Reading) => Promise<ReadBack>;
  readonly rules?: Partial<RequestRules>;
  /** The name of the service in messages. */
  readonly service?: string;
  /** How long the service may still execute a request after its caller is gone. Default: five minutes. */
  readonly lateEffectMs?: number;
}

/** Tools for reading back. */
export interface Reading {
  /** True if a receipt is known to have made a thing, such as `order:123`. */
  readonly isTaken: (thing: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export const LATE_EFFECT_MS = 300_000;

/** The maximum difference between the service's clock and this machine's. */
const CLOCKS_DIFFER_MS = 60_000;

export function resolverFor(
  { readBack, rules, service = "the service" }: RecordedRequests,
  clock: Clock,
  storage: GuardStorage,
  signal: AbortSignal,
): Resolver {
  return {
    storage,
    service,
    rules: { ...PLAIN_RULES, ...rules },
    async readBack(step) {
      if (readBack === undefined) return { found: "unknowable" };
      try {
        return await readBack(step, { isTaken: storage.hasMade, signal });
      } catch (error) {
        return { found: "no_answer", why: error instanceof Error ? error.message : String(error) };
      }
    },
    time: {
      now: () => clock.now(),
      earliest: () => clock.now() - CLOCKS_DIFFER_MS,
      monotonic: () => clock.monotonic?.() ?? clock.now(),
    },
    leaseMs: LEASE_MS,
    signal,
  };
}

/** Resolves calls left open by other processes, before the first change and then periodically. */
export function leftoversOf(recorded: RecordedRequests) {
  const resolvers = new WeakMap<GuardStorage, (signal: AbortSignal) => Promise<void>>();
  return async ({ clock, guardStorage }: ProtectDependencies, signal: AbortSignal): Promise<void> => {
    if (recorded.requests === undefined) return;
    let resolve = resolvers.get(guardStorage);
    if (resolve === undefined) {
      const look = leftoverResolver(
        (storage: GuardStorage, within) => resolverFor(recorded, clock, storage, within),
        () => clock.now(),
      );
      resolve = (within) => look(guardStorage, within);
      resolvers.set(guardStorage, resolve);
    }
    await resolve(signal);
  };
}

/** Records every request as sent, except for text that looks like a secret. */
export const PLAIN_RULES: RequestRules = {
  isPreparation: () => false,
  continues: () => undefined,
  stored: ({ target, bodyText }) => ({
    target: maskSecrets(target),
    body_json: bodyText === undefined ? null : maskSecrets(bodyText),
  }),
  effectOf: () => ({ makes: null }),
};

/** A receipt whose lease was not renewed for this long belongs to a dead process. */
export const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** Renews the lease of a receipt until the returned function is called. */
export function renewing(
  storage: Pick<GuardStorage, "renew">,
  clock: Clock,
  held: ReceiptAttempt,
): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(RENEW_MS, () => {
      // An unreachable storage may be back by the next time.
      void storage.renew(held, clock.now() + LEASE_MS).catch(() => {});
      again();
    });
  };
  again();
  return () => cancel();
}
