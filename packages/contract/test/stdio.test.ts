import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { stdioCommand } from "./legs.ts";

const started: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Driven line by line, without an SDK. */
function start() {
  const child = spawn(stdioCommand.command, stdioCommand.args, { stdio: "pipe" });
  started.push(child);
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    send: (line: string | Buffer) => child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")])),
    async receive(): Promise<Record<string, unknown>> {
      const { value } = await lines.next();
      return JSON.parse(value as string);
    },
  };
}

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const initialize = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
});

const childCommand = ["--conditions=toolpact-source", new URL("./child-stdio.ts", import.meta.url).pathname];

describe("a stdio server", () => {
  test("writes nothing but protocol to stdout, whatever its code prints", async () => {
    const { send, receive } = start();
    send(initialize);
    expect(await receive()).toMatchObject({ id: 1, result: { serverInfo: { name: "notes" } } });
    send(request(2, "tools/call", { name: "add_note", arguments: { text: "hi" } }));
    expect(await receive()).toMatchObject({ id: 2, result: { structuredContent: { success: true } } });
  });

  test.each<[what: string, line: string | Buffer, why: string, answer?: { code?: number; id?: number }]>([
    ["not JSON", "{nonsense", "the message is not JSON"],
    ["not JSON-RPC", '{"hello":"there"}', "the message is not JSON-RPC 2.0", { code: -32600 }],
    [
      "no request, though it has an id",
      '{"jsonrpc":"2.0","id":5,"method":7}',
      "the message is not JSON-RPC 2.0",
      { code: -32600, id: 5 },
    ],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "the message is not UTF-8"],
    [
      "larger than it reads",
      Buffer.alloc(9 * 1024 * 1024, 0x20),
      "the message has 9437184 bytes; at most 8388608 are read",
    ],
  ])(
    "answers a line that is %s, and keeps serving",
    async (_what, line, why, { code = -32700, ...id } = {}) => {
      const { send, receive } = start();
      send(line);
      expect(await receive()).toEqual({
        jsonrpc: "2.0",
        ...id,
        error: { code, message: `Cannot read a message: ${why}.` },
      });
      send(initialize);
      expect(await receive()).toMatchObject({ id: 1, result: {} });
    },
  );

  test("says nothing about blank lines, however they end", async () => {
    const { send, receive } = start();
    send("");
    send("\r");
    send("  \r");
    send(`${initialize}\r`);
    expect(await receive()).toMatchObject({ id: 1, result: {} });
  });

  test("names the versions it speaks to a client of another", async () => {
    const { send, receive } = start();
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2031-01-01",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    send(request(1, "server/discover", { _meta: meta }));
    expect(await receive()).toMatchObject({
      id: 1,
      error: { code: -32022, data: { supported: expect.arrayContaining(["2026-07-28"]) } },
    });
  });

  test("ends by itself when stdin closes, even with a call under way", async () => {
    const { child, send, receive } = start();
    send(initialize);
    await receive();
    send(request(2, "tools/call", { name: "count_slowly", arguments: { to: 1_000_000 } }));
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test.each([
    ["2025-11-25", {}],
    [
      "2026-07-28",
      {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    ],
  ])("stops a call that a client of %s cancels", async (version, meta) => {
    const { child, send, receive } = start();
    if (version === "2025-11-25") {
      send(initialize);
      await receive();
    }
    const params = { name: "count_slowly", arguments: { to: 1_000_000 } };
    send(request(2, "tools/call", { ...params, _meta: { ...meta, progressToken: 2 } }));
    expect(await receive()).toMatchObject({ method: "notifications/progress" });
    const cancelled = { requestId: 2, _meta: meta };
    send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled }));
    send(request(3, "tools/list", { _meta: meta }));
    while ((await receive()).id !== 3);
    // The server is stopped only now, so the cancellation ended the count.
    const said = child.stderr.setEncoding("utf8").toArray();
    child.stdin.end();
    expect((await said).join("")).toContain("counts ended: 1");
  });

  test("leaves no child: what it started is ended with it", async () => {
    const child = spawn(stdioCommand.command, childCommand, { stdio: "pipe" });
    started.push(child);
    const [line] = (await once(child.stderr, "data")) as [Buffer];
    const grandchild = Number(line.toString());
    expect(isAlive(grandchild)).toBe(true);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    await expect.poll(() => isAlive(grandchild)).toBe(false);
  });

  test("ends on SIGTERM", async () => {
    const { child, send, receive } = start();
    send(initialize);
    await receive();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("ends when its parent dies, though something else still holds its stdin", async () => {
    // The parent gives the server a stdin that this test keeps open, and is killed.
    const script = `
      const { spawn } = require("node:child_process");
      const server = spawn(${JSON.stringify(stdioCommand.command)}, ${JSON.stringify(stdioCommand.args)}, { stdio: ["inherit", "pipe", "ignore"] });
      server.stdout.once("data", () => console.log(server.pid));
    `;
    const parent = spawn(process.execPath, ["-e", script], { stdio: "pipe" });
    started.push(parent);
    parent.stdin.write(`${initialize}\n`);
    const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
    const server = Number(chunk.toString());
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(server)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
