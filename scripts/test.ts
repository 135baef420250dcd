import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { check } from "./check.ts";
import { root } from "./packages.ts";
import { runShown } from "./run.ts";
import { SLOW_TESTS } from "./slow-tests.ts";

export interface Count {
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly skipped: readonly string[];
}

export interface Failure {
  readonly title: string;
  readonly file?: string;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Takes Vitest's arguments. */
export async function tests(args: readonly string[]): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-tests-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await runShown("vitest", ["run", ...reporters, ...args]);
  try {
    if (!existsSync(report)) return { passed: 0, failed: [{ title: "Vitest wrote no report" }], skipped: [] };
    return counted(JSON.parse(readFileSync(report, "utf8")) as Report, code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function counted({ numPassedTests, testResults }: Report, code: number): Count {
  const failed: Failure[] = [];
  const skipped: string[] = [];
  for (const { name, status, assertionResults } of testResults) {
    const file = relative(root, name);
    const failures = assertionResults.filter((result) => result.status === "failed");
    failed.push(...failures.map(({ fullName }) => ({ title: fullName, file })));
    // A file that cannot be loaded fails without a failed test.
    if (status === "failed" && failures.length === 0) failed.push({ title: "the file itself", file });
    for (const { status, fullName } of assertionResults)
      if (status === "skipped" || status === "pending") skipped.push(fullName);
  }
  if (code !== 0 && failed.length === 0) failed.push({ title: "an error outside any test" });
  return { passed: numPassedTests, failed, skipped };
}

/** Skipped and failed tests last, then the totals. */
export function conclude(counts: readonly Count[]): void {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.flatMap((count) => count.failed);
  const skipped = counts.flatMap((count) => count.skipped);
  for (const name of skipped) console.log(`skipped: ${name}`);
  for (const { title, file } of failed) console.log(`failed: ${file ? `${file}: ` : ""}${title}`);
  console.log(
    `${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** All static checks count as one test. */
export async function checked(): Promise<Count> {
  return (await check())
    ? { passed: 1, failed: [], skipped: [] }
    : { passed: 0, failed: [{ title: "npm run check" }], skipped: [] };
}

export function quickTests(): Promise<Count> {
  return tests(SLOW_TESTS.flatMap((file) => ["--exclude", file]));
}

export function slowTests(): Promise<Count> {
  return tests(SLOW_TESTS);
}

// With file or folder names, both scripts run only those.
if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { all: { type: "boolean" } },
    allowPositionals: true,
  });
  if (positionals.length > 0) conclude([await tests(positionals)]);
  else conclude([await checked(), await (values.all ? tests([]) : quickTests())]);
}
