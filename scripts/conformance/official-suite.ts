import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run.ts";
import { installedFile, installedVersion } from "./installed.ts";
import type { Report } from "./report.ts";

/** Frozen for each revision, and the latest release. */
export const SUITES = {
  "2026-07-28": { from: "@modelcontextprotocol/conformance", args: ["--requirements", "2026-07-28"] },
  "2025-11-25": { from: "@modelcontextprotocol/conformance", args: ["--requirements", "2025-11-25"] },
  active: { from: "conformance-released", args: ["--suite", "active"] },
} as const;

export type SuiteName = keyof typeof SUITES;

export type Scope =
  | { readonly except: RegExp; readonly exceptChecks?: readonly string[]; readonly because: string }
  | { readonly only: readonly string[]; readonly exceptChecks: readonly string[]; readonly because: string };

export interface SuiteRun {
  readonly server: string;
  readonly suite: SuiteName;
  readonly url: string;
  readonly scope: Scope;
  /** For the messages of every check. */
  readonly into: string;
}

export async function runSuite({ server, suite, url, scope, into }: SuiteRun): Promise<Report> {
  const { from, args } = SUITES[suite];
  const entry = installedFile(from, "dist/index.js");
  const { ok, output } = await run(process.execPath, [entry, "server", "--url", url, ...args, "-o", into]);
  const ran = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = ""]) => name);
  const isWhole = "except" in scope;
  const counted = isWhole ? ran.filter((name) => !scope.except.test(name)) : scope.only;
  const checks = counted
    .flatMap((name) => checksOf(name, into))
    .filter(({ id }) => !(scope.exceptChecks ?? []).includes(id));
  const failures = checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ text }) => text);
  // Named scenarios that did not run are failures.
  if (failures.length === 0 && isWhole && (!ok || counted.length === 0))
    failures.push(output.trim().slice(-2000));
  return {
    title: `${server}, ${suite} of the official suite ${installedVersion(from)}, ${counted.length} scenarios${leftOut(scope, ran.length - counted.length)}`,
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
    failures,
  };
}

function leftOut(scope: Scope, scenarios: number): string {
  if (scenarios === 0) return "";
  const { length = 0 } = scope.exceptChecks ?? [];
  const checks = length > 0 ? ` and ${length} checks` : "";
  return ` (${scenarios}${checks} left out: ${scope.because})`;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly text: string;
}

function checksOf(scenario: string, into: string): readonly Check[] {
  const place = (existsSync(into) ? readdirSync(into) : []).find(
    (name) => name.replace(/-\d{4}-\d\d-\d\dT.*$/, "") === `server-${scenario}`,
  );
  if (place === undefined) return [{ id: scenario, status: "FAILURE", text: `${scenario}: did not finish` }];
  const checks = JSON.parse(readFileSync(join(into, place, "checks.json"), "utf8")) as {
    id: string;
    status: string;
    description: string;
    errorMessage?: string;
  }[];
  return checks.map(({ id, status, description, errorMessage }) => ({
    id,
    status,
    text: `${scenario}: ${id}: ${errorMessage ?? description}`,
  }));
}
