import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, RpcResult } from "../wire/connection.ts";
import { cpuMs, rssMb } from "./process-cost.ts";
import { callNoop, listTools } from "./requests.ts";

export interface ColdStart {
  /** From spawn to the first answer. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly firstListMs: number;
  readonly listBytes: number;
  /** Without the tools' output schemas. */
  readonly inputListBytes: number;
  readonly firstCallMs: number;
}

/**
 * Starts a server, waits for deferred work, lists, calls, and ends it. Without the wait it measures a hasty
 * client.
 */
export async function coldStart(open: () => Promise<Connection>, settleMs: number): Promise<ColdStart> {
  const started = performance.now();
  const connection = await open();
  try {
    const ms = performance.now() - started;
    const cpu = cpuMs(connection.pid);
    if (settleMs > 0) await sleep(settleMs);
    const memoryMb = rssMb(connection.pid);
    const asked = performance.now();
    const { bytes, result } = await listTools(connection);
    const listed = performance.now();
    await callNoop(connection);
    const firstCallMs = performance.now() - listed;
    const inputListBytes = withoutOutputSchemas(bytes, result);
    return {
      ms,
      cpuMs: cpu,
      memoryMb,
      firstListMs: listed - asked,
      listBytes: bytes,
      inputListBytes,
      firstCallMs,
    };
  } finally {
    await connection.close();
  }
}

function withoutOutputSchemas(bytes: number, { tools = [] }: RpcResult): number {
  return tools
    .filter((tool) => tool.outputSchema !== undefined)
    .reduce(
      (left, { outputSchema }) => left - `,"outputSchema":${JSON.stringify(outputSchema)}`.length,
      bytes,
    );
}
