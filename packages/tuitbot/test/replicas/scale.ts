import { readFile } from "node:fs/promises";
import { saveAgent } from "../../src/agents/agents.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { type Agent, connectAgent, type Fleet, startFleet } from "./fleet.ts";
import { fairness, most, predict } from "./model.ts";
import { query } from "./runners.ts";

export interface Scale {
  readonly accounts: number;
  readonly agents: number;
  /** How long each part is measured. */
  readonly seconds: number;
}

type Tell = (what: string, figure: string, isGood?: boolean) => void;

/**
 * Many accounts on three replicas and one PostgreSQL. Each agent may act for its own part of the accounts and calls for
 * one after the other, without a pause: nine reads of what is stored, then a draft that is written. Everything runs on
 * this machine, and other work on it is measured too.
 */
export async function runScale({ accounts, agents, seconds }: Scale, tell: Tell): Promise<void> {
  const names = Array.from({ length: accounts }, (_, index) => `a${index}`);
  const slow = names[accounts - 1] ?? "";
  const began = performance.now();
  const fleet = await startFleet(3, {}, { names });
  try {
    tell("start", `${seconds1(performance.now() - began)} s for three replicas and ${accounts} sign-ins`);
    const clients = await connectAgents(fleet, names, agents);
    const opening = performance.now();
    await Promise.all(
      clients.map(async ({ agent, own }) => {
        for (const account of own) await agent.call("list_drafts", { account });
      }),
    );
    tell("first calls", `${seconds1(performance.now() - opening)} s until every account was used`);
    tell("  memory of each replica", (await memoriesOf(fleet)).join(", "));
    const points: Point[] = [];
    for (const count of [1, Math.ceil(agents / 10), Math.ceil(agents / 3), agents]) {
      const some = clients.slice(0, count);
      // On every replica first, since each request goes to the next.
      for (let replica = 0; replica < (count < agents ? 3 : 1); replica++)
        await Promise.all(
          some.map(async ({ agent, own }) => {
            for (const account of own) await agent.call("list_drafts", { account });
          }),
        );
      points.push(await measured(fleet, some, seconds));
    }
    const [alone] = points;
    // The waiting time of a single agent, without computing.
    const { meanMs = 0, cpuMs: busyMs = 0, cores: free = 1 } = alone ?? {};
    const waitMs = Math.max(0, meanMs - busyMs / Math.min(1, free));
    for (const { count, callsPerSecond, p50, p99, cpuMs, postgresMs, cores } of points) {
      const model = predict({ cpuMs, waitMs }, cores, count);
      const off = Math.abs(model.callsPerSecond - callsPerSecond) / callsPerSecond;
      tell(
        `${count} agents`,
        `${callsPerSecond.toFixed(1)} calls a second, p50 ${p50} ms, p99 ${p99} ms; ${cpuMs.toFixed(2)} ms of computing a call (${postgresMs.toFixed(2)} in PostgreSQL), ${cores.toFixed(2)} cores left by other work; the model says ${model.callsPerSecond.toFixed(1)} (${(off * 100).toFixed(0)} % off)`,
      );
    }
    tell("  waits without computing", `${waitMs.toFixed(2)} ms a call`);
    const last = points.at(-1);
    if (last !== undefined) {
      // Each has its own accounts and calls for one after the other; a short run reaches each account a few times or never.
      const index = fairness(last.perAgent);
      tell("  fairness over agents, each with its own accounts", index.toFixed(3), index > 0.8);
      tell("  failed calls", JSON.stringify(last.failed), Object.keys(last.failed).length === 0);
      tell("  a PostgreSQL with a core to itself", `${most(last.postgresMs, 1).toFixed(0)} calls a second`);
    }
    tell("  memory of each replica", (await memoriesOf(fleet)).join(", "));
    const [connections] = await query(
      fleet,
      "select count(*) as n from pg_stat_activity where usename = 'tuitbot'",
    );
    tell("  connections to PostgreSQL", String(connections?.n));

    const others = clients.slice(0, 10);
    const before = await measured(fleet, others, seconds);
    fleet.sandbox.faults.add({ operation: "createPosts", kind: "slow", count: 100_000, delayMs: 4_000 });
    const stop = new AbortController();
    const holding = clients.at(-1);
    const held = Array.from({ length: 20 }, async (_, number) => {
      for (let round = 0; !stop.signal.aborted; round++)
        await holding?.agent.call("x_post_tweet", { account: slow, text: `slow ${number} ${round}` });
    });
    const during = await measured(fleet, others, seconds);
    stop.abort();
    await Promise.all(held);
    tell(
      "one slow account",
      `20 posts of it always wait 4 s for X; ten agents of others: p50 ${before.p50} ms, p99 ${before.p99} ms before, p50 ${during.p50} ms, p99 ${during.p99} ms meanwhile`,
      during.p99 < 4_000,
    );
    await Promise.all(clients.map(({ agent }) => agent.close()));
  } finally {
    await fleet.stop();
  }
}

interface Client {
  readonly agent: Agent;
  readonly own: readonly string[];
}

async function connectAgents(
  fleet: Fleet,
  names: readonly string[],
  count: number,
): Promise<readonly Client[]> {
  const opened = await openStore({ url: fleet.databaseUrl, path: "" }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const share = Math.floor(names.length / count);
  const clients: Client[] = [];
  for (let index = 0; index < count; index++) {
    const own = names.slice(index * share, (index + 1) * share);
    const none = { perDay: undefined, perMonth: undefined, subject: undefined, expiresAt: undefined };
    const agent = { name: `agent-${index}`, profile: "write", accounts: own, limits: [], ...none };
    const token = await saveAgent(opened.value.db, agent, Date.now());
    clients.push({ agent: await connectAgent(fleet.proxy.url, agent.name, token), own });
  }
  await opened.value.close();
  return clients;
}

interface Point {
  readonly count: number;
  readonly callsPerSecond: number;
  readonly meanMs: number;
  readonly p50: number;
  readonly p99: number;
  /** How many calls failed, by code. */
  readonly failed: Readonly<Record<string, number>>;
  readonly perAgent: readonly number[];
  /** Computed for a call by everything here: servers, PostgreSQL, and this process with agents, proxy and X. */
  readonly cpuMs: number;
  readonly postgresMs: number;
  /** Cores that other work on the machine left. */
  readonly cores: number;
}

async function measured(fleet: Fleet, clients: readonly Client[], seconds: number): Promise<Point> {
  const perAgent = clients.map(() => 0);
  const elapsed: number[] = [];
  const failed: Record<string, number> = {};
  const usedBefore = await computed(fleet);
  const began = performance.now();
  const end = began + seconds * 1_000;
  await Promise.all(
    clients.map(async ({ agent, own }, index) => {
      for (let number = index; performance.now() < end; number++) {
        const account = own[number % own.length] ?? "";
        const started = performance.now();
        const answer =
          number % 10 === 9
            ? await agent.call("create_draft", { account, texts: [`Number ${number} of ${account}`] })
            : await agent.call("list_drafts", { account });
        elapsed.push(performance.now() - started);
        perAgent[index] = (perAgent[index] ?? 0) + 1;
        if (!("broken" in answer) && answer.success) continue;
        const code = "broken" in answer ? answer.broken : (answer.error?.code ?? "unknown");
        failed[code] = (failed[code] ?? 0) + 1;
      }
    }),
  );
  const tookMs = performance.now() - began;
  const used = await computed(fleet);
  const calls = elapsed.length;
  const ownMs = used.ownMs - usedBefore.ownMs;
  const sorted = elapsed.toSorted((one, other) => one - other);
  const at = (part: number) => Math.round(sorted[Math.floor((calls - 1) * part)] ?? 0);
  return {
    count: clients.length,
    callsPerSecond: calls / (tookMs / 1_000),
    meanMs: elapsed.reduce((sum, ms) => sum + ms, 0) / calls,
    p50: at(0.5),
    p99: at(0.99),
    failed,
    perAgent,
    cpuMs: ownMs / calls,
    postgresMs: (used.postgresMs - usedBefore.postgresMs) / calls,
    cores: used.cores - (used.busyMs - usedBefore.busyMs - ownMs) / tookMs,
  };
}

/** Processor time used so far on this machine, and by the trial's processes. */
async function computed(fleet: Fleet) {
  const backends = await query(fleet, "select pid from pg_stat_activity");
  const sum = async (pids: readonly unknown[]) =>
    (await Promise.all(pids.map(cpuOf))).reduce((total, ms) => total + ms, 0);
  const postgresMs = await sum(backends.map(({ pid }) => pid));
  const stat = (await readFile("/proc/stat", "utf8")).split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    stat[0]?.trim().split(/\s+/).slice(1).map(Number) ?? [];
  return {
    postgresMs,
    ownMs: postgresMs + (await sum([process.pid, ...fleet.replicas.map(({ pid }) => pid())])),
    busyMs: (user + nice + system + irq + softirq + steal) * TICK_MS,
    cores: stat.filter((line) => /^cpu\d/.test(line)).length,
  };
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

async function cpuOf(pid: unknown): Promise<number> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

function memoriesOf(fleet: Fleet): Promise<readonly string[]> {
  return Promise.all(
    fleet.replicas.map(async ({ pid }) => {
      const status = await readFile(`/proc/${pid()}/status`, "utf8").catch(() => "");
      return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)} MB`;
    }),
  );
}

function seconds1(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
