import { fileURLToPath } from "node:url";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { keepAliveClient } from "./keep-alive.ts";
import { commonReads } from "./reads.ts";
import { type SignedInTuitbot, signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** As a multiple of the relay, the least that a process between client and X can cost. */
const GOAL = 1.2;
/** X allows a person 300 searches in a window, and each of the four ways makes one in a round. */
const ROUNDS_PER_WINDOW = 70;

export interface ReadLatencyOptions {
  readonly reads?: number;
  readonly warmUp?: number;
}

/**
 * Compares reads through tuitbot over stdio, in a profile that stores nothing and in the default one, with the same
 * requests on a kept-alive connection and with a bare relay, the minimum for a process between client and X. They
 * alternate to share the machine's busy moments.
 */
export async function benchReadLatency(options: ReadLatencyOptions = {}): Promise<readonly Figure[]> {
  const { reads = 600, warmUp = 400 } = options;
  await using tuitbot = await signedInTuitbot();
  const readonly = new StdioClient(tuitbot.serve("readonly"), tuitbot.env);
  const write = new StdioClient(tuitbot.serve("write"), tuitbot.env);
  const relay = new StdioClient([fileURLToPath(new URL("relay.js", import.meta.url))], tuitbot.env);
  const courses = await coursesOf(tuitbot, { readonly, write, relay });
  const took = {
    bare: [] as number[],
    relay: [] as number[],
    readonly: [] as number[],
    write: [] as number[],
  };
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
  for (const client of [readonly, write, relay]) await client.close();
  const bare = median(took.bare);
  return [
    figure("a read by a bare request on a kept connection, p50", bare, "ms"),
    figure("a read through a bare relay against that, p50", median(took.relay) / bare, "times"),
    ...(["readonly", "write"] as const).flatMap((profile) => {
      const p50 = median(took[profile]);
      return [
        figure(`a read through tuitbot ${profile} over stdio, p50`, p50, "ms"),
        atMost(
          `a read through tuitbot ${profile} against the relay, p50`,
          p50 / median(took.relay),
          "times",
          GOAL,
        ),
      ];
    }),
  ];
}

/** Who goes first changes each time. */
const ORDERS = [
  ["bare", "relay", "readonly", "write"],
  ["relay", "write", "bare", "readonly"],
  ["write", "readonly", "relay", "bare"],
  ["readonly", "bare", "write", "relay"],
] as const;

type Course = Readonly<Record<(typeof ORDERS)[0][number], () => Promise<unknown>>>;

/** The same read in each way. What tuitbot asks X for is read from the journal of the made-up X. */
async function coursesOf(
  { x }: SignedInTuitbot,
  { readonly, write, relay }: Readonly<Record<"readonly" | "write" | "relay", StdioClient>>,
): Promise<readonly Course[]> {
  const headers = { authorization: `Bearer ${x.accessToken}` };
  const ask = keepAliveClient(headers);
  const courses: Course[] = [];
  for (const { operation, call } of await commonReads(readonly)) {
    await readonly.request("tools/call", call);
    const url = x.url + (await x.latestTarget(operation));
    courses.push({
      readonly: () => readonly.request("tools/call", call),
      write: () => write.request("tools/call", call),
      relay: () => relay.request("relay", { url, headers }),
      bare: () => ask(url),
    });
  }
  return courses;
}

if (import.meta.main) console.table(await benchReadLatency());
