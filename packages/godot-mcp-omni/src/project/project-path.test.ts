import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { projectPath } from "./project-path.ts";

let root: string;
let outside: string;

beforeAll(async () => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "godot-paths-")));
  root = path.join(base, "game");
  outside = path.join(base, "outside");
  await mkdir(path.join(root, "scenes"), { recursive: true });
  await mkdir(path.join(root, ".git"));
  await mkdir(outside);
  await writeFile(path.join(root, "main.tscn"), "");
  await writeFile(path.join(outside, "secret.txt"), "");
  await symlink(outside, path.join(root, "link_out"));
  await symlink(path.join(root, "scenes"), path.join(root, "link_in"));
  await symlink(path.join(root, ".git"), path.join(root, "link_git"));
  await symlink(path.join(outside, "new.txt"), path.join(root, "dangling.txt"));
  await symlink("loop", path.join(root, "loop"));
});

describe("a path inside the project", () => {
  it.each([
    ["res://main.tscn", "res://main.tscn"],
    ["main.tscn", "res://main.tscn"],
    ["res://scenes/../main.tscn", "res://main.tscn"],
    ["res://", "res://"],
    ["res://not/yet/there.tscn", "res://not/yet/there.tscn"],
    ["res://..foo", "res://..foo"],
  ])("%s is %s", async (given, res) => {
    const found = await projectPath(root, given);
    expect(found).toMatchObject({ ok: true, value: { res } });
  });

  it("may be absolute", async () => {
    expect(await projectPath(root, path.join(root, "main.tscn"))).toMatchObject({
      ok: true,
      value: { res: "res://main.tscn", absolute: path.join(root, "main.tscn") },
    });
  });

  it("may go through a link that stays inside, and is then where the link leads", async () => {
    expect(await projectPath(root, "res://link_in/a.tscn")).toMatchObject({
      ok: true,
      value: { absolute: path.join(root, "scenes", "a.tscn") },
    });
  });
});

describe("a path that is refused", () => {
  it.each([
    ["res://../outside/secret.txt", "project_folder"],
    ["/etc/passwd", "project_folder"],
    ["res://link_out/secret.txt", "project_folder"],
    ["res://link_out/new/file.txt", "project_folder"],
    ["res://dangling.txt", "project_folder"],
    ["res://loop", "project_folder"],
    ["res://loop/a.tscn", "project_folder"],
    ["res://.git/config", "closed_folder"],
    ["res://sub/.GIT/config", "closed_folder"],
    ["res://.godot_mcp/audit.log", "closed_folder"],
    ["res://.godot/uid_cache.bin", "closed_folder"],
    ["res://link_git/config", "closed_folder"],
  ])("%s names the gate %s", async (given, gate) => {
    expect(await projectPath(root, given)).toMatchObject({
      ok: false,
      failure: { code: "E_PERMISSION_DENIED", details: { gate } },
    });
  });

  it.each([
    "user://save.dat",
    "uid://abc",
    "http://x/y",
    "a\\b",
    "a\0b",
    "res://main.tscn/inside.tscn",
    "res://main.tscn/deep/inside.tscn",
    `res://${"a".repeat(300)}.tscn`,
    `res://${"a/".repeat(3000)}b.tscn`,
  ])("%j is bad input", async (given) => {
    expect(await projectPath(root, given)).toMatchObject({
      ok: false,
      failure: { code: "E_SCHEMA_VALIDATION" },
    });
  });
});
