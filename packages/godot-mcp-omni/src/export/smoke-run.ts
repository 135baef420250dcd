import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { cacheFolder, type Environment, headlessEnvironment } from "../godot/environment.ts";
import type { LoggedProblem } from "./engine-log.ts";
import { runLogged } from "./logged-run.ts";

export interface SmokeOptions {
  /** The build, or a Godot that runs a pack. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** The maximum number of frames; a game may quit earlier. */
  readonly frames: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How a build behaved in its first frames. */
export interface SmokeRun {
  /** True where it exited with 0 and reported no error. */
  readonly isFine: boolean;
  readonly exit: number | null;
  /** True where it was stopped after the time limit. */
  readonly tookTooLong: boolean;
  readonly problems: readonly LoggedProblem[];
  readonly output: readonly string[];
}

const MOST_LINES = 50;

/** Runs some frames of a build without a window and reports what went wrong. */
export async function smokeRun(options: SmokeOptions): Promise<Outcome<SmokeRun, Failure<"E_TIMEOUT">>> {
  const { command, args, env, frames, timeoutMs, clock, signal } = options;
  const cache = cacheFolder(env, process.platform);
  const logs = join(cache, "logs");
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const { ended, problems, output } = await runLogged(command, {
    args: [...args, "--headless", "--quit-after", String(frames)],
    env: headlessEnvironment(env, join(cache, "home")),
    logFile: join(logs, `${randomBytes(6).toString("hex")}.txt`),
    timeoutMs,
    clock,
    signal,
  });
  if (!ended.ok && signal.aborted) return ended;
  const exit = ended.ok ? ended.value.code : null;
  return ok({
    isFine: exit === 0 && !problems.some(({ severity }) => severity === "error"),
    exit,
    tookTooLong: !ended.ok,
    problems,
    output: output.slice(0, MOST_LINES),
  });
}
