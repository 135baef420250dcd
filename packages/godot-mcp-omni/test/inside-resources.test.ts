import type { Json } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

const MAIN = `[gd_scene format=3]

[ext_resource type="Script" path="res://stats.gd" id="1"]
[ext_resource type="Script" path="res://holder.gd" id="2"]
[ext_resource type="Script" path="res://painter.gd" id="3"]
[ext_resource type="PackedScene" path="res://enemy.tscn" id="4"]

[sub_resource type="Resource" id="stats"]
script = ExtResource("1")

[sub_resource type="CanvasItemMaterial" id="paint"]
light_mode = 1

[node name="Main" type="Node2D"]
script = ExtResource("2")
stats = SubResource("stats")

[node name="Wall" type="Sprite2D" parent="."]
material = SubResource("paint")

[node name="Painter" type="Node2D" parent="."]
script = ExtResource("3")

[node name="Enemy" parent="." instance=ExtResource("4")]

[editable path="Enemy"]
`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "stats.gd": `class_name Stats extends Resource
@export var hp := 1
@export_custom(PROPERTY_HINT_NONE, "", PROPERTY_USAGE_EDITOR) var mood := 1
`,
  "holder.gd": "extends Node2D\n@export var stats: Resource\n",
  "painter.gd": `@tool
extends Node2D

@export var tone := 0:
	set(value):
		tone = value
		if is_inside_tree():
			$"../Wall".material.blend_mode = value
`,
  "enemy.tscn": `[gd_scene format=3]

[sub_resource type="CanvasItemMaterial" id="skin"]
blend_mode = 1

[node name="Enemy" type="Node2D"]

[node name="Sprite" type="Sprite2D" parent="."]
material = SubResource("skin")
`,
  "main.tscn": MAIN,
  "stats.tres": `[gd_resource type="Resource" script_class="Stats" format=3]

[ext_resource type="Script" path="res://stats.gd" id="1"]

[resource]
script = ExtResource("1")
hp = 2
`,
};

describe.skipIf(realGodot === undefined)("a value inside a resource", { timeout: 120_000 }, () => {
  const open = () => {
    const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const set = (mode: string, node: string, property: string, value: Json) =>
      server.call("godot_inspector", { action: "set_property", scene, mode, node, property, value });
    return { ...server, set };
  };

  test("that Godot sets though nobody asked for it fails the edit", async () => {
    const { set, read } = open();
    expect(await set("engine", "Painter", "tone", 2)).toMatchObject({
      ok: false,
      error: {
        details: { surprises: [expect.stringContaining("material of Wall")], restored: true },
      },
    });
    expect(read("main.tscn")).toBe(MAIN);
  });

  test("that was asked for and is not in the file afterwards fails the edit", async () => {
    const { call, set, read } = open();
    for (const [property, value] of [
      ["stats", { resource: "Stats", properties: { hp: 4, mood: 5 } }],
      ["stats:mood", 5],
    ] as const) {
      expect(await set("engine", ".", property, value), property).toMatchObject({
        ok: false,
        error: { details: { surprises: [`${property} of . is not what was set`], restored: true } },
      });
      expect(read("main.tscn"), property).toBe(MAIN);
    }
    expect(
      await call("godot_asset", {
        ...{ action: "resource.edit", path: "res://stats.tres", mode: "engine", properties: { mood: 5 } },
      }),
    ).toMatchObject({ ok: false, error: { details: { surprises: ["mood is not what was set"] } } });
    expect(read("stats.tres")).toBe(FILES["stats.tres"]);
    expect(await set("engine", ".", "stats:hp", 4)).toMatchObject({ ok: true });
    expect(read("main.tscn")).toContain("hp = 4");
  });

  test.each(["files", "engine"])(
    "that belongs to the scene of an instance is refused by %s",
    async (mode) => {
      const { set, read } = open();
      expect(await set(mode, "Enemy/Sprite", "material:blend_mode", 2)).toMatchObject({
        ok: false,
        error: { code: "E_UNSUPPORTED", message: expect.stringContaining("is part of another scene") },
      });
      expect(read("main.tscn")).toBe(MAIN);
    },
  );

  test("of a project's own class is set by files too", async () => {
    const { set, read } = open();
    expect(await set("files", ".", "stats:hp", 7)).toMatchObject({ ok: true });
    expect(read("main.tscn")).toContain('script = ExtResource("1")\nhp = 7\n');
  });

  test("that another value of the request changes is refused, and set again if that is enough", async () => {
    const { set, read } = open();
    const setStats = (type: string, properties: Record<string, number>) =>
      set("engine", ".", "stats", { resource: type, properties });
    expect(await setStats("CapsuleShape2D", { radius: 3, height: 4 })).toMatchObject({
      ok: false,
      error: {
        code: "E_SCHEMA_VALIDATION",
        message: expect.stringContaining(
          "height: CapsuleShape2D does not keep it along with the other values: it became 6.0.",
        ),
      },
    });
    expect(await setStats("Environment", { fog_density: 0.5, fog_mode: 1 })).toMatchObject({ ok: true });
    expect(read("main.tscn")).toContain("fog_mode = 1\nfog_density = 0.5\n");
  });
});
