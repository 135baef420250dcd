import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { EXIT } from "./command.ts";
import { type Program, runProgram } from "./program.ts";
import { processTerminal } from "./terminal.ts";

/**
 * Runs the program in this process. The first Ctrl-C stops the command, the second ends the process. A reader
 * that closes the pipe, such as `head`, is not a failure.
 *
 * ```ts
 * await main(program, { now: Date.now });
 * ```
 */
export async function main<Machine>(program: Program<Machine>, machine: Machine): Promise<void> {
  const stop = new AbortController();
  process.on("SIGINT", () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  });
  process.once("SIGTERM", () => stop.abort());
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
    process.stderr.write(`${program.name}: The output cannot be written (${error.code ?? error.message}).\n`);
    process.exit(program.failureCode ?? EXIT.failed);
  });
  // If messages cannot be written, only the exit code is left.
  process.stderr.on("error", () => {});
  // Waiting for a signal does not keep Node running.
  const keepAlive = setInterval(() => {}, 60_000);
  process.exitCode = await runProgram(
    program,
    process.argv.slice(2),
    processTerminal(),
    machine,
    stop.signal,
  );
  clearInterval(keepAlive);
}

export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

export interface LocalMachine {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Milliseconds, or until the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Executable and script; one file for a single executable. */
  readonly runtime: string;
  readonly script: string;
}

export function localMachine(): LocalMachine {
  return {
    home: homedir(),
    cwd: process.cwd(),
    platform: process.platform,
    pause: async (ms, signal) => {
      await setTimeout(ms, undefined, { signal }).catch((error) => {
        if (!signal.aborted) throw error;
      });
    },
    runtime: process.execPath,
    script: realpathSync(process.argv[1] ?? ""),
  };
}
