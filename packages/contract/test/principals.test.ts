import { expect, test } from "vitest";
import type { Principal } from "../src/mcp/request.ts";
import { notesApp } from "./notes-product.ts";
import { post, serve } from "./raw-http.ts";

/** One token per caller. The reader gets only tools that read. */
async function served() {
  const notes = notesApp();
  const { surface } = notes.app;
  const offered = (names: readonly string[]) => ({
    ...surface,
    instructions: "You can read.",
    tools: surface.tools.filter(({ name }) => names.includes(String(name))),
    resources: [],
    resourceTemplates: [],
    prompts: [],
  });
  const tokens = new Map<string, Principal>([
    ["reader-token", { id: "agent:reader", surface: offered(["get_note", "list_notes"]) }],
    ["writer-token", { id: "agent:writer" }],
  ]);
  const { url } = await serve({ token: "shared-token", identify: async (token) => tokens.get(token) }, notes);
  const as = (token: string, method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post(url, { method, params, headers: { ...headers, authorization: `Bearer ${token}` } });
  return { notes, tokens, url, as };
}

const addNote = { name: "add_note", arguments: { text: "hi" } };

test("each caller is offered and can call what is theirs, and no cache gives one's list to another", async () => {
  const { as } = await served();
  const namesFor = async (token: string) => {
    const { result } = (await as(token, "tools/list")).json as {
      result: { tools: { name: string }[]; cacheScope: string };
    };
    expect(result.cacheScope).toBe("private");
    return result.tools.map(({ name }) => name);
  };
  expect(await namesFor("reader-token")).toEqual(["get_note", "list_notes"]);
  expect(await namesFor("writer-token")).toContain("add_note");
  expect(await namesFor("shared-token")).toContain("add_note");
  expect((await as("reader-token", "server/discover")).json).toMatchObject({
    result: { instructions: "You can read." },
  });
  expect((await as("reader-token", "tools/call", addNote)).json).toMatchObject({
    error: { code: -32602, message: "There is no tool `add_note` here." },
  });
  expect((await as("writer-token", "tools/call", addNote)).json).toMatchObject({
    result: { structuredContent: { success: true } },
  });
});

test("an audit has the principal whatever the client calls itself, and a token of nobody is refused", async () => {
  const { as, notes, url } = await served();
  await as("writer-token", "tools/call", addNote);
  expect(notes.audited.at(-1)).toMatchObject({ client: "raw", principal: "agent:writer" });
  expect((await as("nobodys-token", "tools/list")).status).toBe(401);
  expect((await post(url)).status).toBe(401);
});

test("a token that is taken away ends with the next request, also in an open session of before 2026", async () => {
  const { tokens, url } = await served();
  const legacy = (body: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        authorization: "Bearer reader-token",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const opened = await legacy({
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "agent:writer", version: "1" },
    },
  });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  expect(await opened.text()).toContain("You can read.");
  const list = { id: 1, method: "tools/list" };
  expect(await (await legacy(list, session)).text()).not.toContain("add_note");
  expect((await legacy(list, { ...session, authorization: "Bearer writer-token" })).status).toBe(404);
  tokens.delete("reader-token");
  expect((await legacy(list, session)).status).toBe(401);
});

test("a server that cannot look tokens up admits nobody, and lets them try again", async () => {
  const reported: Error[] = [];
  const { url } = await serve({
    identify: () => Promise.reject(new Error("no database")),
    onError: (error) => void reported.push(error),
  });
  const answer = await post(url, { headers: { authorization: "Bearer any" } });
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
  expect(reported).toHaveLength(1);
});
