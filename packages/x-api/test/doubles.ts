import { failed, ok } from "@toolpact/outcome";
import type { Clock } from "../src/clock.ts";
import type { TokenKind, TokenSource } from "../src/tokens.ts";

/** Fixed tokens; a missing kind is not configured. */
export function fixedTokens(given: { readonly [kind in TokenKind]?: string }): TokenSource {
  const token = async (kind: TokenKind) =>
    given[kind] === undefined ? failed("none" as const) : ok(given[kind]);
  return {
    userToken: () => token("user"),
    appToken: () => token("app"),
    rejected: async () => failed("none" as const),
  };
}

export interface HeldClock extends Clock {
  /** Advances time and runs due timers. */
  advance(ms: number): void;
  /** The durations of all timers, in order. */
  readonly waits: readonly number[];
}

/** A frozen clock. With `isEager`, timers run immediately and time jumps to them. */
export function heldClock(start = 1_800_000_000_000, isEager = false): HeldClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  const waits: number[] = [];
  const advance = (ms: number) => {
    now += ms;
    const due = timers.filter((timer) => timer.at <= now);
    timers = timers.filter((timer) => timer.at > now);
    for (const timer of due) timer.run();
  };
  return {
    waits,
    now: () => now,
    advance,
    after: (ms, run) => {
      waits.push(ms);
      const timer = { at: now + ms, run };
      timers.push(timer);
      if (isEager) queueMicrotask(() => timers.includes(timer) && advance(ms));
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
}
