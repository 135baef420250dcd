import { lint } from "@toolpact/contract/testing";
import { describe, expect, it } from "vitest";
import { readSettings } from "../src/config/settings.ts";
import { createServer } from "../src/server/server.ts";
import { TOOLSETS } from "../src/tools/product.ts";
import { openTestServer } from "./server-project.ts";

async function surface(
  flags: Readonly<Record<string, string | boolean>> = {},
  env: Record<string, string> = {},
) {
  const settings = readSettings({ flags: { project: "/game", ...flags }, env });
  if (!settings.ok) throw new Error(settings.failure.message);
  const server = await createServer({ settings: settings.value, env: {}, cwd: "/" });
  if (!server.ok) throw new Error(server.failure.message);
  return server.value.app.surface;
}

describe("what a client sees", () => {
  it("is at most 12 tools and 25 kB without output schemas, unless more is asked for", async () => {
    const { tools: typed, instructions } = await surface();
    const tools = typed.map(({ outputSchema: _, ...tool }) => tool);
    expect(tools.length).toBeLessThanOrEqual(12);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(25_000);
    expect(instructions.length).toBeLessThanOrEqual(2048);
  });

  it("reads by a tool that says so, for clients that ask a person before every other", async () => {
    const { tools } = await surface();
    const meta = tools.find(({ name }) => name === "godot_meta");
    expect(meta?.annotations).toMatchObject({ readOnlyHint: true });
    expect(JSON.stringify(meta?.inputSchema)).toContain('"read"');
  });

  it("has an output schema wherever a tool has one answer shape", async () => {
    const { tools } = await surface({ toolsets: "all" });
    const typed = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name);
    expect(typed).toEqual(["godot_batch", "godot_log"]);
  });

  it("is every toolset with all, and exactly those that are named", async () => {
    expect((await surface({ toolsets: "all" })).tools).toHaveLength(TOOLSETS.length);
    expect((await surface({ toolsets: "scene,log" })).tools.map((tool) => tool.name)).toEqual([
      "godot_log",
      "godot_scene",
    ]);
    expect((await surface({ toolsets: "default,log" })).tools.length).toBe(
      (await surface()).tools.length + 1,
    );
  });

  it("rejects an unknown toolset", async () => {
    const settings = readSettings({ flags: { toolsets: "scenes" }, env: {} });
    if (!settings.ok) throw new Error("settings");
    expect(await createServer({ settings: settings.value, env: {}, cwd: "/" })).toMatchObject({
      ok: false,
      failure: { code: "E_SCHEMA_VALIDATION", suggestedFix: "Did you mean scene?" },
    });
  });

  it("has definitions that every client takes", async () => {
    const shown = await surface({ toolsets: "all" });
    expect(lint(shown).findings).toEqual([]);
    for (const { name, inputSchema } of shown.tools) {
      expect(name).toMatch(/^godot_[a-z0-9_]+$/);
      expect(inputSchema).not.toHaveProperty("if");
      expect(JSON.stringify(inputSchema)).not.toContain('"additionalProperties":{}');
    }
  });

  it("leaves the bounds of arguments to the refusal that names them, and to the style that spells out each action", async () => {
    expect(
      JSON.stringify((await surface({ toolsets: "all" })).tools.map((tool) => tool.inputSchema)),
    ).not.toMatch(/"(?:exclusiveM|m)(?:in|ax)(?:imum|Length|Items)":\d/);
    const { tools } = await surface({}, { GODOT_MCP_SCHEMA_STYLE: "oneOf" });
    expect(JSON.stringify(tools)).toContain('"maximum":5000');
    const answer = await openTestServer().call("godot_inspector", { action: "query", limit: 9000 });
    expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining("5000") } });
  });

  it("has no parameter for the path of a program", async () => {
    for (const { inputSchema } of (await surface({ toolsets: "all" })).tools)
      for (const name of Object.keys((inputSchema as { properties: object }).properties))
        expect(name).not.toMatch(/godot|executable|binary|command|program/i);
  });

  it("spells each action out with GODOT_MCP_SCHEMA_STYLE=oneOf", async () => {
    const { tools } = await surface({}, { GODOT_MCP_SCHEMA_STYLE: "oneOf" });
    const scene = tools.find((tool) => tool.name === "godot_scene")?.inputSchema as {
      oneOf: { title: string; required: string[]; additionalProperties: boolean }[];
    };
    const rename = scene.oneOf.find((branch) => branch.title === "rename");
    expect(rename).toMatchObject({ required: ["action", "node", "newName"], additionalProperties: false });
  });

  it("of a read-only server is only what changes nothing, and says so", async () => {
    const { tools } = await surface({ toolsets: "all", "read-only": true });
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    const scene = tools.find((tool) => tool.name === "godot_scene");
    const schema = scene?.inputSchema as { properties: { action: { enum: string[] } } };
    expect(schema.properties.action.enum).toEqual(["history"]);
    expect(String(scene?.description)).not.toContain("- remove(");
  });
});
