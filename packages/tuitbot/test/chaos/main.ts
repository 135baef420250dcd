import { type Command, commandFor, commonOptions, EXIT, main, type Program } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import { startOwnPostgres } from "../postgres/server.ts";
import { chaosCampaign } from "./campaign.ts";
import type { ChaosResult } from "./harness.ts";
import { TROUBLES } from "./oracle.ts";
import { megabytes, soak } from "./soak.ts";
import { postgresKills } from "./storage-postgres-kills.ts";
import { letRunsKill } from "./storage-weathers.ts";
import { timeWeathers } from "./weathers.ts";

interface ChaosOptions {
  readonly sqlite: number;
  readonly postgres: number;
  /** How often PostgreSQL is killed, or its connections are lost, under one server that lives on. */
  readonly postgresKillRounds: number;
  readonly firstSeed: number;
}

/** Prints what every run has shown. True if all runs were finished and none has anything to complain about. */
async function runFullChaos(options: ChaosOptions): Promise<boolean> {
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
    onResult: ({ story, complaints, unfinished }) => {
      done += 1;
      const end = complaints.length > 0 ? "BAD" : unfinished === undefined ? "ok" : "NOT FINISHED";
      console.log(`${engine} ${done}/${runs} ${end}: ${story}`);
      if (complaints.length > 0) console.error(`  ${complaints.join("\n  ")}`);
      if (unfinished !== undefined) console.error(`  ${unfinished}`);
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
    "runs that were finished": `${results.filter(isFinished).length} of ${runs}`,
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
  return all.length === 0 && results.every(isFinished);
}

/** A run that was given up shows nothing, neither good nor bad. */
function isFinished({ unfinished }: ChaosResult): boolean {
  return unfinished === undefined;
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

const count = { kind: "number", placeholder: "COUNT", min: 0, max: 1_000_000 } as const;

const soakCommand = commandFor<undefined, typeof commonOptions>()({
  name: "soak",
  describe: "Make many calls to one server over stdio and one over HTTP, and watch their memory",
  options: { calls: { ...count, min: 10, describe: "Calls in all; 100000 by default" } },
  examples: [{ line: "npm run chaos -- soak --calls 10000", does: "a short soak" }],
  run: async ({ calls = 100_000 }) => exitWith(await runSoak(calls)),
});

const campaignCommand = commandFor<undefined, typeof commonOptions>()({
  name: "npm run chaos --",
  describe:
    "Kill servers at random moments, lose answers, skew clocks and break databases, then compare X with the receipts",
  options: {
    sqlite: { ...count, describe: "Runs on SQLite; 1000 by default" },
    postgres: { ...count, describe: "Runs on PostgreSQL; 200 by default" },
    kills: { ...count, describe: "Kills of PostgreSQL under one server that goes on; 100 by default" },
    seed: { ...count, describe: "The seed of the first run; the next ones count up; 1 by default" },
  },
  examples: [
    { line: "npm run chaos", does: "the whole campaign, which takes hours" },
    {
      line: "npm run chaos -- --sqlite 50 --postgres 0 --kills 0 --seed 3000",
      does: "50 other runs on SQLite",
    },
    {
      line: "npm run chaos -- --sqlite 1 --postgres 0 --kills 0 --seed 3017",
      does: "one run again by its seed",
    },
  ],
  run: async ({ sqlite = 1_000, postgres = 200, kills = 100, seed = 1 }) =>
    exitWith(await runFullChaos({ sqlite, postgres, postgresKillRounds: kills, firstSeed: seed })),
});

function exitWith(isFine: boolean) {
  return ok({ text: "", json: { isFine }, exitCode: isFine ? EXIT.ok : EXIT.failed });
}

/** The command line of the campaign. */
export const program: Program<undefined> = {
  ...(campaignCommand as Command<undefined>),
  commands: [soakCommand],
  version: "chaos",
  globalOptions: commonOptions,
  exitCodes: [
    [EXIT.ok, "all runs were finished, and nothing was duplicated, forgotten or misreported"],
    [EXIT.failed, "something was, or a run was not finished"],
    [EXIT.usage, "the command line is wrong"],
  ],
};

if (import.meta.main) await main(program, undefined);
