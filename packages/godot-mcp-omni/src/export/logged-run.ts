import { open, readFile, rm } from "node:fs/promises";
import type { Clock } from "@toolpact/contract";
import type { Result } from "../errors.ts";
import { runProcess, type StartOptions } from "../godot/process.ts";
import { type EngineLog, readEngineLog } from "../testing/engine-log.ts";

export interface LoggedOptions extends StartOptions {
  /** The log file of Godot: complete and in order, unlike its two output streams. */
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

export interface LoggedRun extends EngineLog {
  readonly ended: Result<{ readonly code: number | null }, "E_TIMEOUT">;
}

const LOOK_MS = 200;
/** Only this much of a longer log is read, from its beginning. */
const MAX_BYTES = 4 << 20;

/** Runs Godot or an exported game to its end and reads its log. */
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
