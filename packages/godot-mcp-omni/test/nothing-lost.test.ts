import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

describe("no work is lost", () => {
  it("an existing scene is overwritten only when asked for, and can be had back", async () => {
    const { call, read } = openTestServer();
    const args = { action: "new", scene: "res://main.tscn", type: "Node3D" };
    expect(await call("godot_scene", args)).toMatchObject({
      ok: false,
      error: { code: "E_PERMISSION_DENIED", details: { gate: "overwrite" } },
    });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
    expect(await call("godot_scene", { ...args, overwrite: true })).toMatchObject({ ok: true });
    await call("godot_scene", { action: "undo", scene: "res://main.tscn" });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });

  it("a scene edited through a link is taken back where the link leads", async () => {
    const { call, read, root } = openTestServer();
    symlinkSync("enemy.tscn", path.join(root, "link.tscn"));
    const scene = "res://link.tscn";
    await call("godot_scene", { action: "create", scene, type: "Node2D", name: "Added" });
    expect(read("enemy.tscn")).toContain('name="Added"');
    expect(await call("godot_scene", { action: "history", scene })).toMatchObject({ result: { total: 1 } });
    expect(await call("godot_scene", { action: "undo", scene })).toMatchObject({ ok: true });
    expect(read("enemy.tscn")).toBe(GAME["enemy.tscn"]);
    expect(lstatSync(path.join(root, "link.tscn")).isSymbolicLink()).toBe(true);
    await call("godot_scene", { action: "redo", scene: "res://enemy.tscn" });
    expect(read("link.tscn")).toContain('name="Added"');
  });

  it("a file keeps its rights, and one that is read-only is left alone", async () => {
    const { call, read, root } = openTestServer();
    const add = (file: string) =>
      call("godot_scene", { action: "create", scene: `res://${file}`, type: "Node2D", name: "Added" });
    const refused = { ok: false, error: { code: "E_PERMISSION_DENIED", details: { gate: "file_system" } } };
    chmodSync(path.join(root, "main.tscn"), 0o666);
    chmodSync(path.join(root, "enemy.tscn"), 0o444);
    await add("main.tscn");
    chmodSync(path.join(root, "main.tscn"), 0o444);
    expect(await call("godot_scene", { action: "undo", scene: "res://main.tscn" })).toMatchObject(refused);
    chmodSync(path.join(root, "main.tscn"), 0o666);
    expect(await call("godot_scene", { action: "undo", scene: "res://main.tscn" })).toMatchObject({
      ok: true,
    });
    expect(statSync(path.join(root, "main.tscn")).mode & 0o777).toBe(0o666);
    expect(await add("enemy.tscn")).toMatchObject(refused);
    const overwrite = { action: "new", scene: "res://enemy.tscn", type: "Node", overwrite: true };
    expect(await call("godot_scene", overwrite)).toMatchObject(refused);
    expect(read("enemy.tscn")).toBe(GAME["enemy.tscn"]);
  });

  it("a deletion can be undone, and its remaining users are reported", async () => {
    const { call, read, root } = openTestServer({ env: { ALLOW_DANGEROUS_OPS: "true" } });
    expect(await call("godot_asset", { action: "scene.delete", path: "res://enemy.tscn" })).toMatchObject({
      ok: true,
      warnings: ["Still used by res://boss.tscn, res://main.tscn."],
    });
    expect(existsSync(path.join(root, "enemy.tscn"))).toBe(false);
    await call("godot_scene", { action: "undo" });
    expect(read("enemy.tscn")).toBe(GAME["enemy.tscn"]);
  });

  it("a renamed file is followed by all that name it, in one step", async () => {
    const { call, read } = openTestServer({ env: { ALLOW_DANGEROUS_OPS: "true" } });
    expect(
      await call("godot_asset", {
        action: "scene.rename",
        path: "res://main.tscn",
        to: "res://levels/one.tscn",
      }),
    ).toMatchObject({ ok: true, result: { updated: ["res://project.godot"] } });
    expect(read("project.godot")).toContain('run/main_scene="res://levels/one.tscn"');
    await call("godot_scene", { action: "undo" });
    expect(read("project.godot")).toBe(GAME["project.godot"]);
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });

  it("edits go on after someone removed the server's own folder", async () => {
    const { call, read, root } = openTestServer();
    const add = (name: string) =>
      call("godot_scene", { action: "create", scene: "res://main.tscn", type: "Node2D", name });
    await add("One");
    rmSync(path.join(root, ".godot_mcp"), { recursive: true });
    expect(await add("Two")).toMatchObject({ ok: true });
    expect(read("main.tscn")).toContain('name="Two"');
    expect(readdirSync(path.join(root, ".godot_mcp/drafts"))).toEqual([]);
  });

  it("an edit that the journal cannot keep is refused, and leaves no draft", async () => {
    const { call, read, root } = openTestServer();
    mkdirSync(path.join(root, ".godot_mcp"));
    writeFileSync(path.join(root, ".godot_mcp/journal"), "not a folder");
    const args = { action: "create", scene: "res://main.tscn", type: "Node2D" };
    expect(await call("godot_scene", args)).toMatchObject({
      ok: false,
      error: { details: { path: args.scene } },
    });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
    expect(readdirSync(path.join(root, ".godot_mcp/drafts"))).toEqual([]);
  });

  it("drafts that a killed server left are swept up, and those of a running one are not", async () => {
    const { call, root } = openTestServer();
    const drafts = path.join(root, ".godot_mcp/drafts");
    mkdirSync(drafts, { recursive: true });
    for (const name of ["old.draft", "young.draft"]) writeFileSync(path.join(drafts, name), "");
    utimesSync(path.join(drafts, "old.draft"), 1, 1);
    await call("godot_scene", { action: "create", scene: "res://main.tscn", type: "Node2D" });
    expect(readdirSync(drafts)).toEqual(["young.draft"]);
  });
});
