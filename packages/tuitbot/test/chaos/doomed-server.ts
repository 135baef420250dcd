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

let moments = 0;

/** Every write and every request, before and after, is a moment to die in. */
function moment(): void {
  moments += 1;
  if (moments === order.dieAt) process.kill(process.pid, "SIGKILL");
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
    const response = await fetch(input, init);
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
