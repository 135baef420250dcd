import { performance } from "node:perf_hooks";
import type { Connection } from "../wire/connection.ts";
import { cpuMs } from "./process-cost.ts";
import { callNoop, listTools } from "./requests.ts";

export interface SteadyRound {
  readonly listsMs: readonly number[];
  readonly listsCpuMs: number;
  /** Sequential. */
  readonly callsMs: readonly number[];
  readonly callsCpuMs: number;
  /** Concurrent. */
  readonly callsPerSecond: number;
}

export interface RoundCounts {
  readonly listsPerRound: number;
  readonly callsPerRound: number;
  readonly maxRoundMs: number;
  readonly atOnce: number;
}

export async function steadyRound(connection: Connection, counts: RoundCounts): Promise<SteadyRound> {
  const { listsPerRound, callsPerRound, maxRoundMs, atOnce } = counts;
  const lists = await oneByOne(connection, listsPerRound, Number.POSITIVE_INFINITY, listTools);
  const calls = await oneByOne(connection, callsPerRound, maxRoundMs, callNoop);
  let made = 0;
  const started = performance.now();
  const worker = async () => {
    while (made < callsPerRound && performance.now() - started < maxRoundMs) {
      made++;
      await callNoop(connection);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return {
    listsMs: lists.ms,
    listsCpuMs: lists.cpuMs,
    callsMs: calls.ms,
    callsCpuMs: calls.cpuMs,
    callsPerSecond: (1000 * made) / (performance.now() - started),
  };
}

async function oneByOne(
  connection: Connection,
  count: number,
  maxMs: number,
  request: (connection: Connection) => Promise<unknown>,
): Promise<{ readonly ms: readonly number[]; readonly cpuMs: number }> {
  const ms: number[] = [];
  const cpuBefore = cpuMs(connection.pid);
  const started = performance.now();
  for (let i = 0; i < count && performance.now() - started < maxMs; i++) {
    const asked = performance.now();
    await request(connection);
    ms.push(performance.now() - asked);
  }
  return { ms, cpuMs: cpuMs(connection.pid) - cpuBefore };
}
