import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { uniformsOf } from "../src/formats/shader-uniforms.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, GAME, openTestServer } from "./server-project.ts";

const SHADER = `shader_type spatial;
#include "res://shared.gdshaderinc"
/* uniform float commented_out; */
uniform vec4 tint : source_color = vec4(1.0); // uniform int neither;
uniform vec3 wind = vec3(0.0, 1.0, 0.0);
uniform sampler2D noise : hint_default_white, repeat_enable;
group_uniforms more;
uniform int steps : hint_range(0, 10) = 3;
instance uniform float glow = 1.0;
global uniform float time_of_day;
`;

const WORLD = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://rock.glb" id="1"]
[ext_resource type="PackedScene" path="res://odd.scn" id="2"]
[ext_resource type="Shader" path="res://water.gdshader" id="3"]
[ext_resource type="Script" path="res://Enemy.cs" id="4"]

[sub_resource type="ShaderMaterial" id="Mat"]
shader = ExtResource("3")

[sub_resource type="Shader" id="Own"]
code = "shader_type spatial;
uniform vec4 own_tint : source_color;
"

[sub_resource type="ShaderMaterial" id="OwnMat"]
shader = SubResource("Own")

[node name="World" type="Node3D"]

[node name="Rock" parent="." instance=ExtResource("1")]

[node name="Placed" parent="." instance=ExtResource("1")]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)

[node name="Odd" parent="." instance=ExtResource("2")]
size = Vector2(3, 4)

[node name="Sea" type="MeshInstance3D" parent="."]
material_override = SubResource("Mat")
material_overlay = SubResource("OwnMat")

[node name="Enemy" type="Node3D" parent="."]
script = ExtResource("4")
`;

const FILES = {
  ...GAME,
  "world.tscn": WORLD,
  "rock.glb": "glTF",
  "rock.glb.import":
    '[remap]\n\nimporter="scene"\nimporter_version=1\ntype="PackedScene"\nuid="uid://rock"\n\n[params]\n\nnodes/root_type="StaticBody3D"\nnodes/root_name=""\n',
  "odd.scn": "RSRC",
  "Enemy.cs": "public partial class Enemy : Node3D {}\n",
  "water.gdshader": SHADER,
  "shared.gdshaderinc": "uniform vec2 shared_offset;\n",
  "icon.webp": "RIFF",
};

const scene = "res://world.tscn";
const set = (node: string, property: string, value: Json) => ({
  action: "update",
  scene,
  mode: "files",
  node,
  properties: { [property]: value },
});

describe("the type of a property, without Godot,", () => {
  it.each<[string, string, Json, string]>([
    ["Rock", "position", { x: 1, y: 2, z: 3 }, "position = Vector3(1, 2, 3)"],
    ["Rock", "collision_layer", 3, "collision_layer = 3"],
    [
      "Placed",
      "position",
      { x: 1, y: 2, z: 3 },
      "transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3)",
    ],
    ["Odd", "size", { x: 1, y: 2 }, "size = Vector2(1, 2)"],
    ["Odd", "modulate", { $type: "Color", r: 1, g: 0, b: 0, a: 1 }, "modulate = Color(1, 0, 0, 1)"],
    ["Enemy", "Speed", 5.5, "Speed = 5.5"],
    [
      "Sea",
      "material_override:shader_parameter/tint",
      "#00ff00",
      "shader_parameter/tint = Color(0, 1, 0, 1)",
    ],
    [
      "Sea",
      "material_override:shader_parameter/wind",
      { x: 1, y: 0, z: 0 },
      "shader_parameter/wind = Vector3(1, 0, 0)",
    ],
    [
      "Sea",
      "material_override:shader_parameter/shared_offset",
      { x: 1, y: 2 },
      "shader_parameter/shared_offset = Vector2(1, 2)",
    ],
    ["Sea", "material_override:shader_parameter/steps", 4, "shader_parameter/steps = 4"],
    [
      "Sea",
      "material_override:shader_parameter/noise",
      "res://icon.webp",
      "shader_parameter/noise = ExtResource(",
    ],
    [
      "Sea",
      "material_overlay:shader_parameter/own_tint",
      "#00ff00",
      "shader_parameter/own_tint = Color(0, 1, 0, 1)",
    ],
    [
      "Sea",
      "surface_material_override/0",
      { resource: "ORMMaterial3D" },
      "surface_material_override/0 = SubResource(",
    ],
  ])("%s.%s is found, and %j is written by it", async (node, property, value, line) => {
    const { call, read } = openTestServer({ files: FILES });
    expect(await call("godot_scene", set(node, property, value))).toMatchObject({ ok: true });
    expect(read("world.tscn")).toContain(line);
  });

  it.each<[string, string, Json, string]>([
    // Types that the files do not show are not guessed.
    ["Odd", "position", { x: 1, y: 2, z: 3 }, "E_UNSUPPORTED"],
    ["Odd", "label", "text", "E_UNSUPPORTED"],
    ["Odd", "points", [1, 2], "E_UNSUPPORTED"],
    ["Odd", "size", { x: 1, y: 2, z: 3 }, "E_SCHEMA_VALIDATION"],
    ["Rock", "own_export", { x: 1, y: 2 }, "E_UNSUPPORTED"],
    ["Enemy", "Goal", { x: 1, y: 2, z: 3 }, "E_UNSUPPORTED"],
    ["Enemy", "Tint", "#00ff00", "E_UNSUPPORTED"],
    ["Sea", "instance_shader_parameters/glow", "1", "E_UNSUPPORTED"],
    ["Sea", "surface_material_override/0", { x: 1 }, "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/tint", "green?", "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/tnit", "#00ff00", "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/commented_out", 1, "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/neither", 1, "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/glow", 1, "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/time_of_day", 1, "E_SCHEMA_VALIDATION"],
    ["Sea", "material_override:shader_parameter/steps", 4.5, "E_SCHEMA_VALIDATION"],
  ])(
    "%s.%s, set to %j, is not known or other, and nothing is written",
    async (node, property, value, code) => {
      const { call, read } = openTestServer({ files: FILES });
      expect(await call("godot_scene", set(node, property, value))).toMatchObject({
        ok: false,
        error: { code },
      });
      expect(read("world.tscn")).toBe(WORLD);
    },
  );

  it("is explained in the error if a value does not state its type", async () => {
    const { call } = openTestServer({ files: FILES });
    expect(await call("godot_scene", set("Odd", "position", { x: 1, y: 2, z: 3 }))).toMatchObject({
      error: { suggestedFix: expect.stringContaining('{"$type": "Vector3", "x": 1, "y": 2, "z": 3}') },
    });
  });
});

/** Every kind of uniform, in files that Godot compiles. */
const EVERY_UNIFORM = `shader_type spatial;
uniform bool a1; uniform int a2; uniform uint a3; uniform float a4;
uniform bvec2 b2; uniform bvec3 b3; uniform bvec4 b4;
uniform ivec2 c2; uniform ivec3 c3; uniform ivec4 c4;
uniform uvec2 d2; uniform uvec3 d3; uniform uvec4 d4;
uniform vec2 e2; uniform vec3 e3; uniform vec4 e4;
uniform vec3 f3 : source_color; uniform vec4 f4 : source_color;
uniform mat2 m2; uniform mat3 m3; uniform mat4 m4;
uniform sampler2D s1; uniform isampler2D s2; uniform usampler2D s3;
uniform sampler2DArray s4; uniform sampler3D s5; uniform samplerCube s6;
uniform highp float g1 : hint_range(0.0, 1.0) = 0.5;
uniform int g2 : hint_enum("Low", "High") = 1;
uniform float h1[3]; uniform int h2[3]; uniform vec2 h3[3]; uniform vec3 h4[3]; uniform vec4 h5[3];
uniform vec4 h6[3] : source_color; uniform vec3 h7[3] : source_color; uniform bool h8[2]; uniform sampler2D h9[2];
uniform mat4 h10[2];
void fragment() { ALBEDO = e3; }
`;

const LIST_UNIFORMS = `extends SceneTree
func _initialize() -> void:
	var shader: Shader = load("res://every.gdshader")
	var out := {}
	for info in shader.get_shader_uniform_list():
		out[info.name] = info.class_name if info.type == TYPE_OBJECT and info.class_name != "" else (info.hint_string if info.type == TYPE_OBJECT else type_string(info.type))
	print("UNIFORMS ", JSON.stringify(out))
	quit()
`;

describe.skipIf(realGodot === undefined)("the uniforms of a shader", { timeout: 120_000 }, () => {
  it("have the types that Godot gives them", () => {
    const { root } = openTestServer({
      files: { ...GAME, "every.gdshader": EVERY_UNIFORM, "list.gd": LIST_UNIFORMS },
    });
    const printed = execFileSync(
      realGodot ?? "",
      ["--headless", "--path", root, "--script", "res://list.gd"],
      { env: childEnvironment(path.dirname(root)), encoding: "utf8" },
    );
    const types: JsonObject = JSON.parse(/UNIFORMS (.*)/.exec(printed)?.[1] ?? "{}");
    const found = uniformsOf(EVERY_UNIFORM, () => undefined);
    expect(Object.fromEntries(Array.from(found.uniforms, ([name, { type }]) => [name, type]))).toEqual(types);
  });
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);

const FRAMES: JsonObject = {
  animations: [
    { name: "walk", frames: [{ texture: "res://icon.png" }, { texture: "res://icon.png", duration: 2 }] },
  ],
};

describe.each(realGodot === undefined ? ["files"] : ["files", "engine"])("SpriteFrames by %s", (mode) => {
  it("take the path of a texture, get what is left out, and refuse what Godot would drop", async () => {
    const { call, read, root } = openTestServer({ flags: { godot: realGodot ?? "" } });
    writeFileSync(path.join(root, "icon.png"), PIXEL);
    const made = { action: "resource.create", path: "res://walk.tres", type: "SpriteFrames", mode };
    const add = (frames: JsonObject) =>
      call("godot_scene", {
        action: "create",
        scene: "res://main.tscn",
        mode,
        type: "AnimatedSprite2D",
        name: "Hero",
        properties: { sprite_frames: { resource: "SpriteFrames", properties: frames } },
      });
    const wrong: [string, JsonObject][] = [
      ["texture", { animations: [{ name: "walk", frames: [{ texture: 3 }] }] }],
      ["speed", { animations: [{ name: "walk", speed: "fast", frames: [] }] }],
      ["fps", { animations: [{ name: "walk", fps: 3, frames: [] }] }],
    ];
    for (const [word, properties] of wrong)
      expect(await call("godot_asset", { ...made, properties })).toMatchObject({
        ok: false,
        error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining(word) },
      });
    const none = { animations: [{ name: "walk", frames: [{ texture: "res://none.png" }] }] };
    expect(await add(none)).toMatchObject({ ok: false, error: { code: "E_NOT_FOUND" } });
    expect(read("main.tscn")).toBe(GAME["main.tscn"]);

    expect(await call("godot_asset", { ...made, properties: FRAMES })).toMatchObject({ ok: true });
    const check = (text: string) => {
      expect(text).toContain('path="res://icon.png"');
      expect(text.match(/"texture": ExtResource\(/g)).toHaveLength(2);
      expect(text).toContain('"duration": 1.0');
      expect(text).toContain('"duration": 2.0');
      expect(text).toContain('"name": &"walk"');
      expect(text).toContain('"speed": 5.0');
    };
    check(read("walk.tres"));
    expect(await add(FRAMES)).toMatchObject({ ok: true });
    check(read("main.tscn"));

    const edit = { action: "resource.edit", path: "res://walk.tres", mode };
    const faster = { animations: [{ name: "run", speed: 12, frames: [{ texture: "res://icon.png" }] }] };
    expect(await call("godot_asset", { ...edit, properties: faster })).toMatchObject({ ok: true });
    expect(read("walk.tres")).toContain('"speed": 12.0');
    expect(read("walk.tres").match(/"texture": ExtResource\(/g)).toHaveLength(1);
  }, 180_000);
});
