/** What a piece of work came to: a value, or a typed failure. Failures are values; a throw is a bug. */
export type Outcome<T, F, N = never> = Success<T, N> | Failed<F>;

/** It worked. */
export interface Success<T, N = never> {
  readonly ok: true;
  readonly value: T;
  /** What an answer says beside its value, such as paging or warnings. */
  readonly notes?: N;
}

/** It did not, and why. */
export interface Failed<F> {
  readonly ok: false;
  readonly failure: F;
}

/**
 * A value, with notes where the dialect has room for them.
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
 * A failure. Tools fail with `errors.fail`, which knows the codes.
 *
 * ```ts
 * function half(n: number): Outcome<number, string> {
 *   return n % 2 === 0 ? ok(n / 2) : failed(`${n} is odd.`);
 * }
 * ```
 */
export function failed<F>(failure: F): Failed<F> {
  return { ok: false, failure };
}
