import { atLeast, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { startOwnPostgres } from "../test/postgres/server.ts";
import { postingEnv } from "./posting-env.ts";
import { commonReads } from "./reads.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** Relative to SQLite. */
const GOALS = { read: 0.8, post: 0.7 } as const;
/** X allows a person 100 posts in a window, and each round makes two. */
const ROUNDS_PER_WINDOW = 45;
const ENGINES = ["sqlite", "postgres"] as const;

export interface EnginesOptions {
  readonly rounds?: number;
  readonly warmUp?: number;
}

/**
 * Reads and guarded posts of the profile `write` on PostgreSQL against the same on SQLite. The servers take turns, and who
 * goes first changes each time. PostgreSQL is on this machine and waits for the disk, as it does by default.
 */
export async function benchEngines(options: EnginesOptions = {}): Promise<readonly Figure[]> {
  const { rounds = 120, warmUp = 60 } = options;
  await using tuitbot = await signedInTuitbot();
  const postgres = await startOwnPostgres();
  const env = postingEnv(tuitbot.env);
  const clients = {
    sqlite: new StdioClient(tuitbot.serve("write"), env),
    postgres: new StdioClient(tuitbot.serve("write"), { ...env, TUITBOT_STORAGE__URL: postgres.url }),
  };
  const reads = await commonReads(clients.sqlite);
  const took = { read: { sqlite: [], postgres: [] }, post: { sqlite: [], postgres: [] } } as Took;
  for (let round = 0; round < warmUp + rounds; round++) {
    if (round % ROUNDS_PER_WINDOW === 0) await tuitbot.x.nextWindow();
    const read = reads[round % reads.length]?.call ?? {};
    for (const engine of round % 2 === 0 ? ENGINES : ENGINES.toReversed()) {
      const post = { name: "x_post_tweet", arguments: { text: `Number ${round} on ${engine}` } };
      for (const [what, call] of [
        ["read", read],
        ["post", post],
      ] as const) {
        const started = performance.now();
        await clients[engine].request("tools/call", call);
        if (round >= warmUp) took[what][engine].push(performance.now() - started);
      }
    }
  }
  for (const client of Object.values(clients)) await client.close();
  await postgres.stop();
  return (["read", "post"] as const).flatMap((what) => {
    const [sqlite, onPostgres] = [median(took[what].sqlite), median(took[what].postgres)];
    return [
      figure(`a ${what} of write on PostgreSQL, p50`, onPostgres, "ms"),
      atLeast(`a ${what} on PostgreSQL, as fast as on SQLite`, sqlite / onPostgres, "times", GOALS[what]),
    ];
  });
}

type Took = Record<"read" | "post", Record<(typeof ENGINES)[number], number[]>>;

if (import.meta.main) console.table(await benchEngines());
