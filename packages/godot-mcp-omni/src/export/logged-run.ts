import { randomBytes } from "node:crypto";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Result } from "../errors.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "../godot/environment.ts";
import { runProcess, type StartOptions } from "../godot/process.ts";
import { list, text } from "../shapes.ts";
import { type EngineLog, loggedProblem, readEngineLog } from "../testing/engine-log.ts";

interface LoggedOptions extends StartOptions {
  /** The log file of Godot: complete and in order, unlike its two output streams. */
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

interface LoggedRun extends EngineLog {
  readonly ended: Result<{ readonly code: number | null }, "E_TIMEOUT">;
}

const LOOK_MS = 200;
/** A longer log is read only up to here. */
const MAX_BYTES = 4 << 20;

/** Runs Godot or an exported game until it exits and reads its log. */
export async function runLogged(path: string, options: LoggedOptions): Promise<LoggedRun> {
  const { logFile, onLine, clock } = options;
  const stopLooking = onLine === undefined ? () => {} : follow(logFile, clock, onLine);
  const ended = await runProcess(path, { ...options, args: ["--log-file", logFile, ...options.args] });
  stopLooking();
  const log = readEngineLog((await beginningOf(logFile)).split("\n"));
  await rm(logFile, { force: true });
  return { ended, ...log };
}

/** Calls back for each complete line soon after it was written. */
function follow(file: string, clock: Clock, onLine: (line: string) => void): () => void {
  let offset = 0;
  let isOver = false;
  let stopTimer = () => {};
  const look = async () => {
    const text = (await readFile(file, "utf8").catch(() => "")).slice(offset);
    const end = text.lastIndexOf("\n") + 1;
    offset += end;
    if (isOver) return;
    for (const line of text.slice(0, end).split("\n")) if (line !== "") onLine(line);
    stopTimer = clock.after(LOOK_MS, () => void look());
  };
  stopTimer = clock.after(LOOK_MS, () => void look());
  return () => {
    isOver = true;
    stopTimer();
  };
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

interface SmokeOptions {
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

export const smokeReport = z.strictObject({
  /** True if it exited with 0 and reported no error. */
  isFine: z.boolean(),
  exit: z.int().nullable(),
  /** True if it was stopped after the time limit. */
  tookTooLong: z.boolean(),
  problems: list(loggedProblem),
  output: list(text),
});

export type SmokeRun = z.infer<typeof smokeReport>;

const MAX_LINES = 50;

/** Runs some frames of a build without a window and reports problems. */
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
