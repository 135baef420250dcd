import { parseArgs } from "node:util";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
import type { ChaosResult } from "./harness.ts";
import { TROUBLES } from "./oracle.ts";
import { megabytes, soak } from "./soak.ts";
import { postgresKills } from "./storage-postgres-kills.ts";
import { letRunsKill } from "./storage-weathers.ts";
import { timeWeathers } from "./weathers.ts";

export interface ChaosOptions {
  readonly sqlite: number;
  readonly postgres: number;
  /** How often PostgreSQL is killed, or its connections are lost, under one server that lives on. */
  readonly postgresKillRounds: number;
  readonly firstSeed: number;
}

/** The full proof that nothing is done twice and nothing is lost. Says what it finds; true when it finds nothing. */
export async function runFullChaos(options: ChaosOptions): Promise<boolean> {
  const { sqlite, postgres, postgresKillRounds, firstSeed } = options;
  // It writes to the disk as it does in use, and runs may kill it.
  const server = postgres > 0 ? letRunsKill(await startOwnPostgres()) : undefined;
  try {
    const fine = await Promise.all([
      campaign("SQLite", sqlite, firstSeed, undefined),
      campaign("PostgreSQL", postgres, firstSeed, server?.url),
    ]);
    return fine.every(Boolean) && (await kills(postgresKillRounds, firstSeed));
  } finally {
    await server?.stop();
  }
}

async function kills(rounds: number, seed: number): Promise<boolean> {
  if (rounds === 0) return true;
  const { exits, doubled, lost, refusals } = await postgresKills(rounds, seed);
  console.log(
    `PostgreSQL under one server: ${rounds} kills and lost connections, ${exits} exits, ${doubled.length} doubled, ${lost.length} lost; refused meanwhile: ${JSON.stringify(refusals)}`,
  );
  return exits + doubled.length + lost.length === 0;
}

async function campaign(
  engine: string,
  runs: number,
  firstSeed: number,
  postgresUrl: string | undefined,
): Promise<boolean> {
  if (runs === 0) return true;
  let done = 0;
  const results = await chaosCampaign({
    runs,
    firstSeed,
    postgresUrl,
    // Runs that kill the PostgreSQL they share cannot go on at once.
    jobs: postgresUrl === undefined ? 5 : 1,
    onResult: ({ story, complaints }) => {
      done += 1;
      console.log(`${engine} ${done}/${runs} ${complaints.length > 0 ? "BAD" : "ok"}: ${story}`);
      if (complaints.length > 0) console.error(`  ${complaints.join("\n  ")}`);
    },
  });
  const all = results.flatMap(({ complaints }) => complaints);
  const deaths = results.reduce((sum, result) => sum + result.deaths, 0);
  const share = (isMeant: (result: ChaosResult) => boolean) => {
    const count = results.filter(isMeant).length;
    return `${count} (${Math.round((100 * count) / runs)} %)`;
  };
  const approvals = results.reduce((sum, result) => sum + (result.approvals ?? 0), 0);
  const rows = {
    runs,
    "servers killed": deaths,
    "runs with wrong clocks or late effects": share(({ weathers }) =>
      weathers.some((name) => timeWeathers.includes(name)),
    ),
    "runs with approvals": `${share((result) => result.approvals !== undefined)}, ${approvals} approvals`,
    "runs with a message without a key": share(({ isKeyless }) => isKeyless),
    "doubts for a person": results.filter(({ hasDoubt }) => hasDoubt).length,
    ...Object.fromEntries(
      TROUBLES.map((trouble) => [trouble, all.filter((complaint) => complaint.startsWith(trouble)).length]),
    ),
  };
  console.log(`${engine}:`);
  for (const [name, value] of Object.entries(rows)) console.log(`  ${name}: ${value}`);
  return all.length === 0;
}

/** Half of the calls over stdio, half over HTTP. */
async function runSoak(calls: number): Promise<boolean> {
  let isFine = true;
  for (const transport of ["stdio", "http"] as const) {
    const { ends, complaints } = await soak(transport, calls / 2, (sample) => {
      if (sample.calls % (calls / 10) !== 0) return;
      const { heap, rss, timers, handles, listeners } = sample;
      console.log(
        `${transport} ${sample.calls} calls: heap ${megabytes(heap)} MB, RSS ${megabytes(rss)} MB, ${timers} timers, ${handles} handles, ${listeners} listeners`,
      );
    });
    console.log(`${transport}: ${JSON.stringify(ends)}`);
    for (const complaint of complaints) console.error(`${transport}: ${complaint}`);
    isFine &&= complaints.length === 0;
  }
  return isFine;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      calls: { type: "string", default: "100000" },
      sqlite: { type: "string", default: "1000" },
      postgres: { type: "string", default: "200" },
      kills: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
    },
  });
  const isFine = await (positionals[0] === "soak"
    ? runSoak(Number(values.calls))
    : runFullChaos({
        sqlite: Number(values.sqlite),
        postgres: Number(values.postgres),
        postgresKillRounds: Number(values.kills),
        firstSeed: Number(values.seed),
      }));
  process.exitCode = isFine ? 0 : 1;
}
