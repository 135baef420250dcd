export type Bound = { readonly atMost: number } | { readonly atLeast: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: Bound;
  /** One per run; `value` is their median. */
  readonly values?: readonly number[];
}

export function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit };
}

export function atMost(name: string, value: number, unit: string, goal: number | undefined): Figure {
  return goal === undefined ? { name, value, unit } : { name, value, unit, goal: { atMost: goal } };
}

export function atLeast(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, goal: { atLeast: goal } };
}

export function meets(value: number, bound: Bound): boolean {
  return "atMost" in bound ? value <= bound.atMost : value >= bound.atLeast;
}

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
