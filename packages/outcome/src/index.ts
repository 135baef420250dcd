/** The result of an operation: a value or a typed failure. Failures are returned; only bugs throw. */
export type Outcome<T, F, N = never> = Success<T, N> | Failed<F>;

/** A successful result. */
export interface Success<T, N = never> {
  readonly ok: true;
  readonly value: T;
  /** Such as paging or warnings. */
  readonly notes?: N;
}

/** A failed result and its reason. */
export interface Failed<F> {
  readonly ok: false;
  readonly failure: F;
}

/**
 * Wraps a value, with notes where the caller reads them.
 *
 * ```ts
 * const page = ok({ notes: ["one", "two"] }, { pagination: { result_count: 2, has_more: false } });
 * ```
 */
export function ok<T>(value: T): Success<T>;
export function ok<T, N>(value: T, notes: N): Success<T, N>;
export function ok<T, N>(value: T, notes?: N): Success<T, N> {
  return notes === undefined ? { ok: true, value } : { ok: true, value, notes };
}

/**
 * Wraps a failure.
 *
 * ```ts
 * function half(n: number): Outcome<number, string> {
 *   return n % 2 === 0 ? ok(n / 2) : failed(`${n} is odd.`);
 * }
 * ```
 */
export function failed<const F>(failure: F): Failed<F> {
  return { ok: false, failure };
}

/**
 * Memoizes async work. Concurrent callers share one promise. A failure (a rejection or a failed outcome) is not cached:
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

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object; undefined members are not written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Undefined if the text is invalid or nested too deeply for recursive code. */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text);
    return text.length > 2 * MAX_DEPTH && isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The maximum nesting of a JSON document. */
export const MAX_DEPTH = 200;

/** Walks without recursion. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** True for a JSON object: not an array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
