import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check.ts";
import { run, runShown } from "./run.ts";

process.env.PATH = `${new URL("../node_modules/.bin", import.meta.url).pathname}:${process.env.PATH}`;

interface Count {
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

/** The tests of `npm test`, counted. */
async function tests(): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-ci-"));
  const report = join(folder, "report.json");
  const code = await runShown("vitest", [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  rmSync(folder, { recursive: true });
  const skipped = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "skipped" || status === "pending")
    .map(({ fullName }) => fullName);
  // A file that cannot be loaded fails the run without a failed test.
  return { passed: numPassedTests, failed: numFailedTests || (code === 0 ? 0 : 1), skipped };
}

async function conformance(): Promise<Count> {
  const { ok, output } = await run("npm", ["run", "--silent", "conformance"]);
  console.log(output.trim());
  const counts = /^conformance: (\d+) passed, (\d+) failed$/m.exec(output);
  return { passed: Number(counts?.[1] ?? 0), failed: Number(counts?.[2] ?? 0) || (ok ? 0 : 1), skipped: [] };
}

const checked: Count = (await check())
  ? { passed: 1, failed: 0, skipped: [] }
  : { passed: 0, failed: 1, skipped: [] };
const counts = [checked, await tests(), await conformance()];
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
const skipped = counts.flatMap((count) => count.skipped);
for (const name of skipped) console.log(`skipped: ${name}`);
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
process.exitCode = failed === 0 ? 0 : 1;
