import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { defineServer, ok } from "../src/index.ts";
import { type HttpOptions, serveHttp } from "../src/mcp/http.ts";
import { stdioCommand } from "./legs.ts";
import { post } from "./raw-http.ts";

/** A tool ends when the test says so, or when it is canceled. */
async function holding(options: Partial<HttpOptions> = {}) {
  let release = () => {};
  let began = () => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const definition = defineServer({ name: "holder", version: "1" });
  const hold = definition.tool({
    name: "hold",
    title: "Hold",
    description: "Wait until released.",
    effect: "none",
    openWorld: false,
    errors: [],
    input: z.strictObject({}),
    output: z.object({ ended: z.string() }),
    handler: (_, { signal }) =>
      new Promise((resolve) => {
        release = () => resolve(ok({ ended: "released" }));
        signal.addEventListener("abort", () => resolve(ok({ ended: "cancelled" })));
        began();
      }),
  });
  const app = definition.app({ tools: [hold] });
  const server = await serveHttp(app, { port: 0, ...options });
  onTestFinished(server.close);
  const { origin } = new URL(server.url);
  return { ...server, origin, running, release: () => release() };
}

const call = { method: "tools/call", params: { name: "hold", arguments: {} } };
const patient = { delayMs: 0, deadlineMs: 60_000 };

describe("a server over HTTP that is asked to stop", () => {
  test("answers the call that is under way, accepts no other connection, and then is gone", async () => {
    const { url, running, release, drain } = await holding();
    const answer = post(url, call);
    await running;
    const drained = drain(patient);
    await expect(post(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    release();
    expect(await answer).toMatchObject({
      status: 200,
      headers: { connection: "close" },
      json: { result: { structuredContent: { data: { ended: "released" } } } },
    });
    await drained;
  });

  test("says so first to a proxy that asks, and serves until the proxy had time to notice", async () => {
    const { url, origin, drain } = await holding();
    const ready = () => fetch(`${origin}/readyz`);
    expect((await ready()).status).toBe(200);
    const drained = drain({ delayMs: 1_000, deadlineMs: 0 });
    const last = await ready();
    expect([last.status, last.headers.get("connection"), await last.text()]).toEqual([
      503,
      "close",
      "shutting down\n",
    ]);
    expect(await post(url)).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    await drained;
    await expect(post(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("cancels what is not done in time", async () => {
    const { url, running, drain } = await holding();
    const answer = post(url, call).catch((error) => error);
    await running;
    await drain({ delayMs: 0, deadlineMs: 0 });
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
  });

  test("does not wait for those who only listen", async () => {
    const { url, drain } = await holding();
    // The SDK handles these in order, so the second is answered after the stream is open.
    const another = { method: "prompts/list" };
    await post(url, another);
    const listening = post(url, { method: "subscriptions/listen", params: { notifications: {} } }).catch(
      (error) => error,
    );
    await post(url, another);
    await drain(patient);
    await listening;
  });
});

describe("probes", () => {
  test("say whether the product can work, without a token and under any name", async () => {
    let problem: string | undefined = "The database cannot be reached.";
    const { origin } = await holding({ token: "a-long-and-secret-token", notReady: async () => problem });
    const asked = await fetch(`${origin}/readyz`);
    expect([asked.status, await asked.text()]).toEqual([503, "The database cannot be reached.\n"]);
    problem = undefined;
    // Readiness is cached for a second.
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${origin}/healthz`)).text()).toBe("ok\n");
  });

  test("metrics are for those who have a token: that of the clients, or one that can do nothing else", async () => {
    const reading = async (origin: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await fetch(`${origin}/metrics`, { headers });
      return [answer.status, answer.headers.get("content-type"), (await answer.text()).includes("up 1")];
    };
    const metrics = async () => "up 1\n";
    const text = "text/plain; version=0.0.4; charset=utf-8";
    const token = "a-long-and-secret-token";
    const shared = await holding({ token, metrics });
    expect(await reading(shared.origin)).toEqual([401, "application/json", false]);
    expect(await reading(shared.origin, token)).toEqual([200, text, true]);
    const own = await holding({ token, metrics, metricsToken: "for-figures-only" });
    expect(await reading(own.origin, token)).toEqual([401, "application/json", false]);
    expect(await reading(own.origin, "for-figures-only")).toEqual([200, text, true]);
    const bearer = { authorization: "Bearer for-figures-only" };
    expect((await post(own.url, { headers: bearer })).status).toBe(401);
    expect(await reading((await holding()).origin)).toEqual([404, "application/json", false]);
  });

  test("metrics without a token are not for a page that rebinds a name, health is", async () => {
    const { origin } = await holding({ metrics: async () => "up 1\n" });
    const under = (path: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${origin}${path}`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).once(
          "error",
          reject,
        );
      });
    expect(await under("/metrics", new URL(origin).host)).toBe(200);
    expect(await under("/metrics", "rebound.example")).toBe(403);
    expect(await under("/healthz", "rebound.example")).toBe(200);
  });
});

test("a server on stdio that is asked to stop answers running calls, and rejects later ones", async () => {
  const child = spawn(stdioCommand.command, stdioCommand.args, { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const receive = async () => JSON.parse((await lines.next()).value as string);
  const clientInfo = { name: "raw", version: "1" };
  send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await receive();
  send(2, "tools/call", {
    name: "count_slowly",
    arguments: { to: 10_000 },
    _meta: { progressToken: 2 },
  });
  expect(await receive()).toMatchObject({ method: "notifications/progress" });
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  let id = 3;
  send(id, "tools/list", {});
  const answers = new Map<number, Record<string, unknown>>();
  for await (const line of lines) {
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    answers.set(message.id, message);
    // The signal may arrive after the request.
    if (message.id === id && message.result !== undefined) send(++id, "tools/list", {});
  }
  expect(await ended).toEqual([0, null]);
  expect(answers.get(2)).toMatchObject({ result: { structuredContent: { data: { counted: 10_000 } } } });
  expect(answers.get(id)).toMatchObject({ error: { code: -32000 } });
});
