import type { Outcome } from "@toolpact/outcome";

/**
 * Memoizes async work. Concurrent callers share one promise. A failure (a rejection or a failed outcome) is not kept, so
 * the next call tries again.
 *
 * ```ts
 * const connect = once(async (signal: AbortSignal) => (signal.aborted ? failed("gone") : ok("connected")));
 * ```
 */
export function once<Args extends readonly unknown[], T, F = never>(
  make: (...args: Args) => Promise<Outcome<T, F>>,
): Once<Args, Outcome<T, F>>;
export function once<Args extends readonly unknown[], T>(make: (...args: Args) => Promise<T>): Once<Args, T>;
export function once<Args extends readonly unknown[], T>(make: (...args: Args) => Promise<T>): Once<Args, T> {
  let made: Promise<T> | undefined;
  const get = (...args: Args) => {
    if (made !== undefined) return made;
    const making = make(...args);
    const forget = () => {
      made = undefined;
    };
    making.then((value) => isFailed(value) && forget(), forget);
    made = making;
    return making;
  };
  return Object.assign(get, { current: () => made });
}

interface Once<Args extends readonly unknown[], T> {
  (...args: Args): Promise<T>;
  /** The work that is running or done; undefined if none was started or the last one failed. */
  readonly current: () => Promise<T> | undefined;
}

function isFailed(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false;
}
