/** At most so many in so long. */
export interface Limit {
  readonly max: number;
  readonly periodMs: number;
}

/** The places that are taken under a limit, and since when they count. */
export interface LimitWindow {
  readonly used: number;
  readonly windowStart: number;
}

export interface LimitReached<Reached extends Limit = Limit> {
  readonly limit: Reached;
  /** When there is room again; undefined where more is needed than the limit ever allows. */
  readonly resetsAt: number | undefined;
}

/** What is in the way of taking so many more places. */
export function reachedLimit<Reached extends Limit>(
  limit: Reached,
  places: number,
  window: LimitWindow,
): LimitReached<Reached> | undefined {
  if (places > limit.max) return { limit, resetsAt: undefined };
  return window.used + places > limit.max ? { limit, resetsAt: windowEnd(limit, window) } : undefined;
}

/** The first limit that could not take these places even when it is unused. */
export function neverFits<Reached extends Limit>(
  limits: readonly Reached[],
  placesOf: (limit: Reached) => number,
): LimitReached<Reached> | undefined {
  const limit = limits.find((one) => placesOf(one) > one.max);
  return limit && { limit, resetsAt: undefined };
}

/** The window that counts now: one that has ended is empty, and the next begins with the first call. */
export function windowNow({ periodMs }: Limit, last: LimitWindow | undefined, now: number): LimitWindow {
  return last === undefined || now - last.windowStart >= periodMs ? { used: 0, windowStart: now } : last;
}

export function windowEnd({ periodMs }: Limit, { windowStart }: Pick<LimitWindow, "windowStart">): number {
  return windowStart + periodMs;
}
