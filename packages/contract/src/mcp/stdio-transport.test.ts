import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";

const BIG = "x".repeat(100_000);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The client reads only on request. */
async function connected(answer: "at once" | "never" = "at once") {
  const input = new PassThrough({ highWaterMark: 64 * 1024 });
  const unread: { readonly text: string; readonly written: () => void }[] = [];
  const transport = new StdioTransport(input, ((text: string, written: () => void) => {
    unread.push({ text, written });
    return false;
  }) as never);
  const taken: JSONRPCMessage[] = [];
  transport.onmessage = (message) => {
    taken.push(message);
    if (answer === "at once" && "id" in message && "method" in message)
      void transport.send({ jsonrpc: "2.0", id: message.id, result: { big: BIG } });
  };
  await transport.start();
  const settle = async () => {
    for (let quiet = 0, last = -1; quiet < 20; ) {
      await turn();
      const now = taken.length + unread.length;
      quiet = now === last ? quiet + 1 : 0;
      last = now;
    }
  };
  return {
    input,
    transport,
    taken,
    settle,
    send: (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    unreadBytes: () => unread.reduce((sum, { text }) => sum + text.length, 0),
    read() {
      const texts = unread.splice(0);
      for (const { written } of texts) written();
      return texts.map(({ text }) => text).join("");
    },
  };
}

test("answers that nobody reads stay within bounds, and none is lost once they are read", async () => {
  const client = await connected();
  for (let id = 1; id <= 10_000; id++) client.send({ id, method: "tools/list" });
  await client.settle();
  expect(client.taken.length).toBeLessThan(500);
  expect(client.unreadBytes()).toBeLessThan(64e6);
  const answered: number[] = [];
  for (let round = 0; answered.length < 10_000 && round < 10_000; round++) {
    for (const [, id] of client.read().matchAll(/"id":(\d+)/g)) answered.push(Number(id));
    await client.settle();
  }
  expect(answered).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
});

test("requests that are not answered yet stay within bounds, while answers and cancellations still come through", async () => {
  const client = await connected("never");
  for (let id = 1; id <= 1_000; id++) client.send({ id, method: "tools/call", params: { name: "slow" } });
  client.send({ id: 7, result: { action: "accept" } });
  await client.settle();
  const running = client.taken.length - 1;
  expect(running).toBeLessThan(500);
  expect(client.taken.at(-1)).toMatchObject({ id: 7, result: {} });
  for (const requestId of [1, 2, 3])
    client.send({ method: "notifications/cancelled", params: { requestId } });
  await client.settle();
  // Three notifications, and three requests in place of canceled ones.
  expect(client.taken).toHaveLength(running + 1 + 6);
});

test("a request that is cancelled while it waits never runs", async () => {
  const client = await connected("never");
  for (let id = 1; id <= 64; id++) client.send({ id, method: "tools/call", params: { name: "slow" } });
  for (const id of [100, "100", 101])
    client.send({ id, method: "tools/call", params: { name: "x_post_tweet" } });
  client.send({ method: "notifications/cancelled", params: { requestId: 100 } });
  await client.settle();
  expect(client.taken).toHaveLength(64);
  for (const id of [1, 2, 3]) await client.transport.send({ jsonrpc: "2.0", id, result: {} });
  await client.settle();
  expect(client.taken.slice(64)).toMatchObject([{ id: "100" }, { id: 101 }]);
});

test("cancelling a large request that waits makes room to read on", async () => {
  const client = await connected("never");
  for (let id = 1; id <= 64; id++) client.send({ id, method: "tools/call", params: { name: "slow" } });
  const text = BIG.repeat(60);
  for (const id of [100, 101]) client.send({ id, method: "tools/call", params: { name: "slow", text } });
  for (let round = 0; round < 4; round++) {
    client.send({ method: "notifications/cancelled", params: { requestId: 100 } });
    client.send({ id: 100, method: "tools/call", params: { name: "slow", text } });
  }
  await client.settle();
  expect(client.input.isPaused()).toBe(false);
  expect(client.input.writableLength + client.input.readableLength).toBe(0);
});

test("a flood of large requests is not read further than it can be held", async () => {
  const client = await connected("never");
  for (let id = 1; id <= 1_000; id++)
    client.send({ id, method: "tools/call", params: { name: "slow", arguments: { text: BIG } } });
  await client.settle();
  expect(client.input.isPaused()).toBe(true);
  expect(client.input.writableLength + client.input.readableLength).toBeGreaterThan(40e6);
});

test("progress that nobody reads is dropped, the answer is not", async () => {
  const client = await connected("never");
  client.send({ id: 1, method: "tools/call", params: { name: "slow" } });
  await client.settle();
  for (let done = 0; done < 1_000; done++) {
    const params = { progressToken: 1, progress: done, message: BIG };
    await client.transport.send({ jsonrpc: "2.0", method: "notifications/progress", params });
    await turn();
  }
  await client.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await turn();
  expect(client.unreadBytes()).toBeLessThan(64e6);
  expect(client.read()).toContain('"id":1');
});
