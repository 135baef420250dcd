/** What a piece of work came to: a value, or a typed failure. Failures are values; a throw is a bug. */
export type Outcome<T, F, N = never> = Success<T, N> | Failed<F>;

export interface Success<T, N = never> {
  readonly ok: true;
  readonly value: T;
  /** What an answer says beside its value, such as paging or warnings. */
  readonly notes?: N;
}

export interface Failed<F> {
  readonly ok: false;
  readonly failure: F;
}

export function ok<T>(value: T): Success<T>;
export function ok<T, N>(value: T, notes: N): Success<T, N>;
export function ok<T, N>(value: T, notes?: N): Success<T, N> {
  return notes === undefined ? { ok: true, value } : { ok: true, value, notes };
}

export function failed<F>(failure: F): Failed<F> {
  return { ok: false, failure };
}
