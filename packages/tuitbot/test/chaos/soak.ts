import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { cleanEnv, type Envelope } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { measuredProgram } from "./doomed-program.ts";

/** Memory and handles of a server process that has no call to answer. */
export interface Held {
  readonly heap: number;
  readonly rss: number;
  readonly timers: number;
  /** Sockets, pipes, files and signals. */
  readonly handles: number;
  readonly listeners: number;
}

export interface Sample extends Held {
  readonly calls: number;
}

export interface Soaked {
  readonly samples: readonly Sample[];
  /** How many calls ended how: done, an error code, or cancelled. */
  readonly ends: Readonly<Record<string, number>>;
  /** Describes growth; empty if nothing grows. */
  readonly complaints: readonly string[];
}

export type SoakTransport = "stdio" | "http";

/**
 * One server answers a mixture of reads, posts, repeats, refused and cancelled calls. What it holds is measured twenty
 * times, each time when it has answered everything.
 */
export async function soak(
  transport: SoakTransport,
  calls: number,
  onSample: (sample: Sample) => void = () => {},
): Promise<Soaked> {
  const home = await mkdtemp(join(tmpdir(), "tuitbot-soak-"));
  const sandbox = new Sandbox({
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
    creditsUsd: 1e9,
  });
  const env = cleanEnv(home, {
    ...(await signedInEnv(home, sandbox)),
    ...UNLIMITED,
    TUITBOT_SERVER__TOKEN: TOKEN,
  });
  const server = await (transport === "stdio" ? overStdio : overHttp)(env);
  const samples: Sample[] = [];
  const ends: Record<string, number> = {};
  try {
    const mixture = mixtureOn(sandbox);
    let done = 0;
    for (let step = 1; step <= SAMPLES; step++) {
      while (done < (calls * step) / SAMPLES) {
        const batch = Array.from({ length: AT_ONCE }, (_, index) => mixture(done + index));
        for (const end of await Promise.all(batch.map((call) => made(server.client, call))))
          ends[end] = (ends[end] ?? 0) + 1;
        done += AT_ONCE;
        // Windows of X's rate limits pass.
        if (done % 200 === 0) sandbox.clock.advance(WINDOW_MS);
      }
      const sample = { calls: done, ...(await server.held()) };
      samples.push(sample);
      onSample(sample);
    }
  } finally {
    await server.close();
    await sandbox.close();
    await rm(home, { recursive: true, force: true });
  }
  return { samples, ends, complaints: growth(samples) };
}

const SAMPLES = 20;
const AT_ONCE = 5;
const WINDOW_MS = 900_000;
const TOKEN = "a-long-and-secret-token";

/** Nothing but X and the arguments refuse a call. */
const UNLIMITED = {
  TUITBOT_APPROVAL_MODE: "false",
  TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
  TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "1000000",
  TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "1000000",
  TUITBOT_BUDGET__MAX_USD_PER_DAY: "1000000",
  TUITBOT_BUDGET__MAX_USD_PER_MONTH: "1000000",
};

/** How much the second half of a run may add by a linear fit, however many calls it has. */
const MAX_GROWTH = { heap: 6 * 1024 * 1024, rss: 48 * 1024 * 1024 };

/** Reports memory growth by a linear fit of the second half, and other metrics that rise above the first half. */
export function growth(samples: readonly Sample[]): readonly string[] {
  const half = Math.ceil(samples.length / 2);
  const [first, second] = [samples.slice(0, half), samples.slice(half)];
  const span = (second.at(-1)?.calls ?? 0) - (second[0]?.calls ?? 0);
  const memory = (["heap", "rss"] as const).flatMap((kind) => {
    const grown = slope(second.map((sample) => [sample.calls, sample[kind]])) * span;
    return grown > MAX_GROWTH[kind]
      ? [`${kind} grows by ${megabytes(grown)} MB in the last ${span} calls`]
      : [];
  });
  const counts = (["timers", "handles", "listeners"] as const).flatMap((kind) => {
    const [before, after] = [Math.max(...first.map((one) => one[kind])), samples.at(-1)?.[kind] ?? 0];
    // A connection of each call that was last under way may be open still.
    return after > before + (kind === "handles" ? AT_ONCE : 0)
      ? [`${kind} grow from ${before} to ${after}`]
      : [];
  });
  return [...memory, ...counts];
}

export function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** Least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const under = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

interface SoakCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly isCancelled?: boolean;
}

/** The nth call of a run: of twenty, two are new posts, two repeats of these, three refused and two cancelled. */
function mixtureOn(sandbox: Sandbox): (nth: number) => SoakCall {
  const { id } = sandbox.say(cast.friend, "Something to read");
  const post = (number: number) => ({ name: "x_post_tweet", args: { text: `Loaf number ${number}` } });
  const reads: readonly SoakCall[] = [
    { name: "get_policy_status", args: {} },
    { name: "get_tweet_by_id", args: { tweet_id: id } },
    { name: "list_drafts", args: {} },
    { name: "get_recent_mutations", args: { limit: 5 } },
    { name: "x_get_user_by_username", args: { username: cast.friend } },
  ];
  return (nth) => {
    const cycle = nth - (nth % 20);
    switch (nth % 20) {
      case 0:
      case 5:
        return post(nth);
      case 10:
        return post(cycle);
      case 11:
        return post(cycle + 5);
      case 12:
        return { name: "x_post_tweet", args: { text: "long ".repeat(80) } };
      case 13:
        return { name: "get_tweet_by_id", args: { id: 7, number: nth } };
      case 14:
        return { name: `no_such_tool_${nth % 3}`, args: {} };
      case 16:
        return { name: "get_tweet_by_id", args: { tweet_id: id }, isCancelled: true };
      case 18:
        return { name: "x_post_tweet", args: { text: `Cancelled loaf ${nth}` }, isCancelled: true };
      default:
        return reads[nth % reads.length] ?? post(nth);
    }
  };
}

async function made(client: Client, { name, args, isCancelled = false }: SoakCall): Promise<string> {
  const cancel = new AbortController();
  const answer = client.callTool({ name, arguments: args }, { signal: cancel.signal });
  if (isCancelled) cancel.abort();
  try {
    // Every answer of this server is the envelope.
    const { success, error } = (await answer).structuredContent as unknown as Envelope;
    return success ? "done" : (error?.reason ?? error?.code ?? "failed");
  } catch (error) {
    if (isCancelled) return "cancelled";
    if (error instanceof ProtocolError) return "protocol error";
    throw error;
  }
}

interface MeasuredServer {
  readonly client: Client;
  readonly held: () => Promise<Held>;
  readonly close: () => Promise<void>;
}

async function overStdio(env: Record<string, string>): Promise<MeasuredServer> {
  const client = new Client({ name: "soak", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...(await measuredProgram()), "mcp", "serve", "--profile", "write"],
    env,
    stderr: "pipe",
  });
  const { stderr } = transport;
  if (stderr === null) throw new Error("The server has no stderr.");
  // The SDK types it as any stream; a pipe of a child process is read.
  const lines = linesOf(stderr as Readable);
  await client.connect(transport);
  return {
    client,
    held: () => heldBy(transport.pid ?? 0, lines),
    close: () => client.close(),
  };
}

async function overHttp(env: Record<string, string>): Promise<MeasuredServer> {
  const words = ["mcp", "serve", "--http", "0", "--output", "json", "--profile", "write"];
  const child = spawn(process.execPath, [...(await measuredProgram()), ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = linesOf(child.stderr);
  const [line] = await once(child.stdout, "data");
  const client = new Client({ name: "soak", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(JSON.parse(String(line)).url), { requestInit }),
  );
  return {
    client,
    held: () => heldBy(child.pid ?? 0, lines),
    async close() {
      await client.close();
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill();
  await exit;
}

function linesOf(stderr: Readable): AsyncIterator<string> {
  return createInterface({ input: stderr })[Symbol.asyncIterator]();
}

/** Reads what the server has printed up to its report. Node's warnings about listeners are bugs. */
async function heldBy(pid: number, lines: AsyncIterator<string>): Promise<Held> {
  process.kill(pid, "SIGUSR2");
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The server has ended.");
    if (value.includes("MaxListenersExceededWarning")) throw new Error(value);
    if (value.startsWith("soak ")) return JSON.parse(value.slice("soak ".length)) as Held;
  }
}
