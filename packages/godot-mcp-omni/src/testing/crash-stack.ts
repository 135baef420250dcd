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
    const frame = /^\s*\[\d+\] (.+) \((.+):(\d+)\)$/.exec(line);
    if (frame === null) {
      if (!isRuling(line)) output.push(line);
      continue;
    }
    const [, name = "", file = "", number = ""] = frame;
    const isScript = file !== "??" && !file.startsWith(ownFolder);
    if (isScript && crashedAt !== -1 && index > crashedAt)
      stack.push({ file, line: Number(number), function: name });
  }
  return { output, stack };
}

function isRuling(line: string): boolean {
  return /^\s*(?:=+|-- END OF .*|.*backtrace \(most recent call first\):)$/i.test(line);
}
