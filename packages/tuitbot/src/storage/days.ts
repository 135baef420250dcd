export const DAY_MS = 86_400_000;

/** UTC midnight before. */
export function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/** Such as `2026-09-30`, by UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
