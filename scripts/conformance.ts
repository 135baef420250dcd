import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./packages.ts";
import { run } from "./run.ts";

/** The official suite as its authors froze it for each revision, and as they last released it. */
const SUITES = [
  { name: "2026-07-28", from: "@modelcontextprotocol/conformance", args: ["--requirements", "2026-07-28"] },
  { name: "2025-11-25", from: "@modelcontextprotocol/conformance", args: ["--requirements", "2025-11-25"] },
  { name: "active", from: "conformance-released", args: ["--suite", "active"] },
] as const;

/** The tasks extension is optional, and this server does not offer it. Nothing else is left out. */
const NOT_OFFERED = /^tasks-/;

type Suite = (typeof SUITES)[number];

interface Report {
  readonly scenarios: number;
  readonly passed: number;
  /** One line for each check that failed. A warning is a failure too. */
  readonly failures: readonly string[];
  readonly notOffered: number;
}

const folder = mkdtempSync(join(tmpdir(), "toolpact-conformance-"));
const reports = await runAll();
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failed = reports.reduce((sum, report) => sum + report.failures.length, 0);
if (failed === 0) rmSync(folder, { recursive: true });
else console.log(`Every message of every check: ${folder}`);
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runAll(): Promise<readonly Report[]> {
  const server = await startServer();
  if (server === undefined) return [{ scenarios: 0, passed: 0, failures: ["no server"], notOffered: 0 }];
  const reports: Report[] = [];
  try {
    for (const suite of SUITES) {
      const report = await runSuite(suite, server.url, join(folder, suite.name));
      tell(suite, report);
      reports.push(report);
    }
  } finally {
    await server.stop();
  }
  return reports;
}

/** A server with its own process, or undefined where it ended before it served; it then said why. */
async function startServer() {
  const child = spawn(
    process.execPath,
    ["--conditions=toolpact-source", join(root, "packages/conformance/src/main.ts")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  let printed = "";
  for await (const part of child.stdout) {
    printed += part;
    const url = /http:\S+\/mcp/.exec(printed)?.[0];
    if (url === undefined) continue;
    return {
      url,
      async stop() {
        child.kill();
        await ended;
      },
    };
  }
  return undefined;
}

async function runSuite({ from, args }: Suite, url: string, into: string): Promise<Report> {
  const { ok, output } = await run(process.execPath, [
    entryOf(from),
    "server",
    "--url",
    url,
    ...args,
    "-o",
    into,
  ]);
  const ran = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = ""]) => name);
  const counted = ran.filter((name) => !NOT_OFFERED.test(name));
  const checks = counted.flatMap((name) => checksOf(name, into));
  const failures = checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ line }) => line);
  if (failures.length === 0 && (!ok || counted.length === 0)) failures.push(output.trim().slice(-2000));
  return {
    scenarios: counted.length,
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
    failures,
    notOffered: ran.length - counted.length,
  };
}

function checksOf(
  scenario: string,
  into: string,
): readonly { readonly status: string; readonly line: string }[] {
  const place = (existsSync(into) ? readdirSync(into) : []).find(
    (name) => name.replace(/-\d{4}-\d\d-\d\dT.*$/, "") === `server-${scenario}`,
  );
  if (place === undefined) return [{ status: "FAILURE", line: `${scenario}: did not come to its end` }];
  // The suite's own record of each check.
  const checks = JSON.parse(readFileSync(join(into, place, "checks.json"), "utf8")) as {
    id: string;
    status: string;
    description: string;
    errorMessage?: string;
  }[];
  return checks.map(({ id, status, description, errorMessage }) => ({
    status,
    line: `${scenario}: ${id}: ${errorMessage ?? description}`,
  }));
}

function tell({ name, from }: Suite, { scenarios, passed, failures, notOffered }: Report): void {
  const left = notOffered === 0 ? "" : ` (${notOffered} scenarios of the optional tasks extension left out)`;
  console.log(
    `${name}, suite ${versionOf(from)}: ${scenarios} scenarios, ${passed} checks passed, ${failures.length} failed${left}`,
  );
  for (const failure of failures) console.log(`  ${failure}`);
}

function entryOf(suite: string): string {
  return createRequire(join(root, "packages/conformance/package.json")).resolve(`${suite}/dist/index.js`);
}

function versionOf(suite: string): string {
  return (JSON.parse(readFileSync(join(entryOf(suite), "../../package.json"), "utf8")) as { version: string })
    .version;
}
