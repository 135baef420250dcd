import { DAY_MS, HOUR_MS } from "@toolpact/contract/internal";

/** UTC. */
export function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/** UTC, such as `2026-09-30`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** UTC days since the epoch. */
export function dayNumber(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Since the epoch. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}
