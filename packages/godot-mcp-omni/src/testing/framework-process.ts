import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { startDebugged } from "../game/debugged-process.ts";
import type { Exit } from "../godot/process.ts";
import { type Break, BreakWatch } from "./break-watch.ts";

export interface FrameworkProcess {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The folder of the framework's own scripts, which are left out of stacks. */
  readonly ownFolder: string;
}

export interface FrameworkEnd {
  readonly exit: Exit;
  readonly output: readonly string[];
  /** Script errors. */
  readonly breaks: readonly Break[];
}

/**
 * Runs a framework's command line to its end. A debugger listens: without one, frameworks do not know the line of a
 * failure. On a time-out its stack is read before it is stopped.
 */
export async function runToEnd(
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
