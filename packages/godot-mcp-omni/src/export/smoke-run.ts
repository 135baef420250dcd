import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Result } from "../errors.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "../godot/environment.ts";
import { list, text } from "../shapes.ts";
import { loggedProblem } from "../testing/engine-log.ts";
import { runLogged } from "./logged-run.ts";

export interface SmokeOptions {
  /** The build, or a Godot process that runs a pack. */
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
export const smokeReport = z.strictObject({
  /** True where it exited with 0 and reported no error. */
  isFine: z.boolean(),
  exit: z.int().nullable(),
  /** True where it was stopped after the time limit. */
  tookTooLong: z.boolean(),
  problems: list(loggedProblem),
  output: list(text),
});

export type SmokeRun = z.infer<typeof smokeReport>;

const MAX_LINES = 50;

/** Runs some frames of a build without a window and reports what went wrong. */
export async function smokeRun(options: SmokeOptions): Promise<Result<SmokeRun, "E_TIMEOUT">> {
  const { command, args, env, frames, timeoutMs, clock, signal } = options;
  const cache = cacheFolder(env, process.platform);
  const logs = join(cache, "logs");
  makeFolderSync(logs);
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
    output: output.slice(0, MAX_LINES),
  });
}
