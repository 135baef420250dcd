import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import { maskSecrets } from "../redact.ts";
import { leftoverResolver, type Resolver } from "./resolve.ts";
import { LEASE_MS } from "./send-once.ts";
import type { ReadBack, RequestRules, Step } from "./step.ts";
import type { GuardStorage } from "./storage.ts";

/** How a product records the requests of its calls, and finds out what became of them. */
export interface RecordedRequests {
  /**
   * How many requests make a call complete, where each of them is recorded in the journal that `nothingTwice` adds
   * (`sendRecorded`). 0, as where it is not given: none is recorded, and the call is one request, whatever it sends.
   */
  readonly requests?: (call: Pick<Call, "tool" | "action" | "input">) => number;
  /**
   * Finds out from what the service shows what became of a recorded request. Sends nothing that changes anything. Without
   * it, only a person can say so.
   */
  readonly readBack?: (step: Step, reading: Reading) => Promise<ReadBack>;
  readonly rules?: Partial<RequestRules>;
  /** The name of the service in messages. */
  readonly service?: string;
  /** For so long the service may carry out a request to which nobody listens any more; five minutes unless given. */
  readonly lateEffectMs?: number;
}

/** What reading back gets besides the request. */
export interface Reading {
  /** Whether a receipt is known to have made a thing, such as `order:123`. */
  readonly isTaken: (thing: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Before the first change, and then from time to time, settles what other processes have left open, by reading back. It
 * stands before `personDecides`, so that what turns out not to have been done is decided about again.
 *
 * ```ts
 * const recorded: RecordedRequests = { requests: () => 1, readBack: async () => ({ found: "unknowable" }) };
 * const stack = product
 *   .guardStack("writes")
 *   .use(settleLeftovers(recorded))
 *   .use(nothingTwice({ code: "denied", ...recorded }))
 *   .answering(successEnvelope(errors));
 * ```
 */
export function settleLeftovers(options: RecordedRequests) {
  const settlers = new WeakMap<GuardStorage, ReturnType<typeof leftoverResolver<GuardStorage>>>();
  return guard<{ dependencies: { clock: Clock; guardStorage: GuardStorage } }>({
    name: "settle leftovers",
    ordered: "settleLeftovers",
    codes: () => [],
    async run(call, next, { clock, guardStorage }) {
      if (!EFFECTS[call.effect].mutates) return next();
      const settle =
        settlers.get(guardStorage) ??
        leftoverResolver(
          (storage: GuardStorage, signal) => resolverFor(options, clock, storage, signal),
          () => clock.now(),
        );
      settlers.set(guardStorage, settle);
      await settle(guardStorage, call.signal);
      return next();
    },
  });
}

/** The service's clock may differ by so much from this machine's. */
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

/** Every request is recorded, as it is sent but for what looks like a secret. */
export const PLAIN_RULES: RequestRules = {
  isPreparation: () => false,
  continues: () => undefined,
  stored: ({ target, bodyText }) => ({
    target: maskSecrets(target),
    body_json: bodyText === undefined ? null : maskSecrets(bodyText),
  }),
  effectOf: () => ({ makes: null }),
};
