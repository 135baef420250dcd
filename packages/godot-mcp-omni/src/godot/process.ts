import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";

export interface StartOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the child outlives this process. */
  readonly outlive?: boolean;
  /** The number of last output lines to keep; 400 by default. */
  readonly keptLines?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running Godot and its child processes. */
export interface GodotProcess {
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  /** Its last lines of output, still readable after its end. */
  readonly output: readonly string[];
  /** Ends the whole process group at once. */
  kill(): Promise<Exit>;
}

const KEPT_LINES = 400;
const MAX_LINE = 2_000;

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) killGroup(child);
});

export function startProcess(path: string, options: StartOptions): GodotProcess {
  const child = spawn(path, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    // In a separate process group: a kill reaches its child processes too.
    detached: process.platform !== "win32",
    // The worker ends when its stdin closes.
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const output: string[] = [];
  keepLines(child.stdout, output, options.keptLines);
  keepLines(child.stderr, output, options.keptLines);
  child.stdin?.on("error", () => {});
  if (!options.outlive) living.add(child);
  const exited = new Promise<Exit>((resolve) => {
    child.on("error", (cause) => {
      output.push(cause.message);
      living.delete(child);
      resolve({ code: null, signal: null });
    });
    child.on("close", (code, signal) => {
      living.delete(child);
      resolve({ code, signal });
    });
  });
  if (options.outlive) child.unref();
  return {
    pid: child.pid,
    exited,
    output,
    kill() {
      killGroup(child);
      return exited;
    },
  };
}

/** Runs a program until it exits, or kills it with its child processes after a time limit. */
export async function runProcess(
  path: string,
  options: StartOptions & {
    readonly timeoutMs: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
    /** Name of the program in a failure. */
    readonly name?: string;
  },
): Promise<Result<{ code: number | null; output: readonly string[] }, "E_TIMEOUT">> {
  const started = startProcess(path, options);
  let reason: "time" | "abort" | undefined;
  const stop = (why: "time" | "abort") => () => {
    reason ??= why;
    void started.kill();
  };
  const onAbort = stop("abort");
  const stopTimer = options.clock.after(options.timeoutMs, stop("time"));
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const { code } = await started.exited;
  stopTimer();
  options.signal?.removeEventListener("abort", onAbort);
  if (reason === undefined) return ok({ code, output: started.output });
  const what =
    reason === "time" ? `did not end within ${options.timeoutMs} ms` : "was cancelled by the caller";
  return errors.fail("E_TIMEOUT", `${options.name ?? "Godot"} ${what} and was stopped.`, {
    details: { output: started.output.slice(-20) },
  });
}

/**
 * Ends a process with its child processes. On Windows the console build of Godot is a wrapper that starts the other
 * one; ending only its process would leave the game running.
 */
export function killGroup(
  child: Pick<ChildProcess, "pid">,
  platform: NodeJS.Platform = process.platform,
  start: (command: string, args: string[], options: SpawnOptions) => unknown = spawn,
): void {
  if (child.pid === undefined) return;
  if (platform === "win32") {
    start("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the group has ended already.
  }
}

/** Keeps the last lines of a stream, up to a maximum. */
export function keepLines(stream: NodeJS.ReadableStream | null, lines: string[], most = KEPT_LINES): void {
  let rest = "";
  /** Godot and test frameworks write color codes even without a terminal. */
  const keep = (text: string) => {
    const line = stripVTControlCharacters(text);
    if (line.trim() !== "") lines.push(line.slice(0, MAX_LINE));
  };
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = (parts.pop() ?? "").slice(-MAX_LINE);
    for (const line of parts) keep(line);
    if (lines.length > most) lines.splice(0, lines.length - most);
  });
  stream?.on("end", () => {
    keep(rest);
  });
}
