import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";

/** Where a command talks to the person, or to the program, that called it. */
export interface Terminal {
  /** Answers. */
  readonly out: (text: string) => void;
  /** Everything beside the answer. */
  readonly err: (text: string) => void;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Somebody reads and can be asked. */
  readonly isInteractive: boolean;
  readonly hasColor: boolean;
  /** A line from the person; undefined when there is nobody. */
  readonly ask: (question: string, signal?: AbortSignal) => Promise<string | undefined>;
}

/** The colours and weights in use. */
export type Paint = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A text in colour, where the terminal shows any. */
export function paint(terminal: Pick<Terminal, "hasColor">, style: Paint, text: string): string {
  return terminal.hasColor ? styleText(style, text, { validateStream: false }) : text;
}

/** The terminal of this process. Colours follow `NO_COLOR`, `FORCE_COLOR` and what the terminal can show. */
export function processTerminal(): Terminal {
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    isInteractive,
    hasColor: hasColor(process.env, process.stdout),
    async ask(question, signal) {
      if (!isInteractive) return undefined;
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      // The terminal is raw while it is read, so Ctrl-C sends no signal by itself.
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
      const ended = once(lines, "close").then(() => undefined);
      // A question is left without an answer only by Ctrl-C, Ctrl-D and a signal.
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

function hasColor(env: Readonly<NodeJS.ProcessEnv>, stream: NodeJS.WriteStream): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && stream.hasColors();
}

/** Cells in columns as wide as their longest, two spaces apart. */
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

/** Columns a text takes, colours not counted. */
function width(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour.
  return text.replace(/\u001b\[[0-9;]*m/g, "").length;
}
