export const DAY_MS = 86_400_000;

/** The last UTC midnight. */
export function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/** The UTC date, such as `2026-09-30`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
