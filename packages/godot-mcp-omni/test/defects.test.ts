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
import { allTools } from "../src/tools/all.ts";
import { GAME, openTestServer } from "./server-project.ts";

/** Promises that a server of this kind was once seen to break, each kept here without a Godot. */
describe("no data is lost", () => {
  it("a reparented or duplicated node keeps all its descendants", async () => {
    const { call, read } = openTestServer();
    await call("godot_scene", {
      action: "duplicate",
      scene: "res://main.tscn",
      node: "Player",
      name: "Twin",
    });
    await call("godot_scene", {
      action: "reparent",
      scene: "res://main.tscn",
      node: "Player",
      parent: "Enemy",
    });
    expect(read("main.tscn")).toContain('[node name="Sprite" type="Sprite2D" parent="Twin"]');
    expect(read("main.tscn")).toContain('[node name="Sprite" type="Sprite2D" parent="Enemy/Player"]');
  });

  it("an inherited scene keeps the link to its base", async () => {
    const { call, read } = openTestServer();
    await call("godot_scene", {
      action: "update",
      scene: "res://boss.tscn",
      node: "Body",
      properties: { visible: false },
    });
    expect(read("boss.tscn")).toContain('[node name="Boss" instance=ExtResource("1_b")]');
    expect(read("boss.tscn")).not.toContain('type="Node2D"');
  });

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

  it("colliders and meshes go under the body they belong to", async () => {
    const { call, read } = openTestServer({
      files: { ...GAME, "world.tscn": '[gd_scene format=3]\n\n[node name="World" type="Node3D"]\n' },
    });
    await call("godot_scene", {
      action: "create",
      scene: "res://world.tscn",
      type: "StaticBody3D",
      name: "Wall",
      primitive: "box",
    });
    expect(read("world.tscn")).toContain('[node name="Wall_Mesh" type="MeshInstance3D" parent="Wall"]');
    expect(read("world.tscn")).toContain('[node name="Wall_Collider" type="CollisionShape3D" parent="Wall"]');
  });
});

describe("nothing is said to be done that is not", () => {
  const files = {
    ...GAME,
    "hero.gd": "extends Label\nenum Kind { A, B }\n@export var kind: Kind\n",
    "hero.tscn":
      '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://hero.gd" id="1"]\n\n[node name="Hero" type="Label"]\nscript = ExtResource("1")\n',
  };
  const update = { action: "update", scene: "res://hero.tscn", node: "." };

  it.each([
    [{ kind: "B" }, "E_UNSUPPORTED"],
    [{ "theme_override_colors/font_color": 3 }, "E_SCHEMA_VALIDATION"],
    [{ "theme_override_font_sizes/font_size": "big" }, "E_SCHEMA_VALIDATION"],
    [{ "metadata/bad name": 1 }, "E_SCHEMA_VALIDATION"],
  ])("%j is refused without a Godot", async (properties, code) => {
    const { call, read } = openTestServer({ files });
    expect(await call("godot_scene", { ...update, properties })).toMatchObject({
      ok: false,
      error: { code },
    });
    expect(read("hero.tscn")).toBe(files["hero.tscn"]);
  });

  it("a theme's override is written by its type, and one that may not be is warned of", async () => {
    const { call, read } = openTestServer({ files });
    const properties = { kind: 1, "theme_override_colors/font_color": "#ff0000" };
    expect(await call("godot_scene", { ...update, properties })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('"font_color"')],
    });
    expect(read("hero.tscn")).toContain("kind = 1\ntheme_override_colors/font_color = Color(1, 0, 0, 1)");
  });

  it("a doctor does not call a Godot well that was named and is none", async () => {
    const { call } = openTestServer({ flags: { godot: "/nowhere/godot" } });
    expect(await call("godot_workspace", { action: "doctor_report" })).toMatchObject({
      result: {
        ok: false,
        checks: expect.arrayContaining([expect.objectContaining({ name: "godot", status: "failed" })]),
      },
    });
  });

  it.each(["", "_own"])("a node is not put into the group %j", async (group) => {
    const { call, read } = openTestServer({ files });
    const args = { action: "create", scene: "res://hero.tscn", type: "Node", groups: [group] };
    expect(await call("godot_scene", args)).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION" },
    });
    expect(read("hero.tscn")).toBe(files["hero.tscn"]);
  });

  it.each([
    ["positon", { x: 1, y: 1 }, "E_SCHEMA_VALIDATION"],
    ["position", "here", "E_SCHEMA_VALIDATION"],
    ["position", { x: 1 }, "E_SCHEMA_VALIDATION"],
    ["visible", 3, "E_SCHEMA_VALIDATION"],
  ])("%s = %j is refused", async (property, value, code) => {
    const { call, read } = openTestServer();
    const answer = await call("godot_inspector", {
      action: "set_property",
      scene: "res://main.tscn",
      node: "Player",
      property,
      value,
    });
    expect(answer).toMatchObject({ ok: false, error: { code } });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });

  it("a property that is set is told with its old and new value, and is in the file", async () => {
    const { call, read } = openTestServer();
    const answer = await call("godot_inspector", {
      action: "set_property",
      scene: "res://main.tscn",
      node: "Player",
      property: "position",
      value: { x: 8, y: 9 },
    });
    expect(answer).toMatchObject({
      ok: true,
      execution: { mode: "files" },
      result: {
        changes: [
          { properties: [{ name: "position", type: "Vector2", old: { x: 3, y: 4 }, new: { x: 8, y: 9 } }] },
        ],
        difference: {
          changed: [{ node: "Player", what: "position", old: "Vector2(3, 4)", new: "Vector2(8, 9)" }],
        },
      },
    });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]?.replace("Vector2(3, 4)", "Vector2(8, 9)"));
  });

  it("the input map reaches project.godot, and whole numbers stay whole", async () => {
    const { call, read } = openTestServer();
    await call("godot_project", { action: "input_map.setup", actions: [{ name: "jump", keys: ["Space"] }] });
    await call("godot_project", {
      action: "project_setting.set",
      settings: { "display/window/size/viewport_width": 800 },
    });
    const text = read("project.godot");
    expect(text).toContain("window/size/viewport_width=800\n");
    expect(text).toMatch(
      /jump=\{\n"deadzone": 0\.2,\n"events": \[Object\(InputEventKey,.*"physical_keycode":32,/,
    );
    expect(text.startsWith(GAME["project.godot"] ?? "?")).toBe(true);
  });

  it("a query by group finds the group", async () => {
    const { call } = openTestServer();
    expect(
      await call("godot_inspector", { action: "query", scene: "res://main.tscn", group: "heroes" }),
    ).toMatchObject({ result: { total: 1, nodes: [{ node: "Player" }] } });
  });

  it("a query by class finds nodes whose script extends it by name", async () => {
    const { call } = openTestServer({
      files: {
        ...GAME,
        ".godot/global_script_class_cache.cfg": 'list=[{\n"class": &"Foe",\n"path": "res://foe.gd"\n}]\n',
        "foe.gd": "class_name Foe\nextends Node2D\n",
        "boss.gd": "extends Foe\n",
        "fight.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://boss.gd" id="1_b"]

[node name="Boss" type="Node2D"]
script = ExtResource("1_b")
`,
      },
    });
    const query = { action: "query", scene: "res://fight.tscn", class: "Foe" };
    expect(await call("godot_inspector", query)).toMatchObject({
      result: { total: 1, nodes: [{ node: ".", type: "Foe" }] },
    });
  });

  it("a batch can use what it made, and leaves nothing when one edit fails", async () => {
    const { call, read } = openTestServer();
    const made = { kind: "add", type: "Node2D", name: "A", as: "a" };
    expect(
      await call("godot_batch", {
        scene: "res://main.tscn",
        edits: [
          made,
          { kind: "add", type: "Node2D", parent: "$a", name: "B" },
          { kind: "remove", node: "Nobody" },
        ],
      }),
    ).toMatchObject({ ok: false, error: { code: "E_NOT_FOUND", details: { edit: 2 } } });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
    expect(
      await call("godot_batch", {
        scene: "res://main.tscn",
        edits: [made, { kind: "add", type: "Node2D", parent: "$a", name: "B" }],
      }),
    ).toMatchObject({ ok: true, result: { difference: { added: ["A", "A/B"] } } });
  });

  it("a tile map is a TileMapLayer", async () => {
    const { call, read } = openTestServer();
    await call("godot_scene", { action: "create_tilemap", scene: "res://main.tscn", name: "Map" });
    expect(read("main.tscn")).toContain('[node name="Map" type="TileMapLayer" parent="."]');
  });
});

describe("text is edited once and as written", () => {
  it("a replacement that holds the searched text is put in once", async () => {
    const { call, read } = openTestServer();
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "speed",
      replace: "speed_speed",
    });
    expect(read("player.gd")).toContain("var speed_speed: float");
  });

  it("$1 is a group of an expression, and itself in plain text", async () => {
    const { call, read } = openTestServer();
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "var (\\w+): float",
      replace: "var $1_x: float",
      regex: true,
    });
    expect(read("player.gd")).toContain("var speed_x: float");
    await call("godot_code", {
      action: "file.edit",
      path: "res://player.gd",
      find: "pass",
      replace: "print('$1')",
    });
    expect(read("player.gd")).toContain("print('$1')");
  });

  it("an expression without end is stopped", async () => {
    const { call } = openTestServer({ files: { ...GAME, "long.txt": `${"a".repeat(40)}!` } });
    expect(
      await call("godot_code", {
        action: "file.edit",
        path: "res://long.txt",
        find: "^(a+)+$",
        replace: "",
        regex: true,
      }),
    ).toMatchObject({ ok: false, error: { code: "E_TIMEOUT", retryable: true } });
  });

  it("a scene that Godot could not read is not written", async () => {
    const { call, read } = openTestServer();
    expect(
      await call("godot_code", {
        action: "file.edit",
        path: "res://main.tscn",
        find: "Vector2(3, 4)",
        replace: "Vector2(3",
      }),
    ).toMatchObject({ ok: false });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });
});

describe("safety", () => {
  it("a link that leads out is not followed, whatever the tool", async () => {
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

  it("no tool takes the path of a program", () => {
    for (const tool of allTools.tools)
      for (const name of Object.keys(tool.inputSchema("flat").properties as object))
        expect(name).not.toMatch(/godot|executable|binary|command|program/i);
  });

  it("refusals name their gate", async () => {
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

  it("an open gate lets through, and what is deleted can be had back", async () => {
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
});

describe("answers are small", () => {
  it("a typical node is told in less than 4 kB", async () => {
    const { call } = openTestServer();
    const answer = await call("godot_inspector", {
      action: "inspect",
      scene: "res://main.tscn",
      node: "Player",
    });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(4_000);
  });

  it("a payload is sent once", async () => {
    const { call } = openTestServer();
    const answer = await call("godot_inspector", { action: "scene_tree.get", scene: "res://main.tscn" });
    expect(answer).not.toHaveProperty("details");
  });
});
