import { once } from "node:events";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { commonReads } from "./reads.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** X allows a person 300 searches in a window, and one in four calls is a search. */
const CALLS_PER_WINDOW = 1000;
/** Code and caches still fill up a little after the warm-up; a leak of 100 bytes a call would exceed it. */
const GOAL_MB = 1;
const MB = 1024 * 1024;

export interface MemoryOptions {
  readonly calls?: number;
  readonly warmUp?: number;
}

/**
 * How much more a server holds on to after many calls. Garbage is collected before each look, since Node lets tens
 * of megabytes of it pile up before it does so by itself, and a leak could not be told from that.
 */
export async function benchMemory(options: MemoryOptions = {}): Promise<readonly Figure[]> {
  const { calls = 10_000, warmUp = 2_000 } = options;
  await using tuitbot = await signedInTuitbot();
  const preload = new URL("collect-and-tell.js", import.meta.url).href;
  const client = new StdioClient(
    ["--expose-gc", "--import", preload, ...tuitbot.serve("admin")],
    tuitbot.env,
    "pipe",
  );
  const reads = await commonReads(client);
  const callOften = async (times: number) => {
    for (let i = 0; i < times; i++) {
      if (i % CALLS_PER_WINDOW === 0) await tuitbot.x.nextWindow();
      await client.request("tools/call", reads[i % reads.length]?.call);
    }
  };
  await callOften(warmUp);
  const before = await memoryOf(client);
  await callOften(calls);
  const after = await memoryOf(client);
  await client.close();
  const count = calls.toLocaleString("en");
  return [
    figure(`memory held after ${count} more calls`, heldMb(after), "MB"),
    atMost(`memory held, growth over ${count} calls`, heldMb(after) - heldMb(before), "MB", GOAL_MB),
    figure(`resident memory after ${count} more calls`, after.rss / MB, "MB"),
  ];
}

async function memoryOf({ server }: StdioClient): Promise<NodeJS.MemoryUsage> {
  if (server.stderr === null) throw new Error("The server's stderr must be a pipe.");
  const said = once(server.stderr, "data");
  server.kill("SIGUSR2");
  return JSON.parse(String(await said));
}

function heldMb({ heapUsed, external }: NodeJS.MemoryUsage): number {
  return (heapUsed + external) / MB;
}

if (import.meta.main) console.table(await benchMemory());
