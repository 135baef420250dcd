import { packageFolder } from "../godot/package-folder.ts";
import type { Value } from "./debugger/value.ts";
import type { GameError, OutputLine, StackFrame } from "./game-shapes.ts";

/** `output`: strings with their kinds: 0 printed, 1 error, 2 printed with colors. */
export function linesOf([texts, kinds]: readonly Value[]): readonly OutputLine[] {
  const lines = listOf(texts);
  const marks = listOf(kinds);
  return lines.map((text, index) => ({ text: String(text), isError: Number(marks[index]) === 1 }));
}

/** `error`: the time in four parts, file, function, line, error, description, whether it is a warning, and the stack. */
export function errorOf(data: readonly Value[]): Omit<GameError, "times"> {
  const [, , , , file, name, line, error, description, isWarning, , ...rows] = data;
  const stack = Array.from({ length: Math.floor(rows.length / 3) }, (_, index): StackFrame => {
    const [path, func, at] = rows.slice(index * 3);
    return { path: String(path), line: Number(at), function: String(func) };
  }).filter(({ path }) => !isOwn(path));
  // Errors such as push_error are raised in the engine's sources; readers need the script that caused them.
  const [top] = stack;
  const place = top ?? { path: String(file), line: Number(line), function: String(name) };
  return {
    severity: isWarning === true ? "warning" : "error",
    message: String(description === "" ? error : description),
    ...place,
    ...(place.path !== file && { source: `${String(file)}:${Number(line)}` }),
    stack,
  };
}

/** Whether a script belongs to this package and not to the game. */
export function isOwn(path: string): boolean {
  return path.startsWith(packageFolder);
}

function listOf(value: Value | undefined): readonly unknown[] {
  return typeof value === "object" && value !== null && "items" in value ? value.items : [];
}
