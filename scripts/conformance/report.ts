export interface Report {
  readonly title: string;
  readonly passed: number;
  /** One per failed check or warning. */
  readonly failures: readonly string[];
}

export function tell({ title, passed, failures }: Report): void {
  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(failure.trim().replace(/^/gm, "  "));
}
