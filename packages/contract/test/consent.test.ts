import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfSdk1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioOfSdk1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpOfSdk1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { stdioCommand } from "./legs.ts";
import { notesApp, stoppedAt } from "./notes-product.ts";
import { serve } from "./raw-http.ts";

/** Every kind of client in use: what it is called, and whether it speaks the protocol of 2026. */
const clients = {
  "SDK 1.x": { isModern: false, connect: connectSdk1 },
  "SDK 2 with defaults": { isModern: false, connect: connectSdk2("legacy") },
  "SDK 2, protocol 2026-07-28": { isModern: true, connect: connectSdk2("auto") },
};
type ClientName = keyof typeof clients;

const legs = (["stdio", "HTTP", "HTTP without sessions"] as const).flatMap((transport) =>
  // The keys of an object literal.
  (Object.keys(clients) as ClientName[]).map((client) => ({ transport, client })),
);
type Leg = (typeof legs)[number];

/** A client with one note to delete, that answers questions with `answer`, or cannot be asked. */
interface Person {
  readonly asked: string[];
  answer: boolean;
}

interface Connected {
  readonly call: (name: string, args: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onprogress: () => void;
}

async function deleting({ transport, client }: Leg, person: Person | undefined) {
  const url =
    transport === "stdio"
      ? undefined
      : (await serve({ legacySessions: transport === "HTTP" }, notesApp())).url;
  const { call } = await clients[client].connect(url, person);
  await call("add_note", { text: "keep me" });
  return {
    call,
    deleteIt: (confirm: boolean) => call("delete_note", { id: "1", ...(confirm && { confirm }) }),
  };
}

const done = { success: true, data: { deleted: true } };
const denied = { success: false, error: { code: "denied" } };

describe.each(legs)("over $transport with $client", (leg) => {
  const isLost = leg.transport === "HTTP without sessions" && !clients[leg.client].isModern;

  if (isLost) {
    test("nothing is known of the client, so the agent's argument does not count", async () => {
      for (const person of [undefined, { asked: [], answer: true }]) {
        const { deleteIt } = await deleting(leg, person);
        expect(await deleteIt(true)).toMatchObject({
          error: { code: "denied", suggested_fix: expect.stringContaining("Connect with a session") },
        });
        expect(person?.asked ?? []).toEqual([]);
      }
    });
    return;
  }

  test("a person who can be asked is asked, whatever the agent says", async () => {
    const person: Person = { asked: [], answer: false };
    const { deleteIt } = await deleting(leg, person);
    expect(await deleteIt(true)).toMatchObject(denied);
    person.answer = true;
    expect(await deleteIt(false)).toMatchObject(done);
    expect(person.asked).toEqual(["Delete note 1?", "Delete note 1?"]);
  });

  test("where the client cannot ask, the agent's argument counts", async () => {
    const { deleteIt } = await deleting(leg, undefined);
    expect(await deleteIt(false)).toMatchObject(denied);
    expect(await deleteIt(true)).toMatchObject(done);
  });

  // Where the server is another process, nobody here sees the call stop.
  if (leg.transport === "stdio") return;
  test("a cancelled call stops", async () => {
    const { call } = await deleting(leg, undefined);
    const before = stoppedAt.length;
    const stop = new AbortController();
    const counting = call(
      "count_slowly",
      { to: 1_000_000 },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(counting).rejects.toThrow();
    await expect.poll(() => stoppedAt.length).toBe(before + 1);
    expect(stoppedAt.at(-1)).toBeLessThan(1_000_000);
  });
});

async function connectSdk1(url: string | undefined, person: Person | undefined): Promise<Connected> {
  const client = new ClientOfSdk1(
    { name: "old", version: "1" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => replyOf(person, params.message));
  await client.connect(
    url === undefined ? new StdioOfSdk1({ ...stdioCommand, stderr: "ignore" }) : new HttpOfSdk1(new URL(url)),
  );
  onTestFinished(() => client.close());
  return {
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent,
  };
}

function connectSdk2(mode: "legacy" | "auto") {
  return async (url: string | undefined, person: Person | undefined): Promise<Connected> => {
    const client = new Client(
      { name: "new", version: "1" },
      {
        versionNegotiation: { mode },
        capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      },
    );
    if (person !== undefined)
      client.setRequestHandler("elicitation/create", async ({ params }) => replyOf(person, params.message));
    await client.connect(
      url === undefined
        ? new StdioClientTransport({ ...stdioCommand, stderr: "ignore" })
        : new StreamableHTTPClientTransport(new URL(url)),
    );
    onTestFinished(() => client.close());
    return {
      call: async (name, args, options) =>
        (await client.callTool({ name, arguments: args }, options)).structuredContent,
    };
  };
}

function replyOf(person: Person, message: string) {
  person.asked.push(message);
  return person.answer
    ? { action: "accept" as const, content: { confirm: true } }
    : { action: "decline" as const };
}
