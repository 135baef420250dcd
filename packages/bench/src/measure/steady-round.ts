import { performance } from "node:perf_hooks";
import type { Connection } from "../wire/connection.ts";
import { cpuMs } from "./process-cost.ts";
import { callNoop, listTools } from "./requests.ts";

/** Times of one round of calls to a running server. */
export interface SteadyRound {
  readonly listsMs: readonly number[];
  readonly listsCpuMs: number;
  /** Calls one after the other. */
  readonly callsMs: readonly number[];
  readonly callsCpuMs: number;
  /** Calls with several at once. */
  readonly callsPerSecond: number;
}

export interface RoundCounts {
  readonly listsPerRound: number;
  readonly callsPerRound: number;
  readonly atOnce: number;
}

export async function steadyRound(connection: Connection, counts: RoundCounts): Promise<SteadyRound> {
  const { listsPerRound, callsPerRound, atOnce } = counts;
  const lists = await oneByOne(connection, listsPerRound, listTools);
  const calls = await oneByOne(connection, callsPerRound, callNoop);
  let left = callsPerRound;
  const started = performance.now();
  const worker = async () => {
    while (left-- > 0) await callNoop(connection);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return {
    listsMs: lists.ms,
    listsCpuMs: lists.cpuMs,
    callsMs: calls.ms,
    callsCpuMs: calls.cpuMs,
    callsPerSecond: (1000 * callsPerRound) / (performance.now() - started),
  };
}

async function oneByOne(
  connection: Connection,
  count: number,
  request: (connection: Connection) => Promise<unknown>,
): Promise<{ readonly ms: readonly number[]; readonly cpuMs: number }> {
  const ms: number[] = [];
  const cpuBefore = cpuMs(connection.pid);
  for (let i = 0; i < count; i++) {
    const asked = performance.now();
    await request(connection);
    ms.push(performance.now() - asked);
  }
  return { ms, cpuMs: cpuMs(connection.pid) - cpuBefore };
}
