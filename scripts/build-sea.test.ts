import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildExecutable } from "./build-sea.ts";
import { packages } from "./packages.ts";

describe("tuitbot as one executable, in an empty folder and without Node beside it", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-executable-"));
  const home = join(folder, "home");
  const env = { HOME: home, PATH: "/nowhere" };
  let executable: string;

  beforeAll(async () => {
    mkdirSync(home);
    const [tuitbot] = packages().filter(({ name }) => name === "tuitbot");
    if (tuitbot !== undefined) executable = await buildExecutable(tuitbot, folder);
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: string[]) => spawnSync(executable, args, { cwd: home, env, encoding: "utf8" });

  test("its commands work", () => {
    const [tuitbot] = packages().filter(({ name }) => name === "tuitbot");
    expect(run("--version").stdout).toBe(`${tuitbot?.version}\n`);
    const doctor = run("doctor", "--output", "json");
    expect(doctor.stderr).toBe("");
    expect(JSON.parse(doctor.stdout)).toMatchObject({ checks: expect.any(Array) });
    const called = run("call", "x_get_me", "--sandbox");
    expect(JSON.parse(called.stdout)).toMatchObject({ success: true });
  });

  test("a client is set up to start the executable alone", () => {
    mkdirSync(join(home, ".cursor"));
    expect(run("mcp", "setup", "--client", "cursor", "--yes").status).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(join(home, ".cursor/mcp.json"), "utf8"));
    expect(mcpServers.tuitbot).toMatchObject({ command: executable, args: ["mcp", "serve"] });
  });

  test("an agent connects, lists and calls; telemetry that it cannot have is a line", async () => {
    const client = new Client({ name: "stranger", version: "1" });
    const transport = new StdioClientTransport({
      command: executable,
      args: ["mcp", "serve", "--sandbox"],
      cwd: home,
      env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (part) => {
      said += part;
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(50);
    const answer = await client.callTool({ name: "x_get_me", arguments: {} });
    expect(answer.structuredContent).toMatchObject({ success: true });
    await client.close();
    expect(said).toContain("there is no telemetry without OpenTelemetry's SDK");
  });

  test("the page is in it", async () => {
    const server = spawn(executable, ["mcp", "serve", "--sandbox", "--http", "0"], { cwd: home, env });
    try {
      let said = "";
      server.stdout.on("data", (part) => {
        said += part;
      });
      const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      while (address() === undefined) await once(server.stdout, "data");
      const response = await fetch(`${address()}/`, { headers: { accept: "text/html" } });
      const page = await response.text();
      expect(page).toContain("<title>");
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
      expect((await fetch(`${address()}${script}`)).status).toBe(200);
    } finally {
      server.kill("SIGKILL");
    }
  });
});
