/** The result of an operation: a value, or a typed failure. Failures are returned; only a bug throws. */
export type Outcome<T, F, N = never> = Success<T, N> | Failed<F>;

/** A successful result. */
export interface Success<T, N = never> {
  readonly ok: true;
  readonly value: T;
  /** What an answer says beside its value, such as paging or warnings. */
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
