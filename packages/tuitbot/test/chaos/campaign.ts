import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSchema } from "../postgres/server.ts";
import { buildDoomedProgram } from "./doomed-program.ts";
import { type ChaosResult, runChaos } from "./harness.ts";
import type { Weather } from "./weather.ts";
import { allWeathers } from "./weathers.ts";

export interface Campaign {
  readonly runs: number;
  readonly firstSeed: number;
  /** Address of a PostgreSQL; SQLite where there is none. */
  readonly postgresUrl?: string | undefined;
  /** All of them by default. */
  readonly weathers?: readonly Weather[];
  readonly onResult?: (result: ChaosResult) => void;
}

/** Many runs, half of them with two servers on one database. */
export async function chaosCampaign({
  runs,
  firstSeed,
  postgresUrl,
  weathers = allWeathers,
  onResult,
}: Campaign): Promise<readonly ChaosResult[]> {
  const program = await buildDoomedProgram();
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-chaos-stores-"));
  const results: ChaosResult[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      const seed = firstSeed + run;
      const home = join(folder, `${seed}`);
      await mkdir(home);
      const url = postgresUrl === undefined ? undefined : await newSchema(postgresUrl);
      const result = await runChaos({
        seed,
        place: { path: join(home, "store", "tuitbot.db"), url },
        isShared: seed % 2 === 1,
        home,
        program: program.args,
        weathers,
      });
      results.push(result);
      onResult?.(result);
    }
  } finally {
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}
