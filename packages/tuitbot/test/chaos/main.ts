import { parseArgs } from "node:util";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
import { letRunsKill } from "./storage-weathers.ts";

export interface ChaosOptions {
  readonly sqlite: number;
  readonly postgres: number;
  readonly firstSeed: number;
}

/** The full proof that nothing is done twice and nothing is lost. Says what it finds; true when it finds nothing. */
export async function runFullChaos({ sqlite, postgres, firstSeed }: ChaosOptions): Promise<boolean> {
  const onSqlite = await campaign("SQLite", sqlite, firstSeed, undefined);
  // It writes to the disk as it does in use, and runs may kill it.
  const server = postgres > 0 ? letRunsKill(await startOwnPostgres()) : undefined;
  try {
    const onPostgres = await campaign("PostgreSQL", postgres, firstSeed, server?.url);
    return onSqlite && onPostgres;
  } finally {
    await server?.stop();
  }
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
    onResult: ({ story, complaints }) => {
      done += 1;
      if (complaints.length > 0) console.error(`${engine}: ${story}\n  ${complaints.join("\n  ")}`);
      else if (done % 50 === 0) console.log(`${engine}: ${done} of ${runs}`);
    },
  });
  const bad = results.filter(({ complaints }) => complaints.length > 0).length;
  const deaths = results.reduce((sum, result) => sum + result.deaths, 0);
  console.log(`${engine}: ${runs} runs, ${deaths} servers killed, ${bad} runs with complaints`);
  return bad === 0;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      sqlite: { type: "string", default: "500" },
      postgres: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
    },
  });
  const isFine = await runFullChaos({
    sqlite: Number(values.sqlite),
    postgres: Number(values.postgres),
    firstSeed: Number(values.seed),
  });
  process.exitCode = isFine ? 0 : 1;
}
