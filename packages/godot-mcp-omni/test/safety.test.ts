import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openTestServer } from "./server-project.ts";

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
