import type { Config } from "../config/schema.ts";

/** Pauses publishing when X refuses too often. */
export interface Breaker {
  readonly isOpen: (now: number) => boolean;
  /** Counts the refusals of a pass. */
  readonly note: (codes: readonly string[], now: number) => void;
}

/** Opens after too many refusals within a window, and then starts a new window. */
export function circuitBreaker({
  error_threshold,
  window_seconds,
  cooldown_seconds,
}: Config["circuit_breaker"]): Breaker {
  let refusals: number[] = [];
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    isOpen: (now) => now < openUntil,
    note(codes, now) {
      const since = now - window_seconds * 1_000;
      const count = codes.filter((code) => REFUSALS.has(code)).length;
      refusals = [...refusals.filter((at) => at > since), ...Array<number>(count).fill(now)];
      if (refusals.length < error_threshold) return;
      openUntil = now + cooldown_seconds * 1_000;
      refusals = [];
    },
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["x_rate_limited", "x_forbidden", "x_account_restricted"]);
