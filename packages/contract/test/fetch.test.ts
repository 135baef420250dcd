import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { serveFetch } from "../src/mcp/fetch.ts";
import type { HttpHandlerOptions } from "../src/mcp/http-options.ts";
import { notesApp } from "./notes-product.ts";

/** Calls the function as a runtime would: without a socket, and with the host only in the URL. */
async function clientOf(mode: "auto" | "legacy", url: string, options: HttpHandlerOptions = {}) {
  const serve = serveFetch(notesApp().app, options);
  const client = new Client({ name: "far", version: "1" }, { versionNegotiation: { mode } });
  const fetch = (address: string | URL, init?: RequestInit) => serve(new Request(address, init));
  const requestInit = { headers: { authorization: `Bearer ${options.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test.each(["auto", "legacy"] as const)("a client in %s mode lists and calls", async (mode) => {
  const client = await clientOf(mode, "https://notes.example/mcp", { token: "a long secret" });
  expect((await client.listTools()).tools).toHaveLength(6);
  const added = await client.callTool({ name: "add_note", arguments: { text: "far away" } });
  expect(added.structuredContent).toMatchObject({ success: true, data: { id: "1" } });
  const bad = await client.callTool({ name: "add_note", arguments: { txt: "far away" } });
  expect(bad.structuredContent).toMatchObject({ error: { code: "invalid_input" } });
});

test("without a token, a name or an issuer it answers on loopback alone", async () => {
  const serve = serveFetch(notesApp().app);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const statusAt = async (url: string) =>
    (await serve(new Request(url, { method: "POST", body, headers }))).status;
  expect(await statusAt("https://notes.example/mcp")).toBe(403);
  expect(await statusAt("http://localhost:8787/mcp")).toBe(200);
  const named = serveFetch(notesApp().app, { allowedHosts: ["notes.example"] });
  expect(
    (await named(new Request("https://notes.example/mcp", { method: "POST", body, headers }))).status,
  ).toBe(200);
  const guarded = serveFetch(notesApp().app, { token: "a long secret" });
  expect(
    (await guarded(new Request("https://notes.example/mcp", { method: "POST", body, headers }))).status,
  ).toBe(401);
});
