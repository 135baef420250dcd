import { failed, ok, systemClock } from "@toolpact/contract";
import { openStore } from "../../src/storage/open-store.ts";
import { serverAt } from "../storage/server.ts";
import type { DoomedOrder, DoomedReport } from "./order.ts";

/**
 * One server as a process of its own: it starts, carries out one call and ends, unless it is to die before. What it
 * is to do stands in `TUITBOT_CHAOS`; what came of it goes to stdout.
 */
// The harness writes what it reads from itself.
const order = JSON.parse(process.env.TUITBOT_CHAOS ?? "{}") as DoomedOrder;

const { death } = order;
let moments = 0;
let writes = 0;

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Every statement and every request, before and after, is a moment to die in. */
function moment(): void {
  moments += 1;
  if (death.kind === "moment" && moments === death.number) die();
}

const opened = await openStore(order.place, {
  now: Date.now,
  watch: { before: moment, after: moment },
});
if (!opened.ok) throw new Error(opened.failure);

const server = serverAt({
  store: opened.value,
  account: order.account,
  tokens: {
    userToken: async () => ok(order.token),
    appToken: async () => failed("none"),
    rejected: async () => failed("none"),
  },
  baseUrl: order.baseUrl,
  fetch: async (input, init) => {
    moment();
    const isWrite = init?.method !== undefined && init.method !== "GET";
    if (isWrite) writes += 1;
    const isFatal = isWrite && death.kind === "request" && death.number === writes;
    if (isFatal && death.when === "before") die();
    const answer = fetch(input, init);
    // The request is on its way by then, and its answer may be too.
    if (isFatal && death.when === "under way") setTimeout(die, 3);
    const response = await answer;
    if (isFatal && death.when === "answered") die();
    moment();
    return response;
  },
  clock: { now: () => Date.now() + order.clockAheadMs, after: systemClock.after },
  access: { plan: "enterprise", isPremium: false },
  timeoutMs: order.timeoutMs,
});
const envelope = await server.call(order.tool, order.args, { caller: { transport: "cli", client: "chaos" } });
await server.flush();
await opened.value.close();
console.log(JSON.stringify({ envelope, moments } satisfies DoomedReport));
process.exit(0);
