import { once } from "node:events";
import { styleText } from "node:util";

export interface Terminal {
  /** Results, to stdout. */
  readonly out: (text: string) => void;
  /** Anything else, to stderr. */
  readonly err: (text: string) => void;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** True if a person can be prompted. */
  readonly isInteractive: boolean;
  readonly hasColor: boolean;
  /** Characters per line. */
  readonly width: number;
  /** Undefined without an answer. */
  readonly ask: (question: string, signal?: AbortSignal) => Promise<string | undefined>;
}

export type Paint = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Unchanged if the terminal has no colors. */
export function paint(terminal: Pick<Terminal, "hasColor">, style: Paint, text: string): string {
  return terminal.hasColor ? styleText(style, text, { validateStream: false }) : text;
}

/** Colors depend on `NO_COLOR`, `FORCE_COLOR` and the terminal. */
export function processTerminal(): Terminal {
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: withoutPlaceholders(process.env),
    isInteractive,
    hasColor: hasColor(process.env, process.stdout),
    width: process.stdout.columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH,
    async ask(question, signal) {
      if (!isInteractive) return undefined;
      // Loaded on the first question, to keep it out of every start.
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      // In raw mode, Ctrl-C sends no signal by itself.
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
      const ended = once(lines, "close").then(() => undefined);
      // Rejects only for Ctrl-C, Ctrl-D or the signal.
      const answered = lines
        .question(question, signal === undefined ? {} : { signal })
        .catch(() => undefined);
      const answer = await Promise.race([answered, ended]);
      lines.close();
      if (answer === undefined && !signal?.aborted) process.stdout.write("\n");
      return answer;
    },
  };
}

/** Without unfilled placeholders, such as `${user_config.folder}` of desktop clients. */
function withoutPlaceholders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const unfilled = Object.keys(env).filter((name) => /^\$\{[\w.]+\}$/.test(env[name] ?? ""));
  if (unfilled.length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !unfilled.includes(name)));
}

/** For output to a file or pipe. */
const DEFAULT_WIDTH = 80;

function hasColor(env: Readonly<NodeJS.ProcessEnv>, stream: NodeJS.WriteStream): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && stream.hasColors();
}

/** Two spaces apart. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell));
  return rows
    .map((row) => {
      const cells = row.map((cell, i) =>
        i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - width(cell)),
      );
      return `${indent}${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** Only for text without colors. */
export function clip(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Without color codes. */
function width(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a color code.
  return text.replace(/\u001b\[[0-9;]*m/g, "").length;
}
