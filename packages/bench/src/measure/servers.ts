import { join } from "node:path";
import type { Figures, Transport } from "../metrics.ts";
import type { Target, TargetName } from "../targets.ts";
import type { Connection } from "../wire/connection.ts";
import { openHttp } from "../wire/http-client.ts";
import { openStdio } from "../wire/stdio-client.ts";
import { type ColdStart, coldStart } from "./cold-start.ts";
import { median, quantile, sum } from "./statistics.ts";
import { type RoundCounts, type SteadyRound, steadyRound } from "./steady-round.ts";

export interface Counts extends RoundCounts {
  /** They fill the disk cache and the compile cache. */
  readonly warmUpStarts: number;
  readonly starts: number;
  readonly settleMs: number;
  /** They get a server's code compiled. */
  readonly warmUpRounds: number;
  readonly rounds: number;
}

/** Alternates targets by start and round: noise affects all of them. A framework that fails is left out. */
export async function measureServers(
  targets: readonly Target[],
  transport: Transport,
  folder: string,
  counts: Counts,
  say: (line: string) => void,
  leaveOut: (name: TargetName, why: string) => void,
): Promise<Partial<Record<TargetName, Figures>>> {
  let courses = targets.map(({ name, era }) => ({
    name,
    open: () => (transport === "stdio" ? openStdio : openHttp)(join(folder, `${name}.js`), era),
    starts: [] as ColdStart[],
    startsAtOnce: [] as ColdStart[],
    rounds: [] as SteadyRound[],
  }));
  const { warmUpStarts, starts, settleMs, warmUpRounds, rounds } = counts;

  say(`${transport}: ${starts} cold starts of each`);
  for (let i = 0; i < warmUpStarts + starts; i++)
    for (const course of courses)
      try {
        course.starts.push(await coldStart(course.open, settleMs));
        course.startsAtOnce.push(await coldStart(course.open, 0));
      } catch (error) {
        if (!OF_OTHERS.has(course.name)) throw error;
        courses = courses.filter((one) => one !== course);
        say((error as Error).message);
        leaveOut(course.name, `it does not serve over ${transport}`);
      }

  say(
    `${transport}: ${rounds} rounds of ${counts.listsPerRound} lists and 2 × ${counts.callsPerRound} calls`,
  );
  const connections: Connection[] = [];
  try {
    for (const { open } of courses) connections.push(await open());
    for (let i = 0; i < warmUpRounds + rounds; i++)
      for (const [index, connection] of connections.entries())
        courses[index]?.rounds.push(await steadyRound(connection, counts));
  } finally {
    for (const connection of connections) await connection.close();
  }
  return Object.fromEntries(
    courses.map((course) => [
      course.name,
      figuresOf(
        course.starts.slice(warmUpStarts),
        course.startsAtOnce.slice(warmUpStarts),
        course.rounds.slice(warmUpRounds),
      ),
    ]),
  );
}

/** Their next version may break the benchmark. */
const OF_OTHERS: ReadonlySet<TargetName> = new Set(["fastmcp", "mcp-ts-core", "xmcp", "mcp-use"]);

function figuresOf(
  starts: readonly ColdStart[],
  startsAtOnce: readonly ColdStart[],
  rounds: readonly SteadyRound[],
): Figures {
  const lists = rounds.flatMap((round) => round.listsMs);
  const calls = rounds.flatMap((round) => round.callsMs);
  return {
    coldStartMs: median(starts.map((start) => start.ms)),
    coldStartCpuMs: median(starts.map((start) => start.cpuMs)),
    memoryMb: median(starts.map((start) => start.memoryMb)),
    firstListMs: median(starts.map((start) => start.firstListMs)),
    firstCallMs: median(starts.map((start) => start.firstCallMs)),
    firstCallAtOnceMs: median(startsAtOnce.map((start) => start.firstCallMs)),
    startToCallMs: median(startsAtOnce.map((start) => start.ms + start.firstListMs + start.firstCallMs)),
    listBytes: median(starts.map((start) => start.listBytes)),
    inputListBytes: median(starts.map((start) => start.inputListBytes)),
    listMs: median(lists),
    listCpuMs: sum(rounds.map((round) => round.listsCpuMs)) / lists.length,
    callP50Ms: median(calls),
    callP99Ms: quantile(calls, 0.99),
    callCpuUs: (1000 * sum(rounds.map((round) => round.callsCpuMs))) / calls.length,
    callsPerSecond: median(rounds.map((round) => round.callsPerSecond)),
  };
}
