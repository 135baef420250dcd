import * as z from "zod";
import { count, fileFrame, list, maybe, severity, text } from "../shapes.ts";
import type { StackFrame } from "./test-results.ts";

/** An error or a warning as Godot writes it into its log. */
export const loggedProblem = z.strictObject({
  severity,
  message: text,
  /** The script location, else the one in the engine. */
  file: maybe,
  line: z.int().exactOptional(),
  stack: list(fileFrame).exactOptional(),
  /** The number of occurrences, if more than one. */
  times: count.exactOptional(),
});

export type LoggedProblem = z.infer<typeof loggedProblem>;

export interface EngineLog {
  readonly problems: readonly LoggedProblem[];
  /** The other lines. */
  readonly output: readonly string[];
}

const MAX_PROBLEMS = 100;

/** Parses the log: `ERROR: message` with `at: function (file:line)` and the scripts' trace on the lines below. */
export function readEngineLog(lines: readonly string[]): EngineLog {
  const problems: { severity: "error" | "warning"; message: string; at?: StackFrame; stack: StackFrame[] }[] =
    [];
  const output: string[] = [];
  for (const line of lines) {
    const head = /^(?:USER |SCRIPT |SHADER )?(ERROR|WARNING): (.*)$/.exec(line);
    if (head !== null) {
      problems.push({
        severity: head[1] === "ERROR" ? "error" : "warning",
        message: head[2] ?? "",
        stack: [],
      });
      continue;
    }
    const current = problems.at(-1);
    const place = /^\s+(at:|\[\d+\]) (.+) \((.+):(\d+)\)$/.exec(line);
    if (place !== null && current !== undefined) {
      const [, mark, name = "", file = "", number = ""] = place;
      const frame = { file, line: Number(number), function: name };
      if (mark === "at:") current.at = frame;
      else current.stack.push(frame);
    } else if (line.trim() !== "" && !/^\s+\w+ backtrace \(most recent call first\):$/.test(line))
      output.push(line);
  }
  return { problems: counted(problems.map(placed)), output };
}

function placed({
  severity,
  message,
  at,
  stack,
}: {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly at?: StackFrame;
  readonly stack: readonly StackFrame[];
}): LoggedProblem {
  // A script that does not compile is the location of the error; the trace shows who loads it.
  const place = at?.file.startsWith("res://") ? at : (stack[0] ?? at);
  return {
    severity,
    message,
    ...(place !== undefined && { file: place.file, line: place.line }),
    ...(stack.length > 0 && { stack }),
  };
}

/** A game that fails in every frame repeats the same problem. */
function counted(problems: readonly LoggedProblem[]): readonly LoggedProblem[] {
  const times = new Map<string, { problem: LoggedProblem; times: number }>();
  for (const problem of problems) {
    const key = `${problem.severity} ${problem.message} ${problem.file}:${problem.line}`;
    const known = times.get(key);
    if (known !== undefined) known.times += 1;
    else if (times.size < MAX_PROBLEMS) times.set(key, { problem, times: 1 });
  }
  return [...times.values()].map(({ problem, times }) => (times === 1 ? problem : { ...problem, times }));
}
