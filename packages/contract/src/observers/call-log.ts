import type { JsonObject } from "../json.ts";
import type { EndedCall, Observer } from "../observer.ts";

/** Writes tool, caller, result, duration and reference of every call, without arguments and results. */
export function callLog(write: (line: JsonObject) => void): Observer {
  return {
    name: "call log",
    ended: (call) => write(lineOf(call, "call")),
    endedLate: (call) => write(lineOf(call, "call ended after its deadline")),
  };
}

function lineOf(
  { id, tool, action, caller, startedAt, elapsedMs, outcome }: EndedCall,
  event: string,
): JsonObject {
  const failure = outcome.ok === false ? outcome.failure : undefined;
  return {
    time: new Date(startedAt).toISOString(),
    level: failure === undefined ? "info" : "warning",
    event,
    reference: id,
    tool: tool.name,
    ...(action !== undefined && { action }),
    outcome: failure === undefined ? (outcome.ok ? "done" : "asked") : "failed",
    ...(failure !== undefined && { code: failure.code }),
    elapsed_ms: Math.round(elapsedMs * 10) / 10,
    transport: caller.transport,
    ...(caller.client !== undefined && { client: caller.client }),
    ...(caller.principal !== undefined && { principal: caller.principal }),
  };
}
