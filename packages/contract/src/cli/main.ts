import { EXIT } from "./exit.ts";
import { type Program, runProgram } from "./program.ts";
import { processTerminal } from "./terminal.ts";

/**
 * Runs the program in this process. The first Ctrl-C asks the command to stop, the second ends it; a reader that
 * goes away, such as `head`, is no failure.
 *
 * ```ts
 * await main(program, { now: Date.now });
 * ```
 */
export async function main<Machine>(program: Program<Machine>, machine: Machine): Promise<void> {
  const stopping = new AbortController();
  process.on("SIGINT", () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    stopping.abort();
  });
  process.once("SIGTERM", () => stopping.abort());
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
    process.stderr.write(`${program.name}: The output cannot be written (${error.code ?? error.message}).\n`);
    process.exit(EXIT.failed);
  });
  // Where complaints cannot be written, the exit code has to tell.
  process.stderr.on("error", () => {});
  process.exitCode = await runProgram(
    program,
    process.argv.slice(2),
    processTerminal(),
    machine,
    stopping.signal,
  );
}
