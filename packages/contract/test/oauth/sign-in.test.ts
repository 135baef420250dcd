import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientOfSdk1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpOfSdk1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { realPostgres } from "../../../tuitbot/test/postgres/real-postgres.ts";
import { newSchema } from "../../../tuitbot/test/postgres/server.ts";
import { post } from "../raw-http.ts";
import { balancer } from "./balancer.ts";
import { newClient, refresh, revoke, signedIn } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";
import { TestUser } from "./test-user.ts";

const folder = mkdtempSync(join(tmpdir(), "toolpact-sign-in-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

interface ConnectedClient {
  readonly call: (
    name: string,
    args: Record<string, unknown>,
  ) => Promise<{ readonly structuredContent?: unknown }>;
}

/** The first attempt opens the browser, the second has the tokens. */
const clients = {
  "SDK 1.x": async (url: string, user: TestUser): Promise<ConnectedClient> => {
    const open = async () => {
      const client = new ClientOfSdk1({ name: "old", version: "1" });
      // SDK 1.x reads the same members.
      const transport = new HttpOfSdk1(new URL(url), { authProvider: user as never });
      await client.connect(transport).catch(async (error) => {
        if (user.back === undefined) throw error;
        await transport.finishAuth(user.back.searchParams.get("code") ?? "");
        throw error;
      });
      onTestFinished(() => client.close());
      return client;
    };
    const client = await open().catch((error) => (user.back === undefined ? Promise.reject(error) : open()));
    return {
      call: async (name, args) => {
        const { structuredContent } = await client.callTool({ name, arguments: args });
        return { structuredContent };
      },
    };
  },
  "SDK 2, protocol 2025-11-25": connectSdk2("legacy"),
  "SDK 2, protocol 2026-07-28": connectSdk2("auto"),
};

function connectSdk2(mode: "legacy" | "auto") {
  return async (url: string, user: TestUser): Promise<ConnectedClient> => {
    const open = async () => {
      const client = new Client({ name: "new", version: "1" }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: user });
      await client.connect(transport).catch(async (error) => {
        if (user.back !== undefined) await transport.finishAuth(user.back.searchParams);
        throw error;
      });
      onTestFinished(() => client.close());
      return client;
    };
    const client = await open().catch((error) => (user.back === undefined ? Promise.reject(error) : open()));
    return { call: (name, args) => client.callTool({ name, arguments: args }) };
  };
}

const postgres = realPostgres.ok ? realPostgres.server.url : undefined;

const engines = [
  ["SQLite", async () => join(folder, `${++files}.db`)],
  ...(postgres === undefined ? [] : [["PostgreSQL", () => newSchema(postgres)] as const]),
] as const;

describe.each(engines)("with %s", (_engine, newPlace) => {
  test.each(Object.entries(clients))(
    "%s discovers, registers, signs in and calls",
    async (_name, connect) => {
      const server = await serveSignIn({}, await newPlace());
      const user = new TestUser();
      const client = await connect(server.url, user);
      expect(await client.call("add_note", { text: "hello" })).toMatchObject({
        structuredContent: { success: true },
      });
      expect(user.registrations).toBe(1);
      expect(user.back?.searchParams.get("iss")).toBe(server.origin);
      expect(server.errors).toEqual([]);
    },
  );

  test.each(Object.entries(clients))(
    "%s signs in and calls at three replicas, each request at the next",
    async (_name, connect) => {
      const place = await newPlace();
      const { origin, replicas } = await balancer();
      // Sessions of legacy clients would need sticky routing.
      for (let index = 0; index < 3; index++)
        replicas.push((await serveSignIn({ publicUrl: origin }, place, { legacySessions: false })).origin);
      const client = await connect(`${origin}/mcp`, new TestUser());
      for (const text of ["one", "two", "three"])
        expect(await client.call("add_note", { text })).toMatchObject({
          structuredContent: { success: true },
        });
    },
  );

  test("three replicas share clients, codes, tokens and revocations", async () => {
    const place = await newPlace();
    const { origin, replicas } = await balancer();
    for (let index = 0; index < 3; index++)
      replicas.push((await serveSignIn({ publicUrl: origin }, place)).origin);
    const client = await newClient(origin);
    const tokens = await signedIn(client);
    const headers = { authorization: `Bearer ${tokens.access}` };
    const statuses = async () =>
      Promise.all(replicas.map(async (replica) => (await post(`${replica}/mcp`, { headers })).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const renewed = await refresh(client, tokens.refresh);
    expect(renewed.body.scope).toBe("mcp notes.write");
    expect((await revoke(client, renewed.body.refresh_token)).status).toBe(200);
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([401, 401, 401]);
  });

  test("a server that is started again knows its clients and their tokens", async () => {
    const place = await newPlace();
    const { origin, replicas } = await balancer();
    const before = await serveSignIn({ publicUrl: origin }, place);
    replicas.push(before.origin);
    const client = await newClient(origin);
    const tokens = await signedIn(client);
    await before.close();
    replicas.splice(0, 1, (await serveSignIn({ publicUrl: origin }, place)).origin);
    const headers = { authorization: `Bearer ${tokens.access}` };
    expect((await post(`${origin}/mcp`, { headers })).status).toBe(200);
    const renewed = await refresh(client, tokens.refresh);
    expect(renewed).toMatchObject({ status: 200, body: { scope: "mcp notes.write" } });
  });
});

test.each([
  ["2025-11-25", "legacy"],
  ["2026-07-28", "auto"],
] as const)(
  "a client of %s that began without a sign-in goes on after it signed in for a tool",
  async (_, mode) => {
    const server = await serveSignIn({ publicTools: true });
    const user = new TestUser();
    const client = new Client({ name: "new", version: "1" }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: user });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const success = { structuredContent: { success: true } };
    expect(await client.callTool({ name: "list_notes", arguments: {} })).toMatchObject(success);
    const add = () => client.callTool({ name: "add_note", arguments: { text: "hello" } });
    await expect(add()).rejects.toThrow();
    await transport.finishAuth(user.back?.searchParams ?? new URLSearchParams());
    expect(await add()).toMatchObject(success);
  },
);
