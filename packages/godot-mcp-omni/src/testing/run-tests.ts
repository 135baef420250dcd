import { join } from "node:path";
import type { Progress } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";
import type { Break } from "./break-watch.ts";
import { crashOf } from "./crash-stack.ts";
import type { FoundTest } from "./find-tests.ts";
import { type RunnerOptions, type RunnerProcess, startRunner } from "./runner-process.ts";
import type { StackFrame, TestFailure, TestResult, Verdict } from "./test-results.ts";

export interface RunOptions extends Omit<RunnerOptions, "args" | "env"> {
  readonly env: Environment;
  /** Per test, including what it awaits. */
  readonly timeoutMs: number;
  /** Whether each test gets its own Godot process with fresh autoloads and static variables. */
  readonly isolate: boolean;
  readonly progress: (progress: Progress) => void;
  /** Receives the printed lines of each test, or of each run of a framework. */
  readonly onOutput: (lines: readonly string[]) => void;
}

/** From the last message of a Godot process to its end, including its crash report. */
const GRACE_MS = 5_000;

/**
 * Runs tests one after the other. After a test that hangs or crashes Godot, the next one gets a new
 * Godot process.
 */
export async function runTests(
  tests: readonly FoundTest[],
  options: RunOptions,
): Promise<Result<TestResult[]>> {
  const results: TestResult[] = [];
  let running: RunnerProcess | undefined;
  try {
    for (const [index, test] of tests.entries()) {
      if (running === undefined) {
        const home = join(cacheFolder(options.env, process.platform), "home");
        const env = headlessEnvironment(options.env, home);
        const started = await startRunner({ ...options, args: ["--headless"], env });
        if (!started.ok) return started;
        running = started.value;
      }
      const result = await runOne(running, test, options);
      if (!result.ok) return result;
      results.push(result.value);
      const { verdict } = result.value;
      options.progress({ done: index + 1, total: tests.length, message: `${test.test}: ${verdict}` });
      if (options.isolate || !running.alive || running.breaks.isSpent || verdict === "timeout") {
        await running.end();
        running = undefined;
      }
    }
    return ok(results);
  } finally {
    await running?.end();
  }
}

async function runOne(
  godot: RunnerProcess,
  test: FoundTest,
  { timeoutMs, clock, signal, onOutput }: RunOptions,
): Promise<Result<TestResult>> {
  const startedAt = clock.now();
  const answer = await godot.ask("test", { path: test.file, test: test.test }, timeoutMs);
  const about = { suite: test.file, case: test.test, file: test.file, line: test.line };
  if (answer.ok) {
    // Both sides of the connection are ours.
    const heardOf = answer.value as unknown as RunnerAnswer;
    onOutput(heardOf.output ?? []);
    return ok({ ...about, ...heard(heardOf, godot.breaks.take()) });
  }
  if (signal.aborted) return answer;
  const isLate = answer.failure.code === "E_TIMEOUT";
  const durationMs = clock.now() - startedAt;
  const before = godot.breaks.take();
  const failure = isLate ? await lateFailure(godot, timeoutMs) : await crashFailure(godot);
  const output = crashOf(godot.output, packageFolder).output.slice(-30);
  onOutput(output);
  return ok({
    ...about,
    verdict: isLate ? "timeout" : "crashed",
    durationMs,
    failures: [{ file: about.file, line: about.line, ...failure }, ...errorsIn(before)],
    output,
  });
}

async function lateFailure(godot: RunnerProcess, timeoutMs: number): Promise<TestFailure> {
  const at = await godot.breaks.whereNow();
  await godot.end();
  const stack = at?.stack.filter(({ file }) => !file.startsWith(packageFolder)) ?? [];
  const late = `It did not end within ${timeoutMs} ms and was stopped`;
  if (at === undefined || stack.length === 0) return { message: `${late} while it waited.` };
  const failure = placed({ message: `${late}.`, stack, locals: at.locals });
  return { ...failure, message: `${late} at ${failure.file}:${failure.line}.` };
}

/** Removes duplicates of a location. */
function errorsIn(breaks: readonly Break[]): TestFailure[] {
  const byPlace = new Map(
    breaks.map(({ reason, stack, locals }) => {
      const failure = placed({ message: `Before that: ${reason}`, stack, locals });
      return [`${failure.file}:${failure.line}`, failure];
    }),
  );
  return [...byPlace.values()];
}

async function crashFailure(godot: RunnerProcess): Promise<TestFailure> {
  const exit = await godot.end(GRACE_MS);
  const { stack } = crashOf(godot.output, packageFolder);
  return placed({
    message: `Godot ended during the test (${exit.signal ?? `exit code ${exit.code}`}).`,
    ...(stack.length > 0 && { stack }),
  });
}

/** The answer of `engine/test_runner.gd`. */
interface RunnerAnswer {
  readonly failures: readonly Omit<TestFailure, "file" | "line">[];
  readonly skipped: string;
  /** True if a call or callback of the test still used its check some time after the test. */
  readonly isHeld: boolean;
  readonly usec: number;
  readonly orphans: number;
  /** From Godot 4.5 on. */
  readonly output?: readonly string[];
  readonly errors?: readonly HeardError[];
}

interface HeardError extends StackFrame {
  readonly severity: "error" | "warning" | "script_error" | "shader_error";
  readonly message: string;
  readonly stack: readonly StackFrame[];
}

const HELD =
  "warning: A call that was not awaited, or a callback, still held the check 30 frames after the test: what it checks later is not reported. Await it.";

function heard(answer: RunnerAnswer, breaks: readonly Break[]): Omit<TestResult, "suite" | "case"> {
  const { errors = [], skipped, output = [] } = answer;
  const broken = errors.filter(({ severity }) => severity === "script_error");
  const others = errors.filter(({ severity }) => severity !== "script_error");
  const notes = [...others.map(describe), ...(answer.isHeld ? [HELD] : [])];
  const failures = [...broken.map((error) => brokenOff(error, breaks)), ...answer.failures.map(placed)];
  const verdict: Verdict =
    broken.length > 0 ? "error" : failures.length > 0 ? "failed" : skipped === "" ? "passed" : "skipped";
  return {
    verdict,
    durationMs: answer.usec / 1000,
    ...(failures.length > 0 && { failures }),
    ...(skipped !== "" && { skipped }),
    ...(failures.length > 0 && output.length > 0 && { output }),
    ...(notes.length > 0 && { errors: notes }),
    ...(answer.orphans > 0 && { orphans: answer.orphans }),
  };
}

function placed(failure: Omit<TestFailure, "file" | "line">): TestFailure {
  const [top] = failure.stack ?? [];
  return { ...failure, ...(top !== undefined && { file: top.file, line: top.line }) };
}

function brokenOff({ message, file, line, stack }: HeardError, breaks: readonly Break[]): TestFailure {
  const [top = { file, line }] = stack;
  const locals = breaks.find(
    ({ stack: [at] }) => at !== undefined && at.file === top.file && at.line === top.line,
  )?.locals;
  return { message, file: top.file, line: top.line, stack, ...(locals !== undefined && { locals }) };
}

function describe({ severity, message, file, line, stack }: HeardError): string {
  const [top = { file, line }] = stack;
  return `${severity}: ${message} (${top.file}:${top.line})`;
}
