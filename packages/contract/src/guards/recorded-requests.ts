import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import { maskSecrets } from "../redact.ts";
import type { ProtectDependencies } from "./protect-options.ts";
import type { ReceiptAttempt } from "./receipt.ts";
import { leftoverResolver, type Resolver } from "./resolve.ts";
import type { ReadBack, RequestRules, Step } from "./step.ts";
import type { GuardStorage } from "./storage.ts";

/** How requests are recorded, and unknown outcomes resolved. */
export interface RecordedRequests {
  /** The recorded requests of a complete call. Default 0: none is recorded, and the call counts as one. */
  readonly requests?: (call: Pick<Call, "tool" | "action" | "input">) => number;
  /** Reads whether a recorded request was executed. Without it, only a person can find out. */
  readonly readBack?: (step: Step, reading: Reading) => Promise<ReadBack>;
  readonly rules?: Partial<RequestRules>;
  /** The service's name in messages. */
  readonly service?: string;
  /** How long the service may still execute a request whose caller is gone. Default 5 min. */
  readonly lateEffectMs?: number;
}

/** Tools for reading back. */
export interface Reading {
  /** True if a receipt is known to have made the thing, such as `order:123`. */
  readonly isTaken: (thing: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export const LATE_EFFECT_MS = 300_000;

/** The largest difference between the service's clock and ours. */
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

/** Resolves calls other processes left open, before the first change and then periodically. */
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

export const PLAIN_RULES: RequestRules = {
  isPreparation: () => false,
  continues: () => undefined,
  stored: ({ target, bodyText }) => ({
    target: maskSecrets(target),
    body_json: bodyText === undefined ? null : maskSecrets(bodyText),
  }),
  effectOf: () => ({ makes: null }),
};

/** Milliseconds. A lease this old belongs to a dead process. */
export const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

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
