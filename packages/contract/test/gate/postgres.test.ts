import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { realPostgres } from "../../../tuitbot/test/postgres/real-postgres.ts";
import { newSchema } from "../../../tuitbot/test/postgres/server.ts";
import { inboxAt } from "./inbox-stage.ts";
import { callTool, lab, listening, patience, published } from "./lab.ts";

const POLICY = `
name = "notes"
wait_seconds = 20
[tools]
"read_*" = "read_only"
`;
const TOKEN = "the token of the gate's callers";
const SERVER_TOKEN = "the token of the server";

/** The filesystem server over HTTP with a token, behind a gate on PostgreSQL. */
async function remoteLab() {
  const DATABASE = { TOOLPACT_GATE_DATABASE_URL: await newSchema(url()) };
  const made = await lab(POLICY, DATABASE);
  const files = join(made.folder, "files");
  mkdirSync(files);
  const script = join(import.meta.dirname, "stdio-over-http.ts");
  const { port } = await listening([process.execPath, script, ...published("server-filesystem", files)], {
    SERVER_TOKEN,
  });
  const serve = (env: Readonly<Record<string, string>>) =>
    made.serve({
      url: `http://127.0.0.1:${port}/mcp`,
      env: { ...DATABASE, NOTES_TOKEN: SERVER_TOKEN, ...env },
      gateArgs: ["--web", "--token-env", "NOTES_TOKEN"],
    });
  return { ...made, serve, path: (name: string) => join(files, name) };
}

function url(): string {
  if (!realPostgres.ok) throw new Error(realPostgres.why);
  return realPostgres.server.url;
}

async function clientOf(address: string, token: string): Promise<Client> {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

const statusOf = async (address: string, headers: Record<string, string>) => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "write_file", arguments: { path: "x", content: "x" } },
  });
  const accept = "application/json, text/event-stream";
  const request = {
    method: "POST",
    body,
    headers: { "content-type": "application/json", accept, ...headers },
  };
  return (await fetch(address, request)).status;
};

describe.skipIf(!realPostgres.ok)(
  "a gate over HTTP on PostgreSQL, before a server that wants a token",
  () => {
    test("refuses who has no token or a wrong one, and does once what a person approves in its inbox", async () => {
      const { serve, storage, path } = await remoteLab();
      const gate = await serve({ TOOLPACT_GATE_TOKEN: TOKEN });
      expect(await statusOf(gate.url, {})).toBe(401);
      expect(await statusOf(gate.url, { authorization: `Bearer ${TOKEN}x` })).toBe(401);
      await expect(clientOf(gate.url, "wrong")).rejects.toThrow();
      expect(await storage.items("waiting", Date.now())).toEqual([]);
      expect(await storage.records(10)).toEqual([]);

      const client = await clientOf(gate.url, TOKEN);
      const write = { path: path("a.txt"), content: "once" };
      const written = callTool(client, "write_file", write);
      const [, link = ""] = /(http:\/\/127\.0\.0\.1:\d+\/#\S+)/.exec(gate.said()) ?? [];
      const inbox = inboxAt(link);
      const person = await inbox.signIn();
      const item = await vi.waitFor(async () => {
        const { waiting } = await person.waiting();
        expect(waiting).toHaveLength(1);
        return waiting[0];
      }, patience);
      expect(item).toMatchObject({
        tool: "write_file",
        parts: expect.arrayContaining([
          expect.objectContaining({ name: "content", text: expect.stringContaining("once") }),
        ]),
      });
      expect(existsSync(path("a.txt"))).toBe(false);
      const yes = { id: item?.id, digest: item?.digest, approve: true };
      expect((await inbox.post("/decide", yes, person.headers)).status).toBe(200);
      expect(await written).toMatchObject({ isError: false });
      expect(readFileSync(path("a.txt"), "utf8")).toBe("once");
      expect(await storage.records(10)).toMatchObject([
        { tool: "write_file", outcome: "done", decision: "person", itemId: 1, receiptId: expect.any(String) },
      ]);
      expect(await storage.item(1)).toMatchObject({ status: "approved", decidedBy: "person via web" });
      // Prints neither token.
      expect(gate.said()).not.toContain(TOKEN);
      expect(gate.said()).not.toContain(SERVER_TOKEN);

      // Another gate creates its own token, and finds the first one's work.
      const other = await serve({});
      const repeated = await clientOf(other.url, other.token ?? "");
      const again = callTool(repeated, "write_file", write);
      await vi.waitFor(
        async () => expect(await storage.items("waiting", Date.now())).toHaveLength(1),
        patience,
      );
      const second = await storage.item(2);
      await storage.decide({
        id: 2,
        digest: second?.digest ?? "",
        approve: false,
        by: "person",
        note: "It is there.",
        now: Date.now(),
      });
      expect(await again).toMatchObject({ gate: { code: "rejected_by_person" } });
      expect(await statusOf(other.url, { authorization: `Bearer ${TOKEN}` })).toBe(401);
    });

    test("does not open with a wrong token for the server, or without a database, and says why", async () => {
      const { serve } = await remoteLab();
      await expect(serve({ NOTES_TOKEN: "wrong" })).rejects.toThrow(/it refuses this gate with 401/);
      await expect(
        serve({ TOOLPACT_GATE_DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" }),
      ).rejects.toThrow(/The store postgres:\/\/\S*127\.0\.0\.1:1\/x cannot be opened/);
    });
  },
);
