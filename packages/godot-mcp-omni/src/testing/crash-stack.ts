import type { StackFrame } from "./test-results.ts";

/** The parsed output of a Godot process that crashed. */
export interface Crash {
  /** Without the traces. */
  readonly output: readonly string[];
  /** The script stack at the crash, innermost first; empty without a crash. */
  readonly stack: readonly StackFrame[];
}

/** The crash handler writes a trace of the engine, then one of the scripts: `[0] jump (res://player.gd:14)`. */
export function crashOf(lines: readonly string[], ownFolder: string): Crash {
  const output: string[] = [];
  const stack: StackFrame[] = [];
  const crashedAt = lines.findLastIndex((line) => line.startsWith("handle_crash:"));
  for (const [index, line] of lines.entries()) {
    const frame = frameOf(line.trimStart());
    if (frame === undefined) {
      if (!isRuling(line)) output.push(line);
      continue;
    }
    const { file, line: number, function: name } = frame;
    const isScript = file !== "??" && !file.startsWith(ownFolder);
    if (isScript && crashedAt !== -1 && index > crashedAt) stack.push({ file, line: number, function: name });
  }
  return { output, stack };
}

/** `[0] jump (res://player.gd:14)`. A line that a test printed may be long, so the parts are found from its ends. */
function frameOf(line: string): StackFrame | undefined {
  const head = /^\[\d+\] /.exec(line)?.[0].length;
  const tail = /:(\d+)\)$/.exec(line);
  if (head === undefined || tail === null) return undefined;
  const open = line.lastIndexOf(" (", tail.index - 3);
  if (open <= head) return undefined;
  return { function: line.slice(head, open), file: line.slice(open + 2, tail.index), line: Number(tail[1]) };
}

function isRuling(line: string): boolean {
  return /^(?:=+|-- END OF .*|.*backtrace \(most recent call first\):)$/i.test(line.trimStart());
}
