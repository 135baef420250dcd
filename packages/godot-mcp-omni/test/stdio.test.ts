import { readFileSync } from "node:fs";
import path from "node:path";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { expect, it } from "vitest";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { startStdioServer } from "./stdio-server.ts";

it("answers every action over MCP, and keeps each call in the audit log under its correlation id", async () => {
  const { client, call, root } = await startStdioServer();
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(
    [...new Set(SAMPLE_CALLS.map((sample) => sample.tool))].sort(),
  );

  const ids = new Set<string>();
  for (const { tool, args, expected, action } of SAMPLE_CALLS) {
    const answer = await call(tool, args);
    expect(answer.ok ? "ok" : answer.error?.code, `${tool} ${action}: ${answer.summary}`).toBe(expected);
    ids.add(answer.meta.correlationId);
  }
  const bad = await call("godot_scene", { action: "nope", token: "hunter22hunter22" });
  expect(bad).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
  ids.add(bad.meta.correlationId);
  expect(ids.size).toBe(SAMPLE_CALLS.length + 1);

  const log = readFileSync(path.join(root, ".godot_mcp/audit.log"), "utf8");
  const logged = log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { correlationId: string; ok: boolean; code: string | null });
  for (const id of ids) expect(logged.filter((line) => line.correlationId === id)).toHaveLength(1);
  expect(logged.at(-1)).toMatchObject({
    ok: false,
    code: "E_SCHEMA_VALIDATION",
    args: { token: "[secret]" },
  });
  expect(log).not.toContain("hunter22");
});

it("answers null for arguments, unknown and hidden tools in the envelope, each with a line in the audit log", async () => {
  const { client, root } = await startStdioServer({ toolsets: [] });
  const lines = () => readFileSync(path.join(root, ".godot_mcp/audit.log"), "utf8").trim().split("\n");
  for (const [tool, code] of [
    ["godot_scene", "E_SCHEMA_VALIDATION"],
    ["godot_test", "E_UNSUPPORTED"],
    ["godot_scenes", "E_UNSUPPORTED"],
  ] as const)
    for (const args of [null, undefined, { action: "list" }]) {
      // Other clients send values that this client's types forbid.
      const answer = await client.callTool({ name: tool, arguments: args as never });
      const { ok, error, meta } = answer.structuredContent as unknown as OkEnvelope;
      expect([answer.isError, ok, error?.code], `${tool} ${JSON.stringify(args)}`).toEqual([
        true,
        false,
        code,
      ]);
      expect(error?.message).toMatch(/\S/);
      const logged = lines().map((line) => JSON.parse(line) as { correlationId: string });
      expect(logged.filter(({ correlationId }) => correlationId === meta.correlationId)).toMatchObject([
        { tool, ok: false, code },
      ]);
    }
  expect(lines()).toHaveLength(9);
});

it("takes a call with Gemini's wait_for_previous as one without it, also in the audit log", async () => {
  const { call, root } = await startStdioServer();
  for (const more of [{ wait_for_previous: true }, {}])
    expect(await call("godot_asset", { action: "list_resources", ...more })).toMatchObject({ ok: true });
  const log = readFileSync(path.join(root, ".godot_mcp/audit.log"), "utf8").trim().split("\n");
  const [first, second] = log.map((line) => (JSON.parse(line) as { readonly args: unknown }).args);
  expect(first).toEqual(second);
});

it("tells its errors, any tool in full, and messages to start from", async () => {
  const { client } = await startStdioServer();
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    return JSON.parse((content as { text: string }).text) as object;
  };
  expect(Object.keys(await read("godot://error-codes"))).toHaveLength(7);
  expect(await read("godot://tools/godot_scene")).toMatchObject({
    name: "godot_scene",
    schema: { oneOf: expect.arrayContaining([expect.objectContaining({ title: "reparent" })]) },
  });
  await expect(read("godot://tools/godot_nothing")).rejects.toThrow("no such tool");
  for (const { name } of (await client.listPrompts()).prompts) {
    const { messages } = await client.getPrompt({ name, arguments: { what: "a maze" } });
    expect(messages).toHaveLength(1);
  }
});

it("keeps stdout for the protocol and ends with its client", async () => {
  const { client, call, pid } = await startStdioServer();
  await call("godot_workspace", { action: "status" });
  await client.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
