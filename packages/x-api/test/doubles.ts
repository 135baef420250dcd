import { failed, ok } from "@toolpact/outcome";
import type { Clock } from "../src/clock.ts";
import type { TokenKind, TokenSource } from "../src/tokens.ts";

/** A missing kind is not configured. */
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
  advance(ms: number): void;
  readonly waits: readonly number[];
}

/** With `isEager`, time jumps to each timer. */
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
