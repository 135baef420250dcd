import { columns, type Paint, paint, type Terminal } from "./terminal.ts";

/** The result of one check, such as of `doctor`. */
export interface Check {
  readonly name: string;
  /** Only `failed` stops the program from working. */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  readonly fix?: string;
}

/** One line each, with its fix below. */
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
