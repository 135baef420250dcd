import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../src/program.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-build-test-")));
const place = join(folder, "weather-notes");
const toolpact = fileURLToPath(new URL("../../toolpact/src/main.ts", import.meta.url));
const build = (...words: string[]) =>
  spawnSync(process.execPath, ["--conditions=toolpact-source", toolpact, "build", ...words], {
    cwd: place,
    encoding: "utf8",
  });

beforeAll(async () => {
  expect((await run([place])).code).toBe(0);
  // Links what `npm install` would install.
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(place, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The server and one answer, as a client sees them. */
async function seen(args: readonly string[], mode: "auto" | "legacy") {
  const client = new Client({ name: "stranger", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "pipe" }),
  );
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: "add_note", arguments: { text: "Rain." } });
  const info = [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()];
  await client.close();
  return { tools, info, structuredContent: { ...Object(structuredContent), meta: undefined } };
}

test("a created server builds with its own script, and is the same server in one file", async () => {
  const { scripts } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const [program, command, ...words] = scripts.build.split(" ");
  expect([program, command]).toEqual(["toolpact", "build"]);
  const built = build(...words);
  expect(built.stderr).toBe("");
  expect(built.stdout).toContain("node dist/server.mjs");

  const alone = join(folder, "alone");
  cpSync(join(place, "dist"), alone, { recursive: true });
  for (const era of ["auto", "legacy"] as const) {
    const fromSource = await seen(["--conditions=toolpact-source", join(place, "src/server.ts")], era);
    expect(fromSource.structuredContent).toMatchObject({ success: true, data: { count: 1 } });
    expect(await seen([join(alone, "server.mjs")], era)).toEqual(fromSource);
  }
  // The handshake is answered by a file without the SDK.
  expect(readFileSync(join(alone, "server.preload.mjs"), "utf8")).not.toContain("ProtocolError");
});

test("with the HTTP variable set, a built server answers nothing on stdout", async () => {
  build("src/server.ts", "--handshake", "src/app.ts", "--unless", "PORT");
  const child = spawn(process.execPath, ["dist/server.mjs"], {
    cwd: place,
    env: { ...process.env, PORT: "0" },
  });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  const said = child.stdout.setEncoding("utf8").toArray();
  // The prebuilt handshake is answered before this line.
  const [line] = await once(child.stderr.setEncoding("utf8"), "data");
  expect(line).toContain("Serving on http://127.0.0.1:");
  child.kill("SIGKILL");
  expect(await said).toEqual([]);
});

test.each([
  ["a module that is not there", ["src/none.ts"], "src/none.ts"],
  [
    "a handshake module without an app",
    ["src/server.ts", "--handshake", "lonely.mjs"],
    "lonely.mjs exports no app.",
  ],
])("%s is refused in a sentence", (_, words, message) => {
  writeFileSync(join(place, "lonely.mjs"), "export const nothing = 1;");
  const refused = build(...words);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(message);
});
