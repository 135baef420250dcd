/** The goal of a measured value. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** A measured value. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: Bound;
  /** The result of each run; `value` is their median. */
  readonly values?: readonly number[];
}

export function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit };
}

/** A value that should be no more than its goal, if it has one. */
export function atMost(name: string, value: number, unit: string, goal: number | undefined): Figure {
  return goal === undefined ? { name, value, unit } : { name, value, unit, goal: { atMost: goal } };
}

/** A value that should be no less than its goal. */
export function atLeast(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, goal: { atLeast: goal } };
}

export function meets(value: number, bound: Bound): boolean {
  return "atMost" in bound ? value <= bound.atMost : value >= bound.atLeast;
}

/** Counts the runs that missed a goal. */
export function verdictOf(values: readonly number[], bound: Bound): string {
  const missed = values.filter((value) => !meets(value, bound)).length;
  if (missed === 0) return "met";
  return missed === values.length ? "missed" : `missed in ${missed} of ${values.length}`;
}

export function boundText(bound: Bound, unit = ""): string {
  return "atMost" in bound
    ? `≤ ${bound.atMost.toLocaleString("en")}${unit}`
    : `≥ ${bound.atLeast.toLocaleString("en")}${unit}`;
}
