import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import { cacheFolder, headlessEnvironment } from "../godot/environment.ts";
import { runProcess } from "../godot/process.ts";
import type { FoundTest } from "./find-tests.ts";
import { FRAMEWORKS, type Framework, type FrameworkName } from "./frameworks.ts";
import { readJunit } from "./junit.ts";
import type { RunOptions } from "./run-tests.ts";
import type { TestResult } from "./test-results.ts";

export interface FrameworkOptions extends RunOptions {
  readonly framework: Exclude<FrameworkName, "own">;
  /** Only this one. */
  readonly test: string | undefined;
  /** True where no file or folder was named. */
  readonly whole: boolean;
}

type Ran = Outcome<TestResult[], Failure<GodotCode>>;

/** For Godot and the framework to get ready. */
const START_MS = 60_000;

/**
 * Runs a framework's command line and reads its report. Frameworks report at their end only, so with `isolate` each
 * file gets a Godot of its own, and one that hangs or crashes does not take the other results with it.
 */
export async function runFramework(known: readonly FoundTest[], options: FrameworkOptions): Promise<Ran> {
  const files = [...new Set(known.map((test) => test.file))];
  if (!options.isolate) return runFiles(files, known, options);
  const results: TestResult[] = [];
  for (const [index, file] of files.entries()) {
    const ran = await runFiles([file], known, { ...options, whole: false });
    if (options.signal.aborted && !ran.ok) return ran;
    results.push(...(ran.ok ? ran.value : [lostFile(file, ran.failure)]));
    options.progress({ done: index + 1, total: files.length, message: file });
  }
  return ok(results);
}

async function runFiles(
  files: readonly string[],
  all: readonly FoundTest[],
  { framework, test, whole, binary, project, env, clock, signal, timeoutMs }: FrameworkOptions,
): Promise<Ran> {
  const { script, args }: Framework = FRAMEWORKS[framework];
  const known = all.filter((each) => files.includes(each.file));
  const runs = join(cacheFolder(env, process.platform), "test-runs");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(runs, "run-"));
  const report = join(folder, "report.xml");
  const home = join(folder, "home");
  try {
    const ran = await runProcess(binary.path, {
      args: [
        ...["--headless", "--path", project, "--script", `res://${script}`],
        ...args({
          files,
          test,
          known,
          whole: whole && existsSync(join(project, ".gutconfig.json")),
          report,
        }),
      ],
      env: headlessEnvironment(env, home),
      timeoutMs: START_MS + timeoutMs * (test === undefined ? known.length : 1),
      clock,
      signal,
    });
    if (!ran.ok) return ran;
    const xml = await reportIn(folder);
    if (xml === undefined)
      return errors.fail(
        "E_UNSUPPORTED",
        `${framework} ended without a report (exit code ${ran.value.code}).`,
        {
          suggestedFix:
            "Its output in the details says why. With isolate, files that work are reported all the same.",
          details: { exit: ran.value.code, output: ran.value.output.slice(-40) },
        },
      );
    const results = readJunit(xml);
    if (!results.ok) return results;
    return ok(
      results.value
        .filter((result) => test === undefined || nameOf(result) === test)
        .map((result) => placed(result, known)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** gdUnit4 writes `reports/report_1/results.xml`, at a place that follows from the project's name. */
async function reportIn(folder: string): Promise<string | undefined> {
  const files = await readdir(folder, { recursive: true });
  const report = files.find((file) => ["report.xml", "results.xml"].includes(basename(file)));
  return report === undefined ? undefined : readFile(join(folder, report), "utf8");
}

function placed(result: TestResult, known: readonly FoundTest[]): TestResult {
  const found = known.find(
    ({ file, test }) => test === nameOf(result) && (result.file ?? file) === file && isSuite(result, file),
  );
  return found === undefined ? result : { ...result, file: found.file, line: found.line };
}

/** A test with parameters has them behind its name. */
function nameOf(result: TestResult): string {
  return /^\w+/.exec(result.case)?.[0] ?? result.case;
}

/** gdUnit4 names a suite by its script (`hero_test`) or its class (`HeroTest`). */
function isSuite({ suite, file }: TestResult, script: string): boolean {
  return file !== undefined || plain(suite) === plain(basename(script, ".gd"));
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function lostFile(file: string, { code, message, details }: Failure<GodotCode>): TestResult {
  // Lines of a process are all that is ever put there.
  const output = (details?.output ?? []) as string[];
  return {
    suite: file,
    case: "",
    file,
    verdict: code === "E_TIMEOUT" ? "timeout" : "crashed",
    failures: [{ message, file }],
    output,
  };
}
