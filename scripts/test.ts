import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check } from "./check.ts";
import { runShown } from "./run.ts";
import { SLOW_TESTS } from "./slow-tests.ts";

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs the tests that Vitest finds with these arguments: names of files, or files to leave out. */
async function tests(args: readonly string[]): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-tests-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await runShown("vitest", ["run", ...reporters, ...args]);
  try {
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: [] };
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(
      readFileSync(report, "utf8"),
    ) as Report;
    const skipped = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "skipped" || status === "pending")
      .map(({ fullName }) => fullName);
    // A file that cannot be loaded fails the run without a failed test.
    return { passed: numPassedTests, failed: numFailedTests || (code === 0 ? 0 : 1), skipped };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Says last what was left out, then the sum in one line. */
export function conclude(counts: readonly Count[]): void {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  const skipped = counts.flatMap((count) => count.skipped);
  for (const name of skipped) console.log(`skipped: ${name}`);
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Everything that can be known without running a test counts as one. */
export async function checked(): Promise<Count> {
  return (await check()) ? { passed: 1, failed: 0, skipped: [] } : { passed: 0, failed: 1, skipped: [] };
}

export function quickTests(): Promise<Count> {
  return tests(SLOW_TESTS.flatMap((file) => ["--exclude", file]));
}

export function slowTests(): Promise<Count> {
  return tests(SLOW_TESTS);
}

// `npm test` runs the checks and the quick tests, `npm run test:all` everything. With the names of files or folders,
// as in `npm test -- packages/contract`, both run just those.
if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { all: { type: "boolean" } },
    allowPositionals: true,
  });
  if (positionals.length > 0) conclude([await tests(positionals)]);
  else conclude([await checked(), await (values.all ? tests([]) : quickTests())]);
}
