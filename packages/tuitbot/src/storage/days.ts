import { DAY_MS, HOUR_MS } from "@toolpact/contract/internal";

/** The last UTC midnight. */
export function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/** The UTC date, such as `2026-09-30`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Days since the epoch, by UTC: the key of what is counted by day. */
export function dayNumber(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Hours since the epoch: the key of what is counted by the hour. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}
