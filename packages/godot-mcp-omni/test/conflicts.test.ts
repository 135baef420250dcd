import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Project } from "../src/project/project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

afterEach(() => vi.restoreAllMocks());

/** Lets another program write a file when the new content of one is on its way to the disk. */
function whileWriting(write: () => void): void {
  const draft = Project.prototype.draft;
  vi.spyOn(Project.prototype, "draft").mockImplementationOnce(async function (this: Project, ...args) {
    const made = await draft.apply(this, args);
    write();
    return made;
  });
}

const WRITES = {
  "an edit of a scene": [
    "main.tscn",
    "godot_scene",
    { action: "update", scene, node: "Player", properties: { "position:x": 9 } },
  ],
  "an edit of a text": [
    "player.gd",
    "godot_code",
    { action: "file.edit", path: "res://player.gd", find: "died", replace: "fell" },
  ],
  "a setting": [
    "project.godot",
    "godot_project",
    { action: "project_setting.set", settings: { "display/window/size/viewport_width": 800 } },
  ],
  "an input action": [
    "project.godot",
    "godot_project",
    { action: "input_map.setup", actions: [{ name: "jump", keys: ["Space"] }] },
  ],
  "an edit of a resource": [
    "mat.tres",
    "godot_asset",
    { action: "resource.edit", path: "res://mat.tres", properties: { albedo_color: "#00ff00" } },
  ],
  "another resource in a scene": [
    "main.tscn",
    "godot_asset",
    { action: "scene.replace_resource", path: scene, old: "res://enemy.tscn", new: "res://boss.tscn" },
  ],
  "a new scene": ["level.tscn", "godot_scene", { action: "new", scene: "res://level.tscn" }],
  "a new script": ["new.gd", "godot_code", { action: "script.create", path: "res://new.gd" }],
  "a new resource": [
    "box.tres",
    "godot_asset",
    { action: "resource.create", path: "res://box.tres", type: "BoxShape3D" },
  ],
} satisfies Readonly<Record<string, readonly [file: string, tool: string, args: JsonObject]>>;

describe("a file that another program writes meanwhile", () => {
  it.each(Object.entries(WRITES))("stays as that one wrote it: %s", async (_, [file, tool, args]) => {
    const { call, root, read, bugs } = openTestServer();
    whileWriting(() => writeFileSync(path.join(root, file), "; theirs\n"));
    expect(await call(tool, args)).toMatchObject({
      ok: false,
      error: {
        code: "E_PERMISSION_DENIED",
        message: expect.stringContaining(file),
        details: { gate: "conflict", path: `res://${file}` },
        suggestedFix: expect.stringContaining("again"),
      },
    });
    expect(read(file)).toBe("; theirs\n");
    expect(await call("godot_scene", { action: "history" })).toMatchObject({ result: { total: 0 } });
    expect(bugs).toEqual([]);
  });

  it("makes a move of a file that names it fail, and nothing changes", async () => {
    const { call, root, read } = openTestServer({ flags: { "allow-dangerous-ops": true } });
    const before = read("boss.tscn");
    whileWriting(() => writeFileSync(path.join(root, "main.tscn"), "; theirs\n"));
    const move = { action: "scene.rename", path: "res://enemy.tscn", to: "res://foe.tscn" };
    expect(await call("godot_asset", move)).toMatchObject({
      ok: false,
      error: { details: { gate: "conflict", path: scene } },
    });
    expect(read("main.tscn")).toBe("; theirs\n");
    expect([read("enemy.tscn"), read("boss.tscn")]).toEqual([GAME["enemy.tscn"], before]);
    expect(existsSync(path.join(root, "foe.tscn"))).toBe(false);
  });
});

describe("work on one file", () => {
  it("runs one at a time, even if the file is named by different paths", async () => {
    const { call, root, read } = openTestServer();
    symlinkSync(path.join(root, "main.tscn"), path.join(root, "link.tscn"));
    const names = Array.from({ length: 20 }, (_, index) => `New${index}`);
    const answers = await Promise.all(
      names.map((name, index) =>
        call("godot_scene", {
          action: "create",
          scene: index % 2 === 0 ? scene : "res://link.tscn",
          type: "Node",
          name,
        }),
      ),
    );
    expect(answers.map(({ ok }) => ok)).toEqual(names.map(() => true));
    expect(names.filter((name) => !read("main.tscn").includes(`"${name}"`))).toEqual([]);
  });

  it("waits for a move of a file it names, and for what is taken back", async () => {
    const { call, read } = openTestServer({ flags: { "allow-dangerous-ops": true } });
    const add = (name: string) => call("godot_scene", { action: "create", scene, type: "Node", name });
    const move = { action: "scene.rename", path: "res://enemy.tscn", to: "res://foe.tscn" };
    const [moved, first, second] = await Promise.all([call("godot_asset", move), add("One"), add("Two")]);
    expect([moved, first, second]).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    for (const part of ['"One"', '"Two"', "res://foe.tscn"]) expect(read("main.tscn")).toContain(part);
    const [third, undone] = await Promise.all([add("Three"), call("godot_scene", { action: "undo" })]);
    expect([third, undone]).toMatchObject([{ ok: true }, { ok: true }]);
    for (const name of ["One", "Two", "Three"])
      expect(read("main.tscn").includes(`"${name}"`), name).toBe(undone.result?.step !== `create ${name}`);
  });
});

it.skipIf(realGodot === undefined)(
  "an engine leaves a file alone that may not be written",
  async () => {
    const { call, root } = openTestServer({ flags: { godot: realGodot ?? "" } });
    for (const file of ["main.tscn", "mat.tres"]) chmodSync(path.join(root, file), 0o444);
    const [, , edit] = WRITES["an edit of a scene"];
    const [, , resource] = WRITES["an edit of a resource"];
    const calls: [string, JsonObject][] = [
      ["godot_scene", edit],
      ["godot_scene", { action: "new", scene, overwrite: true }],
      ["godot_asset", resource],
    ];
    for (const [tool, args] of calls)
      expect(await call(tool, { ...args, mode: "engine" }), String(args.action)).toMatchObject({
        ok: false,
        error: { code: "E_PERMISSION_DENIED", details: { gate: "file_system" } },
      });
    expect(readFileSync(path.join(root, "main.tscn"), "utf8")).toBe(GAME["main.tscn"]);
    expect(readFileSync(path.join(root, "mat.tres"), "utf8")).toBe(GAME["mat.tres"]);
  },
  120_000,
);
