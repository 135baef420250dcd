/** Result of one external suite. */
export interface Report {
  /** Whose proof it is, and what was run. */
  readonly title: string;
  readonly passed: number;
  /** One text for each check that failed. A warning is a failure too. */
  readonly failures: readonly string[];
}

export function tell({ title, passed, failures }: Report): void {
  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(failure.trim().replace(/^/gm, "  "));
}
