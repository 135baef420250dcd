import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveHttp } from "@toolpact/contract/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../src/config/settings.ts";
import { createServer } from "../src/server/server.ts";
import { allTools } from "../src/tools/all.ts";
import { openTestServer } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

const ENABLE_TEST = { action: "enable_toolset", toolset: "test" };

function listeningClient(mode: "auto" | "legacy") {
  const heard: string[] = [];
  const client = new Client(
    { name: "tester", version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, onChanged: () => void heard.push("tools") } },
    },
  );
  return { client, heard };
}

async function overHttp(mode: "auto" | "legacy") {
  const { client, heard } = listeningClient(mode);
  const settings = readSettings({ flags: {}, env: {} });
  if (!settings.ok) throw new Error(settings.failure.message);
  const server = await createServer({ settings: settings.value, env: {}, cwd: "/" });
  if (!server.ok) throw new Error(server.failure.message);
  const http = await serveHttp(server.value.app, { port: 0 });
  onTestFinished(http.close);
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
  onTestFinished(() => client.close());
  return { client, heard };
}

async function overStdio(mode: "auto" | "legacy") {
  const { client, heard } = listeningClient(mode);
  await startStdioServer({ client, toolsets: [] });
  return { client, heard };
}

describe.each([
  ["stdio", "auto", overStdio],
  ["stdio", "legacy", overStdio],
  ["HTTP", "auto", overHttp],
  ["HTTP", "legacy", overHttp],
] as const)("over %s to a client that negotiates %s", (_transport, mode, connect) => {
  it("a toolset is switched on by one call, and the client hears that the list changed", async () => {
    const { client, heard } = await connect(mode);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const before = await names();
    expect(before).not.toContain("godot_test");
    expect(heard).toEqual([]);
    await client.callTool({ name: "godot_meta", arguments: ENABLE_TEST });
    await expect.poll(() => heard).toEqual(["tools"]);
    expect(await names()).toEqual([...before, "godot_test"].sort());
  });
});

describe("a toolset that is switched on", () => {
  it("can be called, is found without a start option, and switching it on again changes nothing", async () => {
    const { call } = openTestServer({ flags: { toolsets: undefined } });
    expect(await call("godot_test", { action: "list" })).toMatchObject({
      error: { code: "E_UNSUPPORTED", suggestedFix: expect.stringContaining("enable_toolset") },
    });
    expect(await call("godot_meta", ENABLE_TEST)).toMatchObject({
      ok: true,
      result: { toolset: "test", tools: ["godot_test"] },
      summary: expect.stringContaining("--toolsets default,test"),
    });
    expect(await call("godot_test", { action: "list" })).toMatchObject({ ok: true });
    const help = await call("godot_meta", { action: "tool_help", tool: "godot_test" });
    expect(help.result).not.toHaveProperty("startOption");
    expect(await call("godot_meta", ENABLE_TEST)).toMatchObject({
      ok: true,
      summary: expect.stringContaining("already"),
    });
  });

  it("is refused where the operator named the toolsets, with the option that adds it", async () => {
    const { call } = openTestServer({ flags: { toolsets: "meta,scene" } });
    expect(await call("godot_meta", ENABLE_TEST)).toMatchObject({
      error: {
        code: "E_PERMISSION_DENIED",
        suggestedFix: expect.stringContaining("--toolsets meta,scene,test"),
      },
    });
    expect(await call("godot_test", { action: "list" })).toMatchObject({ error: { code: "E_UNSUPPORTED" } });
  });

  it("is refused where there is none of this name, with the nearest as a suggestion", async () => {
    const { call } = openTestServer({ flags: { toolsets: undefined } });
    expect(await call("godot_meta", { action: "enable_toolset", toolset: "tests" })).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean test?" },
    });
  });

  it("widens neither a read-only server nor its gates", async () => {
    const { call } = openTestServer({ flags: { toolsets: undefined, "read-only": true } });
    for (const toolset of new Set(allTools.tools.map(({ category }) => category)))
      await call("godot_meta", { action: "enable_toolset", toolset });
    expect(await call("godot_asset", { action: "create_folder", path: "res://new" })).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { gate: "READ_ONLY" } },
    });
    expect(await call("godot_meta", { action: "enable_toolset", toolset: "recording" })).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { gate: "READ_ONLY" } },
    });
    const open = openTestServer({ flags: { toolsets: undefined } });
    await open.call("godot_meta", { action: "enable_toolset", toolset: "asset" });
    expect(await open.call("godot_asset", { action: "scene.delete", path: "res://main.tscn" })).toMatchObject(
      { error: { code: "E_PERMISSION_DENIED", details: { gate: "ALLOW_DANGEROUS_OPS" } } },
    );
    expect(open.read("main.tscn")).not.toBe("");
  });

  it("of a read-only server is listed with what changes nothing alone", async () => {
    const settings = readSettings({ flags: { "read-only": true }, env: {} });
    if (!settings.ok) throw new Error(settings.failure.message);
    const server = await createServer({ settings: settings.value, env: {}, cwd: "/" });
    if (!server.ok) throw new Error(server.failure.message);
    const { toolbox } = await server.value.core();
    expect(toolbox.enable("asset")).toMatchObject({ ok: true, value: true });
    const asset = server.value.app.surface.tools.find(({ name }) => name === "godot_asset");
    expect(asset).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(JSON.stringify(asset)).not.toContain("scene.delete");
  });
});
