import { parseArgs } from "node:util";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
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
  const bad = results.filter(({ complaints }) => complaints.length > 0).length;
  const deaths = results.reduce((sum, result) => sum + result.deaths, 0);
  const timed = results.filter(({ weathers }) => weathers.some((name) => timeWeathers.includes(name))).length;
  const doubts = results.filter(({ hasDoubt }) => hasDoubt).length;
  console.log(
    `${engine}: ${runs} runs, ${deaths} servers killed, ${timed} runs with wrong clocks or late effects, ${doubts} doubts for a person, ${bad} runs with complaints`,
  );
  return bad === 0;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      sqlite: { type: "string", default: "1000" },
      postgres: { type: "string", default: "200" },
      kills: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
    },
  });
  const isFine = await runFullChaos({
    sqlite: Number(values.sqlite),
    postgres: Number(values.postgres),
    postgresKillRounds: Number(values.kills),
    firstSeed: Number(values.seed),
  });
  process.exitCode = isFine ? 0 : 1;
}
