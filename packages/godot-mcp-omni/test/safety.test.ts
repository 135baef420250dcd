import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openTestServer, writeFiles } from "./server-project.ts";

it("follows no link that leads out of the project, whatever the tool", async () => {
  const { call, root } = openTestServer();
  mkdirSync(path.join(root, "../outside"));
  symlinkSync(path.join(root, "../outside"), path.join(root, "link"));
  for (const [tool, args] of [
    ["godot_code", { action: "script.read", path: "res://link/secret.txt" }],
    ["godot_code", { action: "file.write", path: "res://link/new.txt", content: "x" }],
    ["godot_scene", { action: "new", scene: "res://link/x.tscn" }],
    ["godot_asset", { action: "create_folder", path: "res://link/folder" }],
  ] as const)
    expect(await call(tool, args)).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", details: { gate: "project_folder" } },
    });
  expect(existsSync(path.join(root, "../outside/new.txt"))).toBe(false);
});

it("names the gate that refuses", async () => {
  const { call } = openTestServer();
  expect(await call("godot_asset", { action: "scene.delete", path: "res://enemy.tscn" })).toMatchObject({
    error: {
      code: "E_PERMISSION_DENIED",
      details: { gate: "ALLOW_DANGEROUS_OPS" },
      suggestedFix: expect.stringContaining("ALLOW_DANGEROUS_OPS=true"),
    },
  });
  expect(
    await call("godot_project", {
      action: "project_setting.set",
      settings: { "editor/run/main_run_args": "x" },
    }),
  ).toMatchObject({ error: { details: { gate: "ALLOW_DANGEROUS_OPS" } } });
});

it("undoes nothing outside of the project, whatever journal a cloned project brings", async () => {
  const { call, root } = openTestServer();
  const outside = path.join(root, "../outside.txt");
  writeFileSync(outside, "mine");
  const digest = createHash("sha256").update("theirs").digest("hex");
  writeFiles(root, {
    [`.godot_mcp/journal/content/${digest}`]: "theirs",
    ".godot_mcp/journal/00000001.json": JSON.stringify({
      id: 1,
      at: 0,
      label: "edit",
      undone: false,
      files: [{ path: "res://../outside.txt", before: digest }],
    }),
  });
  await call("godot_scene", { action: "undo", force: true });
  expect(readFileSync(outside, "utf8")).toBe("mine");
});

it.each(["audit.log", "journal", "journal/content", "journal/drafts", "locks"])(
  "writes nothing through a link at .godot_mcp/%s that a cloned project brings",
  async (name) => {
    const { call, root } = openTestServer();
    const outside = path.join(root, "../outside");
    mkdirSync(outside);
    const link = path.join(root, ".godot_mcp", name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(name === "audit.log" ? path.join(outside, "file") : outside, link);
    const answer = await call("godot_scene", { action: "new", scene: "res://new.tscn", type: "Node2D" });
    expect(answer.error?.code).not.toBe("E_INTERNAL");
    expect(readdirSync(outside)).toEqual([]);
  },
);

it("keeps the audit log to this user, also one that was there before", async () => {
  const { call, root } = openTestServer();
  const log = path.join(root, ".godot_mcp/audit.log");
  const mode = () => (statSync(log).mode & 0o777).toString(8);
  await call("godot_asset", { action: "list_resources" });
  expect(mode()).toBe("600");
  chmodSync(log, 0o644);
  await call("godot_asset", { action: "list_resources" });
  expect(mode()).toBe("600");
});
