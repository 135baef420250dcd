import * as z from "zod";
import { count, fileFrame, list, maybe, text } from "../shapes.ts";

/** How a test ended. `error`: a script error ended it, or its script cannot be loaded. */
const verdict = z.enum(["passed", "failed", "error", "timeout", "crashed", "skipped"]);

const testFailure = z.strictObject({
  message: text,
  /** The compared values as Godot writes them. */
  expected: maybe,
  got: maybe,
  file: maybe,
  line: z.int().exactOptional(),
  /** Innermost first. */
  stack: list(fileFrame).exactOptional(),
  /** Variables of the innermost frame, if the debugger saw it. */
  locals: z.record(z.string(), text).exactOptional(),
});

/** One result, in the same shape for every framework. */
const testResult = z.strictObject({
  /** The script for built-in tests and GUT, the name of the suite for gdUnit4. */
  suite: text,
  case: text,
  file: maybe,
  line: z.int().exactOptional(),
  verdict,
  durationMs: z.number().exactOptional(),
  failures: list(testFailure).exactOptional(),
  skipped: maybe,
  /** Its output, for tests that did not pass. */
  output: list(text).exactOptional(),
  /** Errors and warnings of the engine that did not end the test. */
  errors: list(text).exactOptional(),
  /** Nodes that it created and did not free. */
  orphans: count.exactOptional(),
});

export const testReport = z.strictObject({
  total: count,
  passed: count,
  failed: count,
  error: count,
  timeout: count,
  crashed: count,
  skipped: count,
  durationMs: z.number(),
  /** The number of passed tests per suite, for suites with tests that `results` leaves out. */
  passedIn: z.record(z.string(), count).exactOptional(),
  /** Failures first. Tests that passed without errors, warnings and leftover nodes are only counted by default. */
  results: list(testResult),
});

export type Verdict = z.infer<typeof verdict>;
export type StackFrame = z.infer<typeof fileFrame>;
export type TestFailure = z.infer<typeof testFailure>;
export type TestResult = z.infer<typeof testResult>;
export type TestReport = z.infer<typeof testReport>;

const BAD: readonly Verdict[] = ["crashed", "timeout", "error", "failed"];

/** `all` includes every passed test. */
export function reportOf(results: readonly TestResult[], all = false): TestReport {
  const counts = { passed: 0, failed: 0, error: 0, timeout: 0, crashed: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  const passed = results.filter(({ verdict }) => verdict === "passed");
  const listed = all ? results : results.filter((result) => !passed.includes(result) || hasNotes(result));
  const passedIn = Object.entries(Object.groupBy(passed, ({ suite }) => suite));
  return {
    total: results.length,
    ...counts,
    durationMs: Math.round(results.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)),
    ...(listed.length < results.length && {
      passedIn: Object.fromEntries(passedIn.map(([suite, tests = []]) => [suite, tests.length])),
    }),
    results: [...listed].sort((a, b) => Number(isBad(b)) - Number(isBad(a))),
  };
}

function hasNotes({ errors, orphans }: TestResult): boolean {
  return errors !== undefined || orphans !== undefined;
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
