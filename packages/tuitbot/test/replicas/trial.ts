import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { postedBy } from "../storage/world.ts";
import { connectAgent, type Replica, startFleet } from "./fleet.ts";
import { type CallCounts, startAgents } from "./rolling.ts";
import { query, runnerHolder, schedule, startRunner } from "./runners.ts";
import { runScale } from "./scale.ts";

/**
 * A trial of several replicas as an operator would run them: PostgreSQL, three servers behind a proxy, agents, two
 * runners; restarts, kills and a killed database meanwhile. Everything is on loopback.
 */
const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000" },
    /** Measures so many accounts instead. */
    accounts: { type: "string" },
    agents: { type: "string", default: "100" },
    seconds: { type: "string", default: "20" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(`Starts three replicas of tuitbot on PostgreSQL, with agents on simulated accounts, all on loopback.

  npm run trial:replicas                                     restarts and kills parts while agents use them
  npm run trial:replicas -- --calls 200                      the same with fewer calls
  npm run trial:replicas -- --accounts 1000 --agents 100     measures calls per second instead
    --seconds 20                                             for so long with each number of agents`);
  process.exit(0);
}
const calls = Number(values.calls);
const rows: [what: string, figure: string][] = [];
let isFine = true;
if (values.accounts === undefined) await restartsAndKills();
else {
  const { accounts, agents, seconds: each } = values;
  await runScale({ accounts: Number(accounts), agents: Number(agents), seconds: Number(each) }, tell);
}

const width = Math.max(...rows.map(([what]) => what.length));
console.log(`\n${rows.map(([what, figure]) => `${what.padEnd(width)}  ${figure}`).join("\n")}`);
process.exitCode = isFine ? 0 : 1;

async function restartsAndKills(): Promise<void> {
  const fleet = await startFleet(3, { TUITBOT_SERVER__DRAIN_DELAY_SECONDS: "2" });
  fleet.sandbox.faults.add({ operation: "createPosts", kind: "slow", count: 100_000, delayMs: 40 });
  try {
    // Reads of what is stored: X takes a hundred posts of an account in 15 minutes, which the rest of the trial needs.
    for (const agents of [1, 6, 24]) {
      const beganAt = performance.now();
      const steady = await startAgents(fleet, agents, 40 * agents, 0);
      await steady.ended;
      const perSecond = (40 * agents) / ((performance.now() - beganAt) / 1_000);
      tell(`${agents} agents`, `${perSecond.toFixed(1)} calls a second, ${latency(steady.counts)}`);
    }
    const [connections] = await query(
      fleet,
      "select count(*) as n from pg_stat_activity where usename = 'tuitbot'",
    );
    tell("  memory of each replica", (await Promise.all(fleet.replicas.map(memoryOf))).join(", "));
    tell("  connections to PostgreSQL", String(connections?.n));

    const rolling = await startAgents(fleet, 6, calls);
    for (const [index, replica] of fleet.replicas.entries()) {
      await rolling.reached(Math.floor((calls * (index + 1)) / 5));
      const code = await replica.stop("SIGTERM");
      if (code !== 0) tell(`exit of replica ${index}`, String(code), false);
      await replica.start();
      await fleet.proxy.noticed(replica.port);
    }
    await rolling.ended;
    const { broken, refused } = rolling.counts;
    tell(
      "rolling restart of three replicas",
      `${broken.length} of ${calls} calls broken`,
      broken.length === 0,
    );
    tell("  refused meanwhile", JSON.stringify(refused));
    tell("  latency", latency(rolling.counts));
    const out = postedBy(fleet.sandbox).map(({ text }) => text);
    tell("  posted twice", String(out.length - new Set(out).size), out.length === new Set(out).size);
    const missing = rolling.counts.posted.filter((text) => !out.includes(text));
    tell("  reported and not posted", String(missing.length), missing.length === 0);

    const direct = await Promise.all(
      fleet.replicas.map(({ port }) => connectAgent(`http://127.0.0.1:${port}/mcp`, "direct")),
    );
    const codes: Record<string, number> = {};
    for (let round = 0; round < 3; round++) {
      const answers = direct.flatMap((agent) => [agent.call("list_drafts"), agent.call("list_drafts")]);
      await fleet.postgres.crash();
      for (const answer of await Promise.all(answers)) {
        const name = "broken" in answer ? "broken" : (answer.error?.code ?? "done");
        codes[name] = (codes[name] ?? 0) + 1;
      }
    }
    const alive = fleet.replicas.filter(({ isAlive }) => isAlive()).length;
    tell(
      "three kills of PostgreSQL",
      `${alive} of 3 replicas live; answers ${JSON.stringify(codes)}`,
      alive === 3,
    );
    const again = await Promise.all(direct.map((agent) => agent.call("list_drafts")));
    tell("  then", JSON.stringify(again.map((answer) => "success" in answer && answer.success)));

    const first = startRunner(fleet);
    await until(async () => first.passes() > 0);
    const holder = await runnerHolder(fleet);
    const second = startRunner(fleet);
    await until(async () => second.said().includes("takes over"));
    await schedule(fleet, "Due after the death");
    const killedAt = performance.now();
    await first.kill();
    await until(async () => ![holder, undefined].includes(await runnerHolder(fleet)));
    const tookOver = performance.now() - killedAt;
    await until(async () => postedBy(fleet.sandbox).some(({ text }) => text === "Due after the death"));
    tell("kill -9 of the runner", `another has the lease after ${seconds(tookOver)}`, tookOver <= 15_000);
    tell("  what was due is out after", seconds(performance.now() - killedAt));

    // X carries out a request and never answers, so the runner is killed in the middle of it.
    fleet.sandbox.faults.add({ operation: "createPosts", kind: "hang", when: "after" });
    const third = startRunner(fleet);
    await until(async () => third.said().includes("takes over"));
    await second.kill();
    await schedule(fleet, "Interrupted");
    const fourth = startRunner(fleet);
    await until(async () => postedBy(fleet.sandbox).some(({ text }) => text === "Interrupted"));
    const cutAt = performance.now();
    await third.kill();
    await until(
      async () =>
        (await query(fleet, "select 1 from scheduled_posts where status = 'publishing'")).length === 0,
    );
    const copies = postedBy(fleet.sandbox).filter(({ text }) => text === "Interrupted").length;
    tell(
      "a post cut off by kill -9",
      `settled after ${seconds(performance.now() - cutAt)}, out ${copies} time`,
      copies === 1,
    );
    await fourth.kill();
    for (const agent of direct) await agent.close();
  } finally {
    await fleet.stop();
  }
}

function tell(what: string, figure: string, isGood = true): void {
  isFine &&= isGood;
  rows.push([what, isGood ? figure : `${figure}  <-- BAD`]);
  console.log(`${what}: ${figure}`);
}

function latency({ elapsedMs }: CallCounts): string {
  const sorted = elapsedMs.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

async function memoryOf({ pid }: Replica): Promise<string> {
  const status = await readFile(`/proc/${pid()}/status`, "utf8").catch(() => "");
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
  return kilobytes === undefined ? "not known" : `${Math.round(Number(kilobytes) / 1_024)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Bounded, so a trial always ends. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 180_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error("It took longer than three minutes.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
