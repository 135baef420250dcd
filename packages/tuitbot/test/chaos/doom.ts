import { Socket } from "node:net";
import { DatabaseSync, StatementSync } from "node:sqlite";
import type { Doom } from "./order.ts";

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
} = JSON.parse(process.env.CHAOS_DOOM ?? "{}") as Doom;

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
Date.now = () => now() + clockAheadMs + clockSkewMs + jumpedMs;

const { fetch } = globalThis;
let requests = 0;
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
  return response;
};
