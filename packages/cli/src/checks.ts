import { columns, type Paint, paint, type Terminal } from "./terminal.ts";

/** The result of one check, by a command such as `doctor`. */
export interface Check {
  readonly name: string;
  /** A `warning` does not stop the program from working; `failed` does. */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** Formats each check as one line, with its fix on a second line. */
export function formatChecks(checks: readonly Check[], terminal: Pick<Terminal, "hasColor">): string {
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
