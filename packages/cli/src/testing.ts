import { type Program, runProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";

export interface RunInMemoryOptions extends Partial<Pick<Terminal, "env" | "hasColor" | "width">> {
  readonly onOut?: (text: string) => void;
  readonly onErr?: (text: string) => void;
  /** Without it, the terminal is not interactive. */
  readonly answer?: (question: string) => string;
  readonly signal?: AbortSignal;
}

export interface RunInMemoryResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: () => Readonly<Record<string, unknown>>;
}

/**
 * Runs a command line with a terminal in memory, for tests.
 *
 * ```ts
 * const { code, out } = await runInMemory(program, ["greet", "Ada"], { now: Date.now });
 * ```
 */
export async function runInMemory<Machine>(
  program: Program<Machine>,
  words: readonly string[],
  machine: Machine,
  { env = {}, hasColor = false, width = 80, onOut, onErr, answer, signal }: RunInMemoryOptions = {},
): Promise<RunInMemoryResult> {
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => {
      out += text;
      onOut?.(text);
    },
    err: (text) => {
      err += text;
      onErr?.(text);
    },
    env,
    isInteractive: answer !== undefined,
    hasColor,
    width,
    ask: async (question) => answer?.(question),
  };
  const code = await runProgram(program, words, terminal, machine, signal ?? new AbortController().signal);
  return { code, out, err, json: () => JSON.parse(out) };
}
