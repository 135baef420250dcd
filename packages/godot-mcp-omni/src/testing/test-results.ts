/** How a test ended. `error`: a script error ended it, or its script cannot be loaded. */
export type Verdict = "passed" | "failed" | "error" | "timeout" | "crashed" | "skipped";

export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

export interface TestFailure {
  readonly message: string;
  /** The compared values as Godot writes them. */
  readonly expected?: string;
  readonly got?: string;
  readonly file?: string;
  readonly line?: number;
  /** Innermost first. */
  readonly stack?: readonly StackFrame[];
  /** Variables of the innermost frame, where the debugger saw it. */
  readonly locals?: Readonly<Record<string, string>>;
}

/** One result, in the same form for every framework. */
export interface TestResult {
  /** The script for built-in tests and GUT, the name of the suite for gdUnit4. */
  readonly suite: string;
  readonly case: string;
  readonly file?: string;
  readonly line?: number;
  readonly verdict: Verdict;
  readonly durationMs?: number;
  readonly failures?: readonly TestFailure[];
  readonly skipped?: string;
  /** What it printed; of tests that did not pass. */
  readonly output?: readonly string[];
  /** Errors and warnings of the engine that did not end the test. */
  readonly errors?: readonly string[];
  /** Nodes that it created and did not free. */
  readonly orphans?: number;
}

export interface TestReport extends Readonly<Record<Verdict, number>> {
  readonly total: number;
  readonly durationMs: number;
  /** Those that did not pass first. */
  readonly results: readonly TestResult[];
}

const BAD: readonly Verdict[] = ["crashed", "timeout", "error", "failed"];

export function reportOf(results: readonly TestResult[]): TestReport {
  const counts = { passed: 0, failed: 0, error: 0, timeout: 0, crashed: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return {
    total: results.length,
    ...counts,
    durationMs: Math.round(results.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)),
    results: [...results].sort((a, b) => Number(isBad(b)) - Number(isBad(a))),
  };
}

export function isBad({ verdict }: Pick<TestResult, "verdict">): boolean {
  return BAD.includes(verdict);
}

export function summaryOf({ total, results, ...counts }: TestReport): string {
  const parts = (["passed", ...BAD, "skipped"] as const).flatMap((verdict) =>
    counts[verdict] === 0 ? [] : [`${counts[verdict]} ${WORDS[verdict]}`],
  );
  const first = results.find(isBad);
  const why =
    first === undefined ? "" : ` First: ${first.case}: ${first.failures?.[0]?.message ?? first.verdict}`;
  return `${total} ${total === 1 ? "test" : "tests"}: ${parts.join(", ") || "none ran"}.${why}`;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "failed",
  error: "broke off",
  timeout: "took too long",
  crashed: "crashed Godot",
  skipped: "skipped",
};
