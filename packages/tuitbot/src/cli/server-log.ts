import type { JsonObject, Observer } from "@toolpact/contract";
import { type CallMetrics, callLog, callMetrics } from "@toolpact/contract/internal/cli";
import type { Config } from "../config/schema.ts";
import type { Context } from "./context.ts";

/** A server's output for its operator: lines on stderr, and metrics of its calls. */
export interface ServerLog {
  readonly write: (message: string, reference?: string) => void;
  readonly calls: CallMetrics;
  /** Those that see every call. */
  readonly observers: readonly Observer[];
}

export function serverLog({ format }: Config["logging"], { terminal }: Pick<Context, "terminal">): ServerLog {
  const calls = callMetrics();
  if (format === "text")
    return {
      write: (message) => terminal.err(`tuitbot: ${message}\n`),
      calls,
      observers: [calls.observer],
    };
  const line = (fields: JsonObject) => terminal.err(`${JSON.stringify(fields)}\n`);
  return {
    write: (message, reference) =>
      line({
        time: new Date().toISOString(),
        level: reference === undefined ? "warning" : "error",
        event: "message",
        ...(reference !== undefined && { reference }),
        message,
      }),
    calls,
    observers: [calls.observer, callLog(line)],
  };
}
