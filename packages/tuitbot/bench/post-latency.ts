import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { keepAliveClient } from "./keep-alive.ts";
import { postingEnv } from "./posting-env.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** As a multiple of the bare post and one durable commit. */
const GOAL = 1.5;
/** X allows a person 100 posts in a window, and each round makes two. */
const ROUNDS_PER_WINDOW = 45;

export interface PostLatencyOptions {
  readonly posts?: number;
  readonly warmUp?: number;
}

/**
 * A post through every guard of `write` over stdio, with receipt, audit and ledger in SQLite, against the same post
 * by a bare request on a kept connection after one durable commit, the least that a receipt can cost. They take turns, and
 * who goes first changes each time.
 */
export async function benchPostLatency(options: PostLatencyOptions = {}): Promise<readonly Figure[]> {
  const { posts = 120, warmUp = 60 } = options;
  await using tuitbot = await signedInTuitbot();
  const { x } = tuitbot;
  const client = new StdioClient(tuitbot.serve("write"), postingEnv(tuitbot.env));
  const ask = keepAliveClient({ authorization: `Bearer ${x.accessToken}` });
  const folder = mkdtempSync(join(tmpdir(), "tuitbot-post-"));
  const database = new DatabaseSync(join(folder, "floor.db"));
  database.exec("pragma journal_mode = wal; pragma synchronous = full; create table receipts (text text)");
  const commit = database.prepare("insert into receipts values (?)");
  const ways = {
    tuitbot: (text: string) => client.request("tools/call", { name: "x_post_tweet", arguments: { text } }),
    async bare(text: string) {
      commit.run(text);
      await ask(`${x.url}/2/tweets`, { text });
    },
  };
  const took = { bare: [] as number[], tuitbot: [] as number[] };
  for (let round = 0; round < warmUp + posts; round++) {
    if (round % ROUNDS_PER_WINDOW === 0) await x.nextWindow();
    for (const who of ORDERS[round % ORDERS.length] ?? ORDERS[0]) {
      const started = performance.now();
      await ways[who](`Number ${round} by ${who}`);
      if (round >= warmUp) took[who].push(performance.now() - started);
    }
  }
  await client.close();
  database.close();
  rmSync(folder, { recursive: true });
  const p50 = { bare: median(took.bare), tuitbot: median(took.tuitbot) };
  return [
    figure("a bare post after one durable commit, p50", p50.bare, "ms"),
    figure("a post through every guard of tuitbot over stdio, p50", p50.tuitbot, "ms"),
    atMost("a post through every guard against that, p50", p50.tuitbot / p50.bare, "times", GOAL),
  ];
}

const ORDERS = [
  ["bare", "tuitbot"],
  ["tuitbot", "bare"],
] as const;

if (import.meta.main) console.table(await benchPostLatency());
