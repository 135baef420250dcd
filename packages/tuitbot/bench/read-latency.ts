import { fileURLToPath } from "node:url";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { commonReads } from "./reads.ts";
import { type SignedInTuitbot, signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

const GOAL = 1.5;
/** X allows a person 300 searches in a window, and one in four reads of each course is a search. */
const ROUNDS_PER_WINDOW = 90;

export interface ReadLatencyOptions {
  readonly reads?: number;
  readonly warmUp?: number;
}

/**
 * Reads through tuitbot over stdio against a bare `fetch` of the very same addresses, and against a relay that
 * does nothing else: the least that a process between client and X can cost. They take turns, so that whatever
 * the machine does hits all of them.
 */
export async function benchReadLatency(options: ReadLatencyOptions = {}): Promise<readonly Figure[]> {
  const { reads = 1000, warmUp = 600 } = options;
  await using tuitbot = await signedInTuitbot();
  const client = new StdioClient(tuitbot.serve("readonly"), tuitbot.env);
  const relay = new StdioClient([fileURLToPath(new URL("relay.js", import.meta.url))], tuitbot.env);
  const courses = await coursesOf(tuitbot, client, relay);
  const took = { fetch: [] as number[], relay: [] as number[], tuitbot: [] as number[] };
  for (let round = 0; round < (warmUp + reads) / courses.length; round++) {
    if (round % ROUNDS_PER_WINDOW === 0) await tuitbot.x.nextWindow();
    for (const course of courses) {
      for (const who of ORDERS[round % ORDERS.length] ?? ORDERS[0]) {
        const started = performance.now();
        await course[who]();
        if (round * courses.length >= warmUp) took[who].push(performance.now() - started);
      }
    }
  }
  await client.close();
  await relay.close();
  const p50 = { fetch: median(took.fetch), relay: median(took.relay), tuitbot: median(took.tuitbot) };
  return [
    figure("a read by bare fetch, p50", p50.fetch, "ms"),
    figure("a read through tuitbot over stdio, p50", p50.tuitbot, "ms"),
    figure("a read through a bare relay against bare fetch, p50", p50.relay / p50.fetch, "times"),
    atMost("a read through tuitbot against bare fetch, p50", p50.tuitbot / p50.fetch, "times", GOAL),
  ];
}

/** Who goes first changes each time. */
const ORDERS = [
  ["fetch", "relay", "tuitbot"],
  ["relay", "tuitbot", "fetch"],
  ["tuitbot", "fetch", "relay"],
] as const;

type Course = Readonly<Record<(typeof ORDERS)[0][number], () => Promise<unknown>>>;

/** The same read in each way. What tuitbot asks X for is read from the journal of the made-up X. */
async function coursesOf(
  { x }: SignedInTuitbot,
  client: StdioClient,
  relay: StdioClient,
): Promise<readonly Course[]> {
  const headers = { authorization: `Bearer ${x.accessToken}` };
  const courses: Course[] = [];
  for (const { operation, call } of await commonReads(client)) {
    await client.request("tools/call", call);
    const url = x.url + (await x.latestTarget(operation));
    courses.push({
      tuitbot: () => client.request("tools/call", call),
      relay: () => relay.request("relay", { url, headers }),
      async fetch() {
        const response = await fetch(url, { headers });
        if (!response.ok) throw new Error(`The sandbox answered with ${response.status}.`);
        await response.json();
      },
    });
  }
  return courses;
}

if (import.meta.main) console.table(await benchReadLatency());
