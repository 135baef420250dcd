import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figures, Transport } from "../metrics.ts";
import { noop } from "../servers/tools140.ts";
import type { Target, TargetName } from "../targets.ts";
import type { Connection } from "../wire/connection.ts";
import { openHttp } from "../wire/http-client.ts";
import { openStdio } from "../wire/stdio-client.ts";
import { cpuMs, rssMb } from "./process-cost.ts";
import { median, quantile } from "./statistics.ts";

/** How often everything is done. */
export interface Counts {
  readonly starts: number;
  /** Rest before memory is read, so that what a start left to do is done. */
  readonly settleMs: number;
  readonly rounds: number;
  readonly listsPerRound: number;
  readonly callsPerRound: number;
  readonly atOnce: number;
}

const WARM_UP_ROUNDS = 3;

/**
 * Measures all targets on one transport. They take turns, start by start and block by block, so that a noisy
 * moment of the machine hits them all.
 */
export async function measureServers(
  targets: readonly Target[],
  transport: Transport,
  folder: string,
  counts: Counts,
  say: (line: string) => void,
): Promise<Partial<Record<TargetName, Figures>>> {
  const courses = targets.map((target) => new Course(target, transport, folder, counts));
  say(`${transport}: ${counts.starts} cold starts`);
  // The first start only warms the disk cache and the compile cache.
  for (const course of courses) await course.start();
  for (const course of courses) course.forgetStarts();
  for (let round = 0; round < counts.starts; round++) for (const course of courses) await course.start();

  say(
    `${transport}: ${counts.rounds} rounds of ${counts.listsPerRound} lists and 2 × ${counts.callsPerRound} calls`,
  );
  try {
    for (const course of courses) await course.open();
    for (let round = 0; round < counts.rounds; round++) for (const course of courses) await course.round();
    return Object.fromEntries(courses.map((course) => [course.target.name, course.figures()]));
  } finally {
    for (const course of courses) await course.close();
  }
}

/** One target on one transport, and what was seen of it. */
class Course {
  readonly target: Target;
  private readonly transport: Transport;
  private readonly script: string;
  private readonly counts: Counts;
  private starts: { ms: number; cpuMs: number; memoryMb: number; firstListMs: number; listBytes: number }[] =
    [];
  private readonly lists: number[] = [];
  private readonly calls: number[] = [];
  private readonly callsPerSecond: number[] = [];
  private listsCpuMs = 0;
  private callsCpuMs = 0;
  private connection: Connection | undefined;
  private n = 0;

  constructor(target: Target, transport: Transport, folder: string, counts: Counts) {
    this.target = target;
    this.transport = transport;
    this.script = join(folder, `${target.name}.js`);
    this.counts = counts;
  }

  async start(): Promise<void> {
    const before = performance.now();
    const connection = await this.connect();
    const ms = performance.now() - before;
    const cpu = cpuMs(connection.pid);
    await sleep(this.counts.settleMs);
    const memoryMb = rssMb(connection.pid);
    const listing = performance.now();
    const { bytes } = await list(connection);
    const firstListMs = performance.now() - listing;
    await connection.close();
    this.starts.push({ ms, cpuMs: cpu, memoryMb, firstListMs, listBytes: bytes });
  }

  forgetStarts(): void {
    this.starts = [];
  }

  /** Opens the connection that all rounds use, and lets the server warm up on it. */
  async open(): Promise<void> {
    this.connection = await this.connect();
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await this.round();
    this.lists.length = 0;
    this.calls.length = 0;
    this.callsPerSecond.length = 0;
    this.listsCpuMs = 0;
    this.callsCpuMs = 0;
  }

  async round(): Promise<void> {
    const { connection, counts } = this;
    if (connection === undefined) throw new Error("Not open.");
    let cpu = cpuMs(connection.pid);
    for (let i = 0; i < counts.listsPerRound; i++) this.lists.push(await timed(() => list(connection)));
    this.listsCpuMs += cpuMs(connection.pid) - cpu;

    cpu = cpuMs(connection.pid);
    for (let i = 0; i < counts.callsPerRound; i++) this.calls.push(await timed(() => this.call(connection)));
    this.callsCpuMs += cpuMs(connection.pid) - cpu;

    let left = counts.callsPerRound;
    const worker = async () => {
      while (left-- > 0) await this.call(connection);
    };
    const ms = await timed(() => Promise.all(Array.from({ length: counts.atOnce }, worker)));
    this.callsPerSecond.push((counts.callsPerRound * 1000) / ms);
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  figures(): Figures {
    const { starts, lists, calls } = this;
    return {
      coldStartMs: median(starts.map((start) => start.ms)),
      coldStartCpuMs: median(starts.map((start) => start.cpuMs)),
      memoryMb: median(starts.map((start) => start.memoryMb)),
      firstListMs: median(starts.map((start) => start.firstListMs)),
      listBytes: median(starts.map((start) => start.listBytes)),
      listMs: median(lists),
      listCpuMs: this.listsCpuMs / lists.length,
      callP50Ms: median(calls),
      callP99Ms: quantile(calls, 0.99),
      callCpuUs: (1000 * this.callsCpuMs) / calls.length,
      callsPerSecond: median(this.callsPerSecond),
    };
  }

  private connect(): Promise<Connection> {
    return (this.transport === "stdio" ? openStdio : openHttp)(this.script, this.target.era);
  }

  private async call(connection: Connection): Promise<void> {
    const params = { name: noop.name, arguments: { n: this.n++ } };
    const { result } = await connection.request({ method: "tools/call", params });
    if (result.structuredContent === undefined) throw new Error(`${this.target.name} did not answer a call.`);
  }
}

async function list(connection: Connection) {
  const answer = await connection.request({ method: "tools/list", params: {} });
  if (answer.result.tools?.length !== 141) throw new Error("A server did not list all 141 tools.");
  return answer;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
