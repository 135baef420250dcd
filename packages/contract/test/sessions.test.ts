import type { AuthInfo } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../src/mcp/http.ts";
import { createHttpHandler } from "../src/mcp/http-handler.ts";
import { internals } from "../src/mcp/internals.ts";
import { LegacySessions, RecentEvents } from "../src/mcp/legacy-sessions.ts";
import { newServerOf } from "../src/mcp/server.ts";
import { notesApp } from "./notes-product.ts";

const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

function message(body: object, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
  };
}

describe("a client of before 2026 whose connection breaks", () => {
  async function session() {
    const server = await serveHttp(notesApp().app, { port: 0 });
    onTestFinished(server.close);
    const opened = await fetch(server.url, message(initialize));
    await opened.body?.cancel();
    return { url: server.url, headers: { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" } };
  }

  /** Retries until the server notices that the last stream broke. */
  async function comeBack(url: string, headers: Record<string, string>): Promise<Response> {
    for (;;) {
      const stream = await fetch(url, { headers: { accept: "text/event-stream", ...headers } });
      if (stream.status !== 409) return stream;
      await stream.body?.cancel();
    }
  }

  test("in the middle of a call comes back for the answer", async () => {
    const { url, headers } = await session();
    const call = { id: 1, method: "tools/call", params: { name: "count_slowly", arguments: { to: 500 } } };
    const broken = new AbortController();
    const stream = await fetch(url, { ...message(call, headers), signal: broken.signal });
    const first = await stream.body?.getReader().read();
    const id = /^id: (.*)$/m.exec(new TextDecoder().decode(first?.value))?.[1] ?? "";
    broken.abort();

    const resumed = await comeBack(url, { ...headers, "last-event-id": id });
    const [, data] = /^data: (.*)$/m.exec(await resumed.text()) ?? [];
    expect(JSON.parse(data ?? "")).toMatchObject({
      id: 1,
      result: { structuredContent: { data: { counted: 500 } } },
    });
  });

  test("may listen for news again", async () => {
    const { url, headers } = await session();
    const broken = new AbortController();
    const listening = await fetch(url, {
      headers: { accept: "text/event-stream", ...headers },
      signal: broken.signal,
    });
    expect(listening.status).toBe(200);
    broken.abort();
    const again = await comeBack(url, headers);
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });

  test("and that missed too much gets an error", async () => {
    const { url, headers } = await session();
    const stream = await comeBack(url, { ...headers, "last-event-id": "12345" });
    expect(stream.status).toBe(400);
  });
});

test("a session goes on only for the person and the OAuth client that began it", async () => {
  const newServer = newServerOf(notesApp().app);
  const sessions = new LegacySessions(() => newServer({ era: "legacy", transport: "http" }));
  onTestFinished(() => sessions.close());
  const send = (subject: string, body: object, headers = {}, clientId = "some-client") =>
    sessions.fetch(new Request("http://localhost/mcp", message(body, headers)), { jsonrpc: "2.0", ...body }, {
      token: "",
      clientId,
      scopes: [],
      extra: { issuer: "https://issuer.example", subject },
    } satisfies AuthInfo);
  const opened = await send("alice", initialize);
  const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const list = { id: 1, method: "tools/list" };
  expect((await send("alice", list, headers)).status).toBe(200);
  expect((await send("mallory", list, headers)).status).toBe(404);
  expect((await send("alice", list, headers, "other-client")).status).toBe(404);
});

describe("many sessions", () => {
  function sessionsOf(now = () => 0) {
    const newServer = newServerOf(notesApp().app);
    const sessions = new LegacySessions(() => newServer({ era: "legacy", transport: "http" }), now);
    onTestFinished(() => sessions.close());
    const send = (subject: string, body: object, headers = {}) =>
      sessions.fetch(
        new Request("http://localhost/mcp", message(body, headers)),
        { jsonrpc: "2.0", ...body },
        {
          token: "",
          clientId: "some-client",
          scopes: [],
          extra: { issuer: "https://issuer.example", subject },
        },
      );
    return {
      begin: async (subject: string) => {
        const opened = await send(subject, initialize);
        await opened.body?.cancel();
        return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      },
      isOpen: async (subject: string, headers: object) => {
        const answer = await send(subject, { id: 1, method: "tools/list" }, headers);
        await answer.body?.cancel();
        return answer.status === 200;
      },
    };
  }

  test("of one person end that person's own, never another's", async () => {
    const { begin, isOpen } = sessionsOf();
    const ofAlice = await begin("alice");
    const first = await begin("mallory");
    for (let more = 0; more < 300; more++) await begin("mallory");
    expect(await isOpen("alice", ofAlice)).toBe(true);
    expect(await isOpen("mallory", first)).toBe(false);
  });

  test("give way to a new one once they were idle for an hour", async () => {
    let now = 0;
    const { begin, isOpen } = sessionsOf(() => now);
    const idle = await begin("alice");
    const used = await begin("alice");
    now += 1_800_000;
    expect(await isOpen("alice", used)).toBe(true);
    now += 1_800_000;
    await begin("bob");
    expect(await isOpen("alice", used)).toBe(true);
    expect(await isOpen("alice", idle)).toBe(false);
  });
});

test("what a session was sent is kept up to a size, and the last of it always", async () => {
  const events = new RecentEvents();
  const sent = (text: string) => ({
    jsonrpc: "2.0" as const,
    method: "notifications/message",
    params: { text },
  });
  const first = await events.storeEvent("s", sent("x".repeat(600_000)));
  const second = await events.storeEvent("s", sent("x".repeat(600_000)));
  expect(await events.getStreamIdForEventId(first)).toBeUndefined();
  expect(await events.getStreamIdForEventId(second)).toBe("s");
  const huge = await events.storeEvent("s", sent("x".repeat(2_000_000)));
  expect(await events.getStreamIdForEventId(second)).toBeUndefined();
  expect(await events.getStreamIdForEventId(huge)).toBe("s");
});

test("an app forgets a handler that was closed", async () => {
  const { app } = notesApp();
  const handler = createHttpHandler(app);
  const headers = { "content-type": "application/json", host: "localhost" };
  await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body: "{}" }));
  expect(app[internals].updates.size).toBe(1);
  await handler.close();
  expect(app[internals].updates.size).toBe(0);
});
