import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock, Failure } from "@toolpact/contract";
import { makeFolder } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../errors.ts";
import { startDebugged } from "../game/guarded-process.ts";
import { cacheFolder, headlessEnvironment } from "../godot/environment.ts";
import type { Exit } from "../godot/process.ts";
import { type Break, BreakWatch } from "./break-watch.ts";
import { crashOf } from "./crash-stack.ts";
import { readEngineLog } from "./engine-log.ts";
import type { FoundTest } from "./find-tests.ts";
import { FRAMEWORKS, type Framework, type FrameworkName } from "./frameworks.ts";
import { functionOf, readJunit } from "./junit.ts";
import { printedResults } from "./printed-results.ts";
import type { RunOptions } from "./run-tests.ts";
import { isBad, type StackFrame, type TestFailure, type TestResult } from "./test-results.ts";

interface FrameworkOptions extends RunOptions {
  readonly framework: Exclude<FrameworkName, "own">;
  /** Runs only this test. */
  readonly test: string | undefined;
  /** True if no file or folder was named. */
  readonly whole: boolean;
}

type Ran = Result<readonly TestResult[]>;

/** Time for Godot and the framework to start. */
const START_MS = 60_000;

/**
 * Runs a framework's command line and reads its report. Frameworks report only at the end, so with `isolate` each
 * file gets its own Godot process, and a hang or crash keeps the results of other files.
 */
export async function runFramework(known: readonly FoundTest[], options: FrameworkOptions): Promise<Ran> {
  const files = [...new Set(known.map((test) => test.file))];
  if (!options.isolate) return runFiles(files, known, options);
  const results: TestResult[] = [];
  for (const [index, file] of files.entries()) {
    const ran = await runAlone(file, known, options);
    if (!ran.ok) return ran;
    results.push(...ran.value);
    options.progress({ done: index + 1, total: files.length, message: file });
  }
  return ok(results);
}

/** A crash or a timeout is a normal result, unless the caller canceled. */
async function runAlone(file: string, all: readonly FoundTest[], options: FrameworkOptions): Promise<Ran> {
  const ran = await runFiles([file], all, { ...options, whole: false });
  return ran.ok || options.signal.aborted ? ran : ok([lostFile(file, ran.failure)]);
}

async function runFiles(
  files: readonly string[],
  all: readonly FoundTest[],
  options: FrameworkOptions,
): Promise<Ran> {
  const { framework, test, whole, binary, project, env, clock, signal, timeoutMs } = options;
  const chosen: Framework = FRAMEWORKS[framework];
  const known = all.filter((each) => files.includes(each.file));
  const runs = join(cacheFolder(env, process.platform), "test-runs");
  await makeFolder(runs);
  const folder = await mkdtemp(join(runs, "run-"));
  try {
    const command = await chosen.command({ project, folder, files, test, known, whole });
    if (!command.ok) return command;
    const ended = await runToEnd(binary.path, {
      // GUT 9.3 parses `--script` as an unknown option of GUT.
      args: ["--headless", "--path", project, "-s", `res://${chosen.script}`, ...command.value.args],
      env: headlessEnvironment(env, join(folder, "home")),
      timeoutMs: START_MS + timeoutMs * (test === undefined ? known.length : 1),
      clock,
      signal,
      ownFolder: chosen.addon,
    });
    if (!ended.ok) return ended;
    const { exit, output, breaks } = ended.value;
    options.onOutput(output);
    const xml = await reportIn(folder);
    if (xml === undefined) return withoutReport(options, exit, output, known);
    const report = readJunit(xml, known);
    if (!report.ok) return report;
    const reported = report.value.results.map((result) => withErrors(result, breaks));
    const results = reported.filter((result) => test === undefined || functionOf(result.case) === test);
    const isFine = exit.code !== null && chosen.fineExits.includes(exit.code);
    if (!isFine && !reported.some(isBad)) results.push(unnamedFailure(framework, exit, output));
    if (command.value.isChosenByProject) return ok(results);
    for (const file of files.filter((each) => !results.some((result) => result.file === each))) {
      const others = report.value.scripts.includes(file)
        ? ok([notRun(file, framework)])
        : await leftOut(file, files, all, options);
      if (!others.ok) return others;
      results.push(...others.value);
    }
    return ok(results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** gdUnit4 writes `reports/report_1/results.xml`, in a folder that depends on the name of the project. */
async function reportIn(folder: string): Promise<string | undefined> {
  const files = await readdir(folder, { recursive: true });
  const report = files.find((file) => ["report.xml", "results.xml"].includes(basename(file)));
  return report === undefined ? undefined : readFile(join(folder, report), "utf8");
}

/** The results that it printed, if any, or why it ran nothing. */
function withoutReport(
  { framework, binary, test }: FrameworkOptions,
  exit: Exit,
  output: readonly string[],
  known: readonly FoundTest[],
): Ran {
  const { addon, exits, failedExit } = FRAMEWORKS[framework];
  const printed = printedResults(output, known);
  if (printed.length > 0) {
    const isExplained = exit.code === 0 || (exit.code === failedExit && printed.some(isBad));
    const results = printed.filter((result) => test === undefined || functionOf(result.case) === test);
    return ok(isExplained ? results : [...results, unnamedFailure(framework, exit, output)]);
  }
  const crash = crashOf(output, addon);
  const errorsIn = readEngineLog(output).problems.filter(({ severity }) => severity === "error");
  const [uncompiled] = errorsIn.filter(({ message }) => /^(?:Parse|Compile) Error/.test(message));
  const isOwn = uncompiled?.file?.startsWith(addon) ?? false;
  const why = exit.code === null ? undefined : exits[exit.code];
  const place = uncompiled?.line === undefined ? "" : `${uncompiled.file}:${uncompiled.line}: `;
  const reason = uncompiled === undefined ? "" : `: ${place}${uncompiled.message}`;
  return errors.fail(
    "E_UNSUPPORTED",
    isOwn
      ? `${framework} does not compile on Godot ${binary.version}${reason}`
      : `${framework} ended without a report (${exitText(exit)})${why === undefined ? "" : `: ${why}`}${reason || "."}`,
    {
      suggestedFix: isOwn
        ? `Install the version of ${framework} that is made for this Godot.`
        : "Its output in logs says why. With isolate, files that work are reported all the same.",
      details: {
        exit: exit.code,
        output: crash.output.slice(-40),
        stack: crash.stack.map((frame) => ({ ...frame })),
      },
    },
  );
}

/** A failure before or after all tests of a script shows only in the exit code. */
function unnamedFailure(framework: string, exit: Exit, output: readonly string[]): TestResult {
  const message = `${framework} says that something failed (${exitText(exit)}), and its report names no test: look for it in the output.`;
  return { suite: framework, case: "", verdict: "error", failures: [{ message }], output: output.slice(-40) };
}

function notRun(file: string, framework: string): TestResult {
  return { suite: file, case: "", file, verdict: "skipped", skipped: `${framework} ran none of its tests.` };
}

/** Before 4.5, gdUnit4 ran only the first of several files, so each other one is run separately. */
async function leftOut(
  file: string,
  files: readonly string[],
  all: readonly FoundTest[],
  options: FrameworkOptions,
): Promise<Ran> {
  if (files.length > 1) return runAlone(file, all, options);
  const { baseClass } = FRAMEWORKS[options.framework];
  const message = `${options.framework} did not run it: does it extend ${baseClass}?`;
  return ok([{ suite: file, case: "", file, verdict: "error", failures: [{ message, file }] }]);
}

/** A script error belongs to the test that it occurred in; the framework decides whether that test fails. */
function withErrors(result: TestResult, breaks: readonly Break[]): TestResult {
  const name = functionOf(result.case);
  const met = breaks
    .filter(({ stack }) => stack.some((frame) => frame.function === name && frame.file === result.file))
    .map(({ reason, stack, locals }): TestFailure => {
      const [top] = stack;
      return { message: reason, ...(top && { file: top.file, line: top.line }), stack, locals };
    });
  if (met.length === 0) return result;
  if (isBad(result)) return { ...result, failures: [...(result.failures ?? []), ...met] };
  return { ...result, errors: met.map(({ message, file, line }) => `${message} (${file}:${line})`) };
}

function lostFile(file: string, { code, message, details }: Failure<GodotCode>): TestResult {
  // Only runs of Godot put such errors there.
  const {
    output = [],
    stack = [],
    exit,
  } = (details ?? {}) as {
    readonly output?: readonly string[];
    readonly stack?: readonly StackFrame[];
    readonly exit?: number | null;
  };
  const [top] = stack;
  return {
    suite: file,
    case: "",
    file,
    verdict: code === "E_TIMEOUT" ? "timeout" : exit === null ? "crashed" : "error",
    failures: [{ message, file: top?.file ?? file, ...(top && { line: top.line, stack }) }],
    output,
  };
}

function exitText({ code, signal }: Exit): string {
  return signal ?? `exit code ${code}`;
}

interface FrameworkProcess {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The folder of the framework's own scripts, which are left out of stacks. */
  readonly ownFolder: string;
}

interface FrameworkEnd {
  readonly exit: Exit;
  readonly output: readonly string[];
  /** Script errors. */
  readonly breaks: readonly Break[];
}

/**
 * Runs a framework's command line until it exits. A debugger listens: without one, frameworks do not report the line
 * of a failure. On a timeout its stack is read before it is stopped.
 */
async function runToEnd(
  path: string,
  { timeoutMs, clock, signal, ownFolder, ...options }: FrameworkProcess,
): Promise<Result<FrameworkEnd>> {
  const godot = await startDebugged(path, { ...options, clock });
  let watch: BreakWatch | undefined;
  void godot.session.then((session) => {
    watch = new BreakWatch(session, clock);
  });
  let late: Promise<Break | undefined> | undefined;
  const stopTimer = clock.after(timeoutMs, () => {
    late = watch?.whereNow() ?? Promise.resolve(undefined);
    void late.then(godot.kill);
  });
  signal.addEventListener("abort", godot.kill, { once: true });
  if (signal.aborted) godot.kill();
  const exit = await godot.exited;
  stopTimer();
  signal.removeEventListener("abort", godot.kill);
  const outside = (at: Break): Break => ({
    ...at,
    stack: at.stack.filter(({ file }) => !file.startsWith(ownFolder)),
  });
  const details = { output: godot.output.slice(-40) };
  if (signal.aborted)
    return errors.fail("E_TIMEOUT", "Godot was cancelled by the caller and was stopped.", { details });
  const at = await late;
  if (late !== undefined)
    return errors.fail("E_TIMEOUT", `Godot did not end within ${timeoutMs} ms and was stopped.`, {
      details: {
        ...details,
        stack: at === undefined ? [] : outside(at).stack.map((frame) => ({ ...frame })),
      },
    });
  return ok({ exit, output: godot.output, breaks: (watch?.take() ?? []).map(outside) });
}
