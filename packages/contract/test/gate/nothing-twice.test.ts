import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Answered, type Gated, type Lab, type Leg, lab, patience, twoLegs } from "./lab.ts";

/** For an hour, an equal call without a key gets a lost answer. */
const POLICY = `
wait_seconds = 5
[tools]
add_line = { rule = "allow", same_call_seconds = 3600 }
add_reviewed_line = { rule = "person", same_call_seconds = 3600 }
ping = "read_only"
`;
const RUNS_PER_LEG = 40;
const FAULTS = ["kill the gate", "kill the server", "lose the answer", "cancel the call"] as const;

test.each(twoLegs)(
  "over $transport, $era: 40 calls, each with a kill or a loss at a random moment, have one effect each and are reported as they ended",
  { timeout: 300_000 },
  async (leg) => {
    const seed = Number(process.env.CAMPAIGN_SEED ?? Date.now() % 1_000_000);
    const random = randomFrom(seed + twoLegs.indexOf(leg));
    const world = await newWorld(leg);
    const wrong: string[] = [];
    for (let run = 0; run < RUNS_PER_LEG; run++) {
      const call: Call = {
        text: `run-${run}`,
        tool: random() < 0.3 ? "add_reviewed_line" : "add_line",
        key: random() < 0.5 ? `key-${run}` : undefined,
        beforeMs: Math.floor(random() * 40),
        afterMs: Math.floor(random() * 40),
      };
      const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? FAULTS[0];
      const atMs = Math.floor(random() * 120);
      const problem = await callWithFault(world, call, fault, atMs);
      if (problem !== undefined) wrong.push(`${call.text}, ${fault} after ${atMs} ms: ${problem}`);
    }
    await world.stop();
    const counts = Array.from({ length: RUNS_PER_LEG }, (_, run) => world.effects(`run-${run}`));
    expect({
      seed,
      misreported: wrong,
      duplicated: counts.filter((count) => count > 1).length,
      forgotten: counts.filter((count) => count === 0).length,
    }).toEqual({ seed, misreported: [], duplicated: 0, forgotten: 0 });
  },
);

interface Call {
  readonly text: string;
  readonly tool: "add_line" | "add_reviewed_line";
  readonly key: string | undefined;
  /** The server's work before and after the effect. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** A storage, a server that counts its effects in a file, and a gate. */
interface World extends Pick<Lab, "storage"> {
  readonly gate: () => Promise<Gated>;
  /** The next `gate` starts another. */
  readonly end: (how: "kill" | "close") => Promise<void>;
  /** From the server's own file. */
  readonly effects: (text: string) => number;
  /** Waits until the server works on no such call. */
  readonly quiet: (text: string) => Promise<void>;
  readonly killServer: () => void;
  readonly stop: () => Promise<void>;
}

async function newWorld(leg: Leg): Promise<World> {
  const { folder, storage, connect } = await lab(POLICY);
  const file = join(folder, "lines.txt");
  writeFileSync(file, "");
  const server = [process.execPath, join(import.meta.dirname, "lines-server.ts"), "stdio", file];
  let running: Gated | undefined;
  const stopApproving = approvingAll(storage);
  onTestFinished(stopApproving);
  const linesOf = (of: string) => (existsSync(of) ? readFileSync(of, "utf8").split("\n") : []);
  const pid = () => Number(readFileSync(`${file}.pid`, "utf8"));
  const end = async (how: "kill" | "close") => {
    const ended = running;
    running = undefined;
    if (how === "kill") await ended?.kill();
    await ended?.close();
  };
  return {
    storage,
    end,
    async gate() {
      running ??= await connect(leg, { server });
      return running;
    },
    effects: (text) => linesOf(file).filter((line) => line === text).length,
    quiet: (text) =>
      vi.waitFor(() => {
        const working = linesOf(`${file}.calls`)
          .map((line) => line.split(" "))
          .filter(([what, by, of]) => what === "begun" && of === text && isRunning(Number(by)));
        for (const [, by] of working) expect(linesOf(`${file}.calls`)).toContain(`ended ${by} ${text}`);
      }, patience),
    killServer: () => void (isRunning(pid()) && process.kill(pid(), "SIGKILL")),
    async stop() {
      await stopApproving();
      await end("close");
    },
  };
}

/** Repeats a call through a fault until its outcome is known. Returns false reports. */
async function callWithFault(
  world: World,
  call: Call,
  fault: (typeof FAULTS)[number],
  atMs: number,
): Promise<string | undefined> {
  const { client } = await world.gate();
  const cancelled = new AbortController();
  const first = client.callTool(params(call), { signal: cancelled.signal }).catch((error: Error) => error);
  await setTimeout(atMs);
  switch (fault) {
    case "kill the gate":
      await world.end("kill");
      break;
    case "kill the server":
      world.killServer();
      break;
    case "lose the answer":
      await world.end("close");
      break;
    case "cancel the call":
      cancelled.abort();
      break;
  }
  await first;
  let isSettled = false;
  for (let attempt = 0; attempt < 200; attempt++) {
    const gated = await world.gate();
    const answer = await gated.call(call.tool, params(call).arguments, params(call)._meta);
    const count = world.effects(call.text);
    switch (answer.gate.code) {
      case undefined:
        return problemOf(answer, count);
      case "settled_by_person":
        return count === 1 && isSettled ? undefined : `settled with ${count} effects`;
      case "server_unreachable":
        if (count !== 0) return `reported as not done with ${count} effects`;
        break;
      case "in_doubt": {
        // Requests arrive in order: the call has started by now, or never will.
        await gated.call("ping", {});
        await world.quiet(call.text);
        const isDone = world.effects(call.text) > 0;
        const finding = { isDone, by: "person in a test", note: "" };
        isSettled = await world.storage.resolve(String(answer.gate.receipt_id), finding, Date.now());
        if (!isSettled) return "in doubt, and could not be settled";
        break;
      }
      case "still_running":
        // Ends the lease of the killed gate, as time would.
        if (fault !== "cancel the call" && fault !== "kill the server") {
          await world.quiet(call.text);
          await world.storage.inDoubt(Date.now() + 60_000);
        }
        break;
      case "waiting_for_person":
        break;
      default:
        return `answered with ${String(answer.gate.code)}`;
    }
    await setTimeout(50);
  }
  return "no outcome";
}

function problemOf({ isError, text }: Answered, count: number): string | undefined {
  if (isError) return `failed: ${text}`;
  return count === 1 ? undefined : `done with ${count} effects`;
}

function params({ text, tool, key, beforeMs, afterMs }: Call) {
  return {
    name: tool,
    arguments: { text, before_ms: beforeMs, after_ms: afterMs },
    _meta: key === undefined ? {} : { "io.toolpact/idempotency-key": key },
  };
}

/** Until the returned function is called. */
function approvingAll(storage: Lab["storage"]): () => Promise<void> {
  const stopped = new AbortController();
  const approving = (async () => {
    while (!stopped.signal.aborted) {
      for (const { id, digest } of await storage.items("waiting", Date.now()))
        await storage.decide({
          id,
          digest,
          approve: true,
          by: "person in a test",
          note: "",
          now: Date.now(),
        });
      await setTimeout(30);
    }
  })();
  return () => {
    stopped.abort();
    return approving;
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
