import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createTaskSessionFromClient,
  type SerializedTaskReference,
} from "@modelcontextprotocol/ext-tasks/client";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { testApp } from "../command-line.ts";
import { cleanEnv, queuedItem, tuitbotCommand } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, type Served, serve } from "../web/served.ts";

const APPROVALS = "tuitbot://approvals";

onBothEngines("an agent that listens", ({ place }) => {
  let home: string;
  let remove: () => void;
  let sandbox: Sandbox;
  let env: NodeJS.ProcessEnv;
  let served: Served;
  let owner: Browser;
  const clients: Client[] = [];

  beforeAll(async () => {
    ({ home, remove } = newHome());
    sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
    env = { ...(await signedInEnv(home, sandbox)), TUITBOT_STORAGE__URL: (await place()).url };
    served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
    owner = new Browser(served.url);
    await owner.signIn(served.link);
  }, 60_000);

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await served.stop();
    await sandbox.close();
    remove();
  });

  async function connected(transport: "stdio" | "http", mode: "auto" | "legacy") {
    const client = new Client(
      { name: `${transport} ${mode}`, version: "1" },
      { versionNegotiation: { mode } },
    );
    clients.push(client);
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri);
    });
    const { command, args } = tuitbotCommand;
    await client.connect(
      transport === "stdio"
        ? new StdioClientTransport({
            command,
            args: [...args, "mcp", "serve"],
            env: cleanEnv(home, env),
            stderr: "ignore",
          })
        : new StreamableHTTPClientTransport(new URL("/mcp", served.url), {
            requestInit: { headers: { authorization: `Bearer ${served.token}` } },
          }),
    );
    return { client, heard };
  }

  async function proposed(text: string) {
    const id = queuedItem(await served.call("x_post_tweet", { text })) ?? expect.fail("It was not queued.");
    const { body } = await owner.command("pending");
    return body.items.find((one) => one.id === id) ?? expect.fail("It does not wait.");
  }

  async function read(client: Client, uri: string) {
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "null");
  }

  test("receives another process's decision immediately, with reason, edit and result", async () => {
    const [stdio, http, legacy] = await Promise.all([
      connected("stdio", "auto"),
      connected("http", "auto"),
      connected("http", "legacy"),
    ]);
    const rejected = await proposed("Rye today, cheap.");
    const edited = await proposed("Spelt tomorrow.");
    const uris = [APPROVALS, `${APPROVALS}/${rejected.id}`, `${APPROVALS}/${edited.id}`];
    await stdio.client.listen({ resourceSubscriptions: uris });
    await http.client.listen({ resourceSubscriptions: uris });
    for (const uri of uris) await legacy.client.subscribeResource({ uri });
    const all = [stdio, http, legacy];
    // A server counts its first state as a change, so nothing is lost between reading and listening.
    for (const { heard } of [stdio, http]) await expect.poll(() => new Set(heard).size).toBe(3);
    const forgetHeard = () => {
      for (const { heard } of all) heard.length = 0;
    };

    forgetHeard();
    const { id, digest } = rejected;
    await owner.command("reject", { id, digest, reason: "Too salesy." });
    for (const { client, heard } of all) {
      await expect.poll(() => heard).toEqual(expect.arrayContaining(uris.slice(0, 2)));
      expect(heard).not.toContain(uris[2]);
      expect(await read(client, `${APPROVALS}/${id}`)).toMatchObject({
        status: "rejected",
        person_says: "Too salesy.",
        decided_by: expect.stringMatching(/^person via web, user "/),
        params: { text: "Rye today, cheap." },
      });
      expect(await read(client, APPROVALS)).toMatchObject({
        items: [{ id: edited.id }],
        decided: [{ id, person_says: "Too salesy." }],
      });
    }

    forgetHeard();
    const terminal = (...words: string[]) =>
      testApp().run(["approve", ...words], { env: cleanEnv(home, env) });
    await terminal("--id", String(edited.id), "--text", "Spelt on Tuesday.");
    for (const { client, heard } of all) {
      await expect.poll(() => heard).toContain(uris[2]);
      expect(await read(client, `${APPROVALS}/${edited.id}`)).toMatchObject({
        status: "pending",
        params: { text: "Spelt on Tuesday." },
        edited_to: "Spelt on Tuesday.",
      });
    }

    forgetHeard();
    await terminal("--id", String(edited.id), "--yes");
    for (const { client, heard } of all) {
      await expect.poll(() => heard).toContain(uris[2]);
      await expect
        .poll(() => read(client, `${APPROVALS}/${edited.id}`))
        .toMatchObject({ status: "executed", result: { text: "Spelt on Tuesday." }, error: null });
    }
    await expect(read(stdio.client, `${APPROVALS}/9999`)).rejects.toThrow(/no approval item 9999/);
    await expect(read(stdio.client, `${APPROVALS}/x`)).rejects.toThrow(/whole numbers/);
  }, 60_000);

  describe("as a task", () => {
    /** The official client of the extension; the requests leave as they are, since the SDK's client knows no tasks. */
    async function tasks() {
      const { client } = await connected("http", "auto");
      const session = createTaskSessionFromClient(client, {
        endpointId: "tuitbot",
        rawDispatch: (request) => dispatch(request),
        v2RequestFraming: FRAMING,
      });
      return session;
    }

    async function dispatch(request: unknown, framing: object = FRAMING) {
      const { method, params } = Object(request);
      const meta = Object(framing);
      const response = await fetch(new URL("/mcp", served.url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${served.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": meta.protocolVersion,
          "mcp-method": method,
          "mcp-name": params.name ?? params.taskId ?? "",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": meta.protocolVersion,
              "io.modelcontextprotocol/clientInfo": meta.clientInfo,
              "io.modelcontextprotocol/clientCapabilities": meta.clientCapabilities,
            },
          },
        }),
      });
      const text = await response.text();
      const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      return error === undefined
        ? { kind: "result" as const, result }
        : { kind: "error" as const, error: error as { code: number; message: string } };
    }

    /** The item that waits, once there is exactly one. */
    async function waiting() {
      const { body } = await owner.command("pending");
      expect(body.items).toHaveLength(1);
      return body.items[0] ?? expect.fail("Nothing waits.");
    }

    test("a queued call ends when the person decides, with the answer of the call or their reason", async () => {
      await using session = await tasks();
      const approved = await session.callTool("x_post_tweet", { text: "Oats, as a task." });
      expect(approved.kind).toBe("task");
      const { id, digest } = await waiting();
      await owner.command("approve", { id, digest });
      expect((await approved.settle()).outcome).toMatchObject({
        status: "completed",
        result: {
          structuredContent: {
            success: true,
            data: { text: "Oats, as a task.", id: expect.any(String) },
            meta: { decisions: [{ approval_queue_id: id, status: "executed" }] },
          },
        },
      });

      const refused = await session.callTool("x_post_tweet", { text: "Barley, as a task." });
      const no = await waiting();
      await owner.command("reject", { id: no.id, digest: no.digest, reason: "Too early." });
      expect((await refused.settle()).outcome).toMatchObject({
        status: "completed",
        result: {
          isError: true,
          structuredContent: {
            success: false,
            error: { reason: "rejected_by_person", details: { person_says: "Too early." } },
          },
        },
      });

      // Reads, and calls by clients without tasks, are answered as before.
      const read = await session.callTool("get_pending_count", {});
      expect(read.kind).toBe("immediate");
      const plain = await dispatch(
        { method: "tools/call", params: { name: "x_post_tweet", arguments: { text: "Plain." } } },
        { ...FRAMING, clientCapabilities: {} },
      );
      expect(plain).toMatchObject({ result: { structuredContent: { data: { status: "queued" } } } });
      const left = await waiting();
      await owner.command("reject", { id: left.id, digest: left.digest });
    }, 60_000);

    test("it is found after the server was killed, by its caller alone, and can be withdrawn", async () => {
      let reference: SerializedTaskReference | undefined;
      {
        await using session = await tasks();
        const execution = await session.callTool("x_post_tweet", { text: "Millet, as a task." });
        if (execution.kind !== "task") return expect.fail("It is no task.");
        await execution.handoff((given) => {
          reference = given;
        });
      }
      const { taskId } = reference ?? expect.fail("There is no reference.");
      await served.stop("SIGKILL");
      served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
      owner = new Browser(served.url);
      await owner.signIn(served.link);

      const get = { method: "tasks/get", params: { taskId } };
      expect(await dispatch(get)).toMatchObject({ result: { status: "working", taskId } });
      const [, secret = ""] = taskId.split(".");
      for (const other of [`999.${secret}`, `${taskId}x`, secret, ""])
        expect(await dispatch({ ...get, params: { taskId: other } })).toMatchObject({
          error: { code: -32602 },
        });
      expect(await dispatch(get, { ...FRAMING, clientCapabilities: {} })).toMatchObject({
        error: { code: -32021 },
      });
      const { client: stranger } = await connected("stdio", "auto");
      await expect(
        stranger.request({ method: "tasks/get", params: { taskId } }, z.looseObject({})),
      ).rejects.toThrow();

      await using session = await tasks();
      const resumed = await session.resumeTask(reference ?? expect.fail("There is no reference."));
      const { id, digest } = await waiting();
      await owner.command("approve", { id, digest });
      expect((await resumed.settle()).outcome).toMatchObject({
        status: "completed",
        result: { structuredContent: { data: { text: "Millet, as a task." } } },
      });

      const withdrawn = await session.callTool("x_post_tweet", { text: "Withdrawn." });
      if (withdrawn.kind !== "task") return expect.fail("It is no task.");
      const gone = await waiting();
      await withdrawn.cancel();
      expect(await owner.command("approve", { id: gone.id, digest: gone.digest })).toMatchObject({
        status: 409,
        body: { error: { failure: { reason: "already_decided" } } },
      });
      expect((await withdrawn.settle()).outcome).toMatchObject({ status: "cancelled" });
    }, 60_000);
  });
});

const FRAMING = {
  protocolVersion: "2026-07-28",
  clientInfo: { name: "agent with tasks", version: "1" },
  clientCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
};
