import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

describe("an edit without Godot", () => {
  const files = {
    ...GAME,
    "hero.gd": "extends Label\nenum Kind { A, B }\n@export var kind: Kind\n",
    "hero.tscn":
      '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://hero.gd" id="1"]\n\n[node name="Hero" type="Label"]\nscript = ExtResource("1")\n',
  };
  const update = { action: "update", scene: "res://hero.tscn", node: "." };

  it("reaches the file, and the answer has the old and the new value", async () => {
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

  it.each([
    ["positon", { x: 1, y: 1 }],
    ["position", "here"],
    ["position", { x: 1 }],
    ["visible", 3],
  ])("of %s to %j is refused, and changes nothing", async (property, value) => {
    const { call, read } = openTestServer();
    const answer = await call("godot_inspector", {
      action: "set_property",
      scene: "res://main.tscn",
      node: "Player",
      property,
      value,
    });
    expect(answer).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);
  });

  it.each([
    [{ kind: "B" }, "E_UNSUPPORTED"],
    [{ "theme_override_colors/font_color": 3 }, "E_SCHEMA_VALIDATION"],
    [{ "theme_override_font_sizes/font_size": "big" }, "E_SCHEMA_VALIDATION"],
    [{ "metadata/bad name": 1 }, "E_SCHEMA_VALIDATION"],
  ])("that sets %j is refused, and changes nothing", async (properties, code) => {
    const { call, read } = openTestServer({ files });
    expect(await call("godot_scene", { ...update, properties })).toMatchObject({
      ok: false,
      error: { code },
    });
    expect(read("hero.tscn")).toBe(files["hero.tscn"]);
  });

  it("writes a theme's override by its type, and warns of one that may not be", async () => {
    const { call, read } = openTestServer({ files });
    const properties = { kind: 1, "theme_override_colors/font_color": "#ff0000" };
    expect(await call("godot_scene", { ...update, properties })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('"font_color"')],
    });
    expect(read("hero.tscn")).toContain("kind = 1\ntheme_override_colors/font_color = Color(1, 0, 0, 1)");
  });

  it.each(["", "_own"])("puts no node into the group %j", async (group) => {
    const { call, read } = openTestServer({ files });
    const args = { action: "create", scene: "res://hero.tscn", type: "Node", groups: [group] };
    expect(await call("godot_scene", args)).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION" },
    });
    expect(read("hero.tscn")).toBe(files["hero.tscn"]);
  });

  it("can use what an earlier one of its batch made, and all are done or none", async () => {
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

  it("puts colliders and meshes under the body they belong to", async () => {
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

  it("gives a node that cannot collide a body for its primitive", async () => {
    const { call, read } = openTestServer({
      files: { ...GAME, "world.tscn": '[gd_scene format=3]\n\n[node name="World" type="Node2D"]\n' },
    });
    const scene = "res://world.tscn";
    expect(
      await call("godot_scene", {
        action: "create",
        scene,
        type: "Node2D",
        name: "Rock",
        primitive: "circle",
      }),
    ).toMatchObject({
      result: { difference: { added: ["Rock", "Rock/Rock_Body", "Rock/Rock_Body/Rock_Body_Collider2D"] } },
    });
    expect(read("world.tscn")).toContain('[node name="Rock_Body" type="StaticBody2D" parent="Rock"]');
    const children = [{ type: "Marker3D", name: "Post", primitive: "box" }];
    expect(
      await call("godot_batch", {
        scene,
        edits: [{ kind: "create", type: "Node3D", name: "Gate", children }],
      }),
    ).toMatchObject({
      result: {
        difference: {
          added: [
            "Gate",
            "Gate/Post",
            "Gate/Post/Post_Body",
            "Gate/Post/Post_Body/Post_Body_Mesh",
            "Gate/Post/Post_Body/Post_Body_Collider",
          ],
        },
      },
    });
  });

  it("makes a tile map a TileMapLayer", async () => {
    const { call, read } = openTestServer();
    await call("godot_scene", { action: "create_tilemap", scene: "res://main.tscn", name: "Map" });
    expect(read("main.tscn")).toContain('[node name="Map" type="TileMapLayer" parent="."]');
  });

  it("of settings and the input map reaches project.godot, and whole numbers stay whole", async () => {
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

  it("of an autoload warns if scripts cannot use its name", async () => {
    const { call } = openTestServer();
    const set = (value: string) =>
      call("godot_project", { action: "project_setting.set", settings: { "autoload/Score": value } });
    expect((await set("res://player.gd")).warnings).toEqual([
      'Scripts cannot use Score by its name, only as /root/Score: for that the value must be "*res://player.gd".',
    ]);
    expect(await set("*res://player.gd")).not.toHaveProperty("warnings");
  });

  it("lists input events that it cannot set by their class", async () => {
    const { call, root, read } = openTestServer();
    const midi = 'Object(InputEventMIDI,"resource_local_to_scene":false,"device":-1,"pitch":60)';
    const action = `\n[input]\n\nplay={\n"deadzone": 0.2,\n"events": [${midi}]\n}\n`;
    writeFileSync(path.join(root, "project.godot"), read("project.godot") + action);
    expect(await call("godot_project", { action: "input_map.get" })).toMatchObject({
      ok: true,
      result: { actions: [{ name: "play", events: [{ type: "InputEventMIDI" }] }] },
    });
  });

  it("leaves binary resources to Godot", async () => {
    const { call, root } = openTestServer();
    expect(
      await call("godot_asset", { action: "resource.create", path: "res://box.res", type: "BoxShape3D" }),
    ).toMatchObject({ ok: false, error: { code: "E_UNSUPPORTED" } });
    expect(existsSync(path.join(root, "box.res"))).toBe(false);
  });
});
