import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { EFFECTS } from "@toolpact/contract";
import { expect, it } from "vitest";
import { allTools } from "../src/tools/all.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";

it("tells in the answer when a call could not be written to the audit log, and does the call", async () => {
  const { call, root, write } = openTestServer();
  write(".godot_mcp", "a file where a folder must be");
  const answer = await call("godot_asset", { action: "list_resources" });
  expect(answer).toMatchObject({ ok: true, warnings: [expect.stringContaining("audit log: ENOTDIR")] });
  rmSync(path.join(root, ".godot_mcp"));
  expect(await call("godot_asset", { action: "list_resources" })).not.toHaveProperty("warnings");
});

it("writes no log through a link that leads out of the project", async () => {
  const { call, root } = openTestServer();
  writeFileSync(path.join(root, "../elsewhere"), "");
  symlinkSync(path.join(root, ".."), path.join(root, ".godot_mcp"));
  expect(await call("godot_asset", { action: "list_resources" })).toMatchObject({
    warnings: [expect.stringContaining("ENOTDIR")],
  });
});

it("hides itself from Git and from Godot's import", async () => {
  const { call, read } = openTestServer();
  await call("godot_asset", { action: "list_resources" });
  expect(read(".godot_mcp/.gitignore")).toBe("*\n");
  expect(read(".godot_mcp/.gdignore")).toBe("");
});

it("has the summary of each call, done or failed", async () => {
  const { call, read } = openTestServer();
  const done = await call("godot_asset", { action: "list_resources" });
  const failed = await call("godot_asset", { action: "get_uid", path: "res://nothing.tscn" });
  const unknown = await call("godot_asset", { action: "get_uidd" });
  const lines = read(".godot_mcp/audit.log").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { ok: true, summary: done.summary, code: null },
    { ok: false, summary: failed.summary, code: "E_NOT_FOUND" },
    { ok: false, summary: unknown.summary, action: "get_uidd", code: "E_SCHEMA_VALIDATION" },
  ]);
  expect(failed.summary).toBe("There is no file res://nothing.tscn.");
});

it.each(["a file", "a link"])("refuses every change by name if .godot_mcp is %s", async (what) => {
  const { call, root, bugs } = openTestServer();
  const place = path.join(root, ".godot_mcp");
  if (what === "a file") writeFileSync(place, "");
  else symlinkSync(path.join(root, ".."), place);
  for (const { tool, args } of SAMPLE_CALLS) {
    const { error } = await call(tool, args);
    expect(error?.code, JSON.stringify(args)).not.toBe("E_INTERNAL");
    const effect = allTools.get(tool)?.parse(args);
    if (effect?.ok && EFFECTS[effect.value.effect].mutates)
      expect(error, JSON.stringify(args)).toMatchObject({
        code: "E_PERMISSION_DENIED",
        message: expect.stringContaining(`${place} is ${what}`),
        details: { gate: "STATE_FOLDER" },
        suggestedFix: expect.stringContaining("Move or delete it"),
      });
  }
  expect(bugs).toEqual([]);
});
