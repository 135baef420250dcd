import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSchema } from "../postgres/server.ts";
import { NoAnswerInTime } from "./agent.ts";
import { doomedProgram } from "./doomed-program.ts";
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
  /** How many runs go on at once; 1 by default. */
  readonly jobs?: number;
  readonly onResult?: (result: ChaosResult) => void;
}

/** Many runs, half of them with two servers on one database. */
export async function chaosCampaign({
  runs,
  firstSeed,
  postgresUrl,
  weathers = allWeathers,
  jobs = 1,
  onResult,
}: Campaign): Promise<readonly ChaosResult[]> {
  const program = await doomedProgram();
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-chaos-stores-"));
  const results: ChaosResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < runs) {
      const seed = firstSeed + next;
      next += 1;
      const home = join(folder, `${seed}`);
      await mkdir(home);
      const url = postgresUrl === undefined ? undefined : await newSchema(postgresUrl);
      const story: string[] = [];
      const result = await runChaos({
        seed,
        story,
        place: { path: join(home, "store", "tuitbot.db"), url },
        isShared: seed % 2 === 1,
        home,
        program,
        weathers,
      }).catch((error: unknown) => broken(seed, story, error));
      await rm(home, { recursive: true, force: true });
      results.push(result);
      onResult?.(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

/** A run that could not go on, such as one whose server ended by itself, or that a busy machine kept from its end. */
function broken(seed: number, story: readonly string[], error: unknown): ChaosResult {
  const errors = withCauses(error);
  const why = errors.map(String).join(" < ");
  const isLate = errors.some((one) => one instanceof NoAnswerInTime);
  return {
    story: [...(story.length === 0 ? [`seed ${seed}`] : story), isLate ? "not finished" : "broke off"].join(
      "; ",
    ),
    deaths: 0,
    weathers: [],
    hasDoubt: false,
    approvals: undefined,
    isKeyless: false,
    complaints: isLate ? [] : [`broken off: ${why}`],
    unfinished: isLate ? why : undefined,
  };
}

/** An error, the one that caused it, and so on. */
function withCauses(error: unknown): readonly unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...withCauses(error.cause)] : [error];
}
