/** One measured figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
  readonly met?: boolean;
}

/** A figure that should be no more than its goal, where it has one. */
export function atMost(name: string, value: number, unit: string, goal?: number): BenchRow {
  return goal === undefined ? { name, value, unit } : { name, value, unit, goal, met: value <= goal };
}

export function timesFaster(name: string, value: number, goal: number): BenchRow {
  return { name, value, unit: "times faster", goal, met: value >= goal };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
