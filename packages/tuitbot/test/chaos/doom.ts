import { enableCompileCache, syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import promises from "node:timers/promises";
import { type Doom, fastTime, SPEED } from "./order.ts";

/**
 * Loaded into a server before its own code: makes it die where `CHAOS_DOOM` says, and sets its clock. The server
 * itself is the one that people run.
 */
// The harness writes what is read here.
const {
  death,
  clockAheadMs,
  clockSkewMs = 0,
  clockJump,
  wrongDate,
  fastSince,
} = JSON.parse(process.env.CHAOS_DOOM ?? "{}") as Doom;

// Hundreds of servers run the same bundle. When running from sources, nothing is written next to them.
if (!import.meta.filename.endsWith(".ts")) enableCompileCache(join(import.meta.dirname, "compiled"));

let moments = 0;
let writes = 0;

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Every statement, and everything that is sent or comes in, is a moment to die in. */
function moment(): void {
  moments += 1;
  if (death.kind === "moment" && moments === death.number) die();
}

/** Makes a method of a prototype tell before and after. */
function watch(owner: object, names: readonly string[], isWatched: (self: unknown) => boolean): void {
  for (const name of names) {
    const act: unknown = Reflect.get(owner, name);
    if (typeof act !== "function") throw new Error(`There is no ${name} to watch.`);
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value: function (this: unknown, ...args: unknown[]): unknown {
        if (!isWatched(this)) return Reflect.apply(act, this, args);
        moment();
        const result: unknown = Reflect.apply(act, this, args);
        moment();
        return result;
      },
    });
  }
}

watch(DatabaseSync.prototype, ["exec"], () => true);
watch(StatementSync.prototype, ["run", "get", "all"], () => true);
// The client's pipes are sockets too, without an address.
watch(Socket.prototype, ["write", "push"], (self) => self instanceof Socket && self.remotePort !== undefined);

const { now } = Date;
let jumpedMs = 0;
const machineTime = fastSince === undefined ? now : () => fastTime(fastSince, now());
Date.now = () => machineTime() + clockAheadMs + clockSkewMs + jumpedMs;

if (fastSince !== undefined) {
  const passed = performance.now.bind(performance);
  performance.now = () => passed() * SPEED;
  const wait = promises.setTimeout;
  promises.setTimeout = (ms = 0, ...rest) => wait(ms / SPEED, ...rest);
  const { setTimeout } = globalThis;
  Object.defineProperty(globalThis, "setTimeout", {
    value: (run: () => void, ms = 0, ...args: []) => setTimeout(run, ms / SPEED, ...args),
  });
  syncBuiltinESMExports();
}

const { fetch } = globalThis;
let requests = 0;
let answers = 0;
globalThis.fetch = async (input, init) => {
  requests += 1;
  if (requests === clockJump?.request) jumpedMs = clockJump.byMs;
  const isWrite = init?.method !== undefined && init.method !== "GET";
  if (isWrite) writes += 1;
  const isFatal = isWrite && death.kind === "request" && death.number === writes;
  if (isFatal && death.when === "before") die();
  const answer = fetch(input, init);
  if (isFatal && death.when === "under way") {
    // The request is on its way by then, and its answer may be too; nobody reads it.
    setTimeout(die, 3);
    return new Promise(() => {});
  }
  const response = await answer;
  if (isFatal && death.when === "answered") die();
  answers += 1;
  return answers === wrongDate?.answer ? dated(response, wrongDate.byMs) : response;
};

/** The answer as a server sends it whose clock is off by this. */
function dated(response: Response, byMs: number): Response {
  const headers = new Headers(response.headers);
  headers.set("date", new Date(Date.parse(headers.get("date") ?? "") + byMs).toUTCString());
  return new Response(response.body, { status: response.status, headers });
}
