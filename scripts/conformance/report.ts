/** Result of one external suite. */
export interface Report {
  /** The suite and the command that was run. */
  readonly title: string;
  readonly passed: number;
  /** One text per failed check. Warnings count as failures. */
  readonly failures: readonly string[];
}

export function tell({ title, passed, failures }: Report): void {
  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(failure.trim().replace(/^/gm, "  "));
}
