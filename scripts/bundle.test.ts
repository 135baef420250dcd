import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "./bundle.ts";
import { root } from "./packages.ts";
import { run } from "./run.ts";

const NOTES = join(root, "packages/contract/test/notes-stdio.ts");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolpact-bundle-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modern = (id: unknown, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: envelope },
});
const legacy = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const call = (name: string, args: object) => ({ name, arguments: args });

/** In both eras; the last message is always answered. */
const CONVERSATIONS: readonly (readonly unknown[])[] = [
  [
    modern(1, "server/discover"),
    modern(2, "tools/list"),
    modern("three", "tools/call", call("add_note", { text: "hello" })),
    modern(4, "tools/call", call("get_note", { id: 1 })),
    modern(5, "tools/call", call("no_such_tool", {})),
    modern(6, "no/such/method"),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2, _meta: envelope } },
    { jsonrpc: "2.0", id: 7, result: {} },
    { jsonrpc: "2.0", id: 8, error: { code: 1, message: "no" } },
    { jsonrpc: "2.0", id: {}, method: "ping" },
    { jsonrpc: "2.0", id: 9, method: "tools/list", params: [], extra: true },
    { jsonrpc: "2.0", id: 10, result: "not an object" },
    { jsonrpc: "1.0", id: 11, method: "ping" },
    { jsonrpc: "2.0", id: 12, method: "tools/list", params: { _meta: { progressToken: {} } } },
    null,
    [],
    modern(13, "tools/call", call("list_notes", {})),
  ],
  [
    legacy(1, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    legacy(2, "ping"),
    legacy(3, "tools/list"),
    legacy(4, "tools/call", call("add_note", { text: "hello", color: "red" })),
    legacy(5, "tools/call", { name: 7 }),
    legacy(6, "tools/call", call("break_down", { how: "throw" })),
    legacy(7, "logging/setLevel", { level: "loud" }),
    legacy(8, "tools/call", call("list_notes", {})),
  ],
];

test("a bundled server answers every message like the unbundled server", async () => {
  await bundle({ entries: { notes: NOTES }, outdir: folder });
  for (const messages of CONVERSATIONS) {
    const fromSources = await answers(["--conditions=toolpact-source", NOTES], messages);
    expect(fromSources.length).toBeGreaterThan(messages.length / 2);
    expect(await answers([join(folder, "notes.js")], messages)).toEqual(fromSources);
  }
});

test("functions of prebuilt.ts read their results from JSON files of the bundle", async () => {
  writeFileSync(
    join(folder, "prebuilt.ts"),
    `export const prebuilt = { made: () => ({ sum: [1, 2].reduce((a, b) => a + b) }) };`,
  );
  writeFileSync(
    join(folder, "old.cjs"),
    `const { join } = require("node:path"); exports.path = join("a", "b");`,
  );
  writeFileSync(
    join(folder, "app.ts"),
    `#!/usr/bin/env node
import { path } from "./old.cjs";
import { prebuilt } from "./prebuilt.ts";
class ShownInErrors extends Error {}
console.log(JSON.stringify({ made: prebuilt.made(), path, name: ShownInErrors.name }));`,
  );
  await bundle({ entries: { app: join(folder, "app.ts") }, outdir: join(folder, "app") });
  const text = readFileSync(join(folder, "app/app.js"), "utf8");
  expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(text).not.toContain("reduce");
  const { output } = await run(process.execPath, [join(folder, "app/app.js")]);
  expect(JSON.parse(output)).toEqual({ made: { sum: 3 }, path: join("a", "b"), name: "ShownInErrors" });
});

test("tuitbot answers the handshake without loading the SDK or zod", async () => {
  const entry = join(root, "packages/tuitbot/src/cli/mcp/preload-serve.ts");
  const { outputs } = await bundle({ entries: { open: entry }, outdir: join(folder, "open") });
  const loaded = (path: string): readonly string[] => {
    const { inputs = {}, imports = [] } = outputs[path] ?? {};
    const eager = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    return [...Object.keys(inputs), ...eager.flatMap((one) => loaded(one.path))];
  };
  const open = Object.keys(outputs).find((path) => path.endsWith("/open.js")) ?? "";
  expect(loaded(open)).toContain("packages/contract/src/mcp/fast-path/handshake.ts");
  expect(loaded(open).filter((path) => /\/(zod|@modelcontextprotocol)\//.test(path))).toEqual([]);
});

/** Sorted. */
async function answers(args: readonly string[], messages: readonly unknown[]): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  for (const message of messages) send(message);
  // Every conversation ends with a request. Its second answer ends the output.
  const last = messages.at(-1) as { readonly id: unknown };
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line);
    if (id === "end") break;
    if (id === last.id) send({ ...last, id: "end" });
    lines.push(withoutChance(line));
  }
  child.stdin.end();
  return lines.sort();
}

function withoutChance(line: string): string {
  return line
    .replaceAll(/elapsed_ms\\?":\d+/g, "elapsed_ms:0")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID");
}
