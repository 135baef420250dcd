import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { postingEnv } from "./posting-env.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

const GOAL_MS = 3;
/** X allows a person 100 posts in a window, and each round makes two. */
const ROUNDS_PER_WINDOW = 45;

export interface PostLatencyOptions {
  readonly posts?: number;
  readonly warmUp?: number;
}

/**
 * A post through every guard of `write` over stdio, with receipt, audit and ledger in SQLite, against the same post
 * by a bare `fetch`. They take turns, and who goes first changes each time.
 */
export async function benchPostLatency(options: PostLatencyOptions = {}): Promise<readonly Figure[]> {
  const { posts = 240, warmUp = 60 } = options;
  await using tuitbot = await signedInTuitbot();
  const { x } = tuitbot;
  const client = new StdioClient(tuitbot.serve("write"), postingEnv(tuitbot.env));
  const headers = { authorization: `Bearer ${x.accessToken}`, "content-type": "application/json" };
  const ways = {
    tuitbot: (text: string) => client.request("tools/call", { name: "x_post_tweet", arguments: { text } }),
    async fetch(text: string) {
      const body = JSON.stringify({ text });
      const response = await fetch(`${x.url}/2/tweets`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`The sandbox answered with ${response.status}.`);
      await response.json();
    },
  };
  const took = { fetch: [] as number[], tuitbot: [] as number[] };
  for (let round = 0; round < warmUp + posts; round++) {
    if (round % ROUNDS_PER_WINDOW === 0) await x.nextWindow();
    for (const who of ORDERS[round % ORDERS.length] ?? ORDERS[0]) {
      const started = performance.now();
      await ways[who](`Number ${round} by ${who}`);
      if (round >= warmUp) took[who].push(performance.now() - started);
    }
  }
  await client.close();
  const p50 = { fetch: median(took.fetch), tuitbot: median(took.tuitbot) };
  return [
    figure("a post by bare fetch, p50", p50.fetch, "ms"),
    figure("a post through every guard of tuitbot over stdio, p50", p50.tuitbot, "ms"),
    atMost("what the guards and stdio add to a post, p50", p50.tuitbot - p50.fetch, "ms", GOAL_MS),
  ];
}

const ORDERS = [
  ["fetch", "tuitbot"],
  ["tuitbot", "fetch"],
] as const;

if (import.meta.main) console.table(await benchPostLatency());
