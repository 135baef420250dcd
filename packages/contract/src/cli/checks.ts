import { columns, type Paint, paint, type Terminal } from "./terminal.ts";

/** One thing that a program needs and that was looked at, by a command such as `doctor`. */
export interface Check {
  readonly name: string;
  /** `warning` is worth knowing, `failed` is in the way. */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** The checks for a person: a line each, and one more that says how to mend what is wrong. */
export function shownChecks(checks: readonly Check[], terminal: Pick<Terminal, "hasColor">): string {
  return columns(
    checks.flatMap(({ name, status, message, fix }) => {
      const row = [paint(terminal, STYLES[status], status), name, message];
      return fix === undefined ? [row] : [row, ["", "", paint(terminal, "cyan", `→ ${fix}`)]];
    }),
  );
}

const STYLES: Readonly<Record<Check["status"], Paint>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  skipped: "dim",
};
