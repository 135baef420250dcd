import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lab, patience } from "./lab.ts";

/** Keeps running when stdin ends. */
const STUBBORN = `
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
writeFileSync(process.argv[2], String(process.pid));
setInterval(() => {}, 1000);
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const serverInfo = { name: "stubborn", version: "1" };
  if (method === "initialize") answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  else if (method === "tools/list") answer(id, { tools: [] });
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
});
`;

test.each(["stdio", "http"] as const)(
  "over %s, a gate that ends takes its server with it",
  async (transport) => {
    const { folder, connect } = await lab("");
    const script = join(folder, "stubborn.mjs");
    const pidFile = join(folder, "pid");
    writeFileSync(script, STUBBORN);
    const { client, close } = await connect(
      { transport, era: "modern" },
      { server: [process.execPath, script, pidFile] },
    );
    expect((await client.listTools()).tools).toEqual([]);
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await close();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), patience);
  },
);

test("a gate that cannot listen says so, and ends with its server", async () => {
  const { folder, serve } = await lab("");
  const script = join(folder, "stubborn.mjs");
  const pidFile = join(folder, "pid");
  writeFileSync(script, STUBBORN);
  const opening = serve({ server: [process.execPath, script, pidFile], port: 99_999, gateArgs: ["--web"] });
  await expect(opening).rejects.toThrow("is not an address");
  const pid = Number(readFileSync(pidFile, "utf8"));
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), patience);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
