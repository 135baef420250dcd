import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes small projects into a folder, each with one feature that makes scenes hard to keep byte for byte. */
export function writeMadeProjects(folder: string): void {
  for (const [project, files] of Object.entries(MADE_PROJECTS)) writeProject(join(folder, project), files);
}

export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries({ "project.godot": settings("4.6"), ...files })) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function settings(version: string): string {
  return `config_version=5\n\n[application]\n\nconfig/name="Made"\nconfig/features=PackedStringArray("${version}")\n`;
}

const node = (name: string, type: string, parent?: string) =>
  `\n[node name="${name}" type="${type}"${parent === undefined ? "" : ` parent="${parent}"`}]\n`;

const GUN = `[gd_scene format=3]\n${node("Gun", "Node2D")}z_index = 3\n${node("Tip", "Node2D", ".")}`;
const instanceOf = (file: string, name: string, root: string, lines = "") =>
  `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://${file}" id="1"]
${node(root, "Node2D")}
[node name="${name}" parent="." instance=ExtResource("1")]
${lines}`;

/** Exported for the test that runs them. */
export const MADE_PROJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "nested-instances": {
    "gun.tscn": GUN,
    "player.tscn": instanceOf("gun.tscn", "Gun", "Player"),
    "level.tscn": instanceOf("player.tscn", "Player", "Level"),
    "heir.tscn":
      '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://gun.tscn" id="1"]\n\n[node name="Heir" instance=ExtResource("1")]\n',
  },
  "redundant-overrides": {
    "gun.tscn": GUN,
    "same.tscn": instanceOf("gun.tscn", "Gun", "Same", "z_index = 3\n"),
    "editable.tscn": `${instanceOf("gun.tscn", "Gun", "Editable")}\n[node name="Tip" parent="Gun" index="0"]\nposition = Vector2(0, 0)\n\n[editable path="Gun"]\n`,
    "defaults.tscn": `[gd_scene format=3]\n${node("Root", "Node2D")}rotation = 0.0\nscale = Vector2(1, 1)\n`,
  },
  // Overrides inside nested instances, some of which repeat the base.
  "editable-instances": {
    "gun.gd": "extends Node2D\n@export var ammo := 5\n@export var names: Array[String] = []\n",
    "gun.tscn": `[gd_scene format=3]\n\n[ext_resource type="Script" path="res://gun.gd" id="1"]\n${node("Gun", "Node2D")}position = Vector2(5, 5)\nscript = ExtResource("1")\nammo = 7\n${node("Tip", "Sprite2D", ".")}position = Vector2(1, 1)\n`,
    "player.tscn": `${instanceOf("gun.tscn", "Gun", "Player", "position = Vector2(2, 3)\nammo = 9\n")}\n[node name="Tip" parent="Gun" index="0"]\nrotation = 0.5\n\n[editable path="Gun"]\n`,
    "level.tscn": `${instanceOf("player.tscn", "Player", "Level", 'position = Vector2(8, 9)\nmetadata/who = "me"\n')}\n[node name="Gun" parent="Player" index="0"]\nposition = Vector2(5, 5)\nammo = 7\nnames = Array[String](["a"])\n\n[node name="Tip" parent="Player/Gun" index="0"]\nrotation = 0.0\nmodulate = Color(1, 0, 0, 1)\n${node("Extra", "Node2D", "Player/Gun")}\n[editable path="Player"]\n[editable path="Player/Gun"]\n`,
    "heir.tscn":
      '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://player.tscn" id="1"]\n\n[node name="Heir" instance=ExtResource("1")]\nposition = Vector2(0, 0)\n\n[node name="Gun" parent="." index="0"]\nammo = 5\n',
  },
  "float-noise": {
    "main.tscn": `[gd_scene format=3]\n${node("Root", "Node2D")}position = Vector2(0.30000001, 123456.789)\nrotation = 0.1000000001\n`,
    "space.tscn": `[gd_scene format=3]\n${node("Root", "Node3D")}${node("Turned", "Node3D", ".")}transform = Transform3D(0.70710677, 0, 0.7071068, 0, 1, 0, -0.7071068, 0, 0.70710677, 1e3, 2, 3)\n`,
  },
  containers: {
    "menu.tscn": `[gd_scene format=3]\n${node("Menu", "VBoxContainer")}offset_right = 40.0\noffset_bottom = 40.0\n${node("Start", "Button", ".")}layout_mode = 2\ntext = "Start"\n${node("Quit", "Button", ".")}layout_mode = 2\nsize_flags_vertical = 3\n`,
  },
  "missing-files": {
    "texture.tscn": `[gd_scene format=3]\n\n[ext_resource type="Texture2D" path="res://none.png" id="1"]\n${node("Root", "Sprite2D")}texture = ExtResource("1")\n`,
    "script.tscn": `[gd_scene format=3]\n\n[ext_resource type="Script" path="res://none.gd" id="1"]\n${node("Root", "Node2D")}script = ExtResource("1")\nspeed = 3\n`,
    "scene.tscn": instanceOf("none.tscn", "Gone", "Root", "position = Vector2(1, 2)\n"),
  },
  "c-sharp": {
    "Enemy.cs": "using Godot;\npublic partial class Enemy : Node2D { [Export] public int Hp = 3; }\n",
    "enemy.tscn": `[gd_scene format=3]\n\n[ext_resource type="Script" path="res://Enemy.cs" id="1"]\n${node("Enemy", "Node2D")}script = ExtResource("1")\nHp = 5\n`,
  },
  "newer-version": {
    "project.godot": settings("4.9"),
    "main.tscn": `[gd_scene format=3]\n${node("Root", "Node2D")}property_of_the_future = 3\n${node("New", "NodeOfTheFuture", ".")}power = 9\n`,
  },
  "older-version": {
    "project.godot": settings("4.1"),
    "main.tscn": `[gd_scene load_steps=3 format=3 uid="uid://c0ffee00000a1"]\n\n; A comment.\n[sub_resource type="RectangleShape2D" id="1"]\nsize = Vector2(20, 20)\n\n[sub_resource type="Gradient" id="unused"]\n${node("Root", "Area2D")}${node("Shape", "CollisionShape2D", ".")}shape = SubResource("1")\n\n[connection signal="body_entered" from="." to="." method="hide" flags=2]\n`,
    "animated.tscn": `[gd_scene load_steps=3 format=3]\n\n[sub_resource type="Animation" id="1"]\nlength = 0.5\n\n[sub_resource type="AnimationLibrary" id="2"]\n_data = {\n"idle": SubResource("1")\n}\n${node("Root", "AnimationPlayer")}libraries = {\n"": SubResource("2")\n}\n`,
  },
  tiles: {
    "tiles.tres":
      '[gd_resource type="TileSet" format=3]\n\n[sub_resource type="TileSetAtlasSource" id="A"]\n0:0/0 = 0\n\n[resource]\nsources/0 = SubResource("A")\n',
    "few.tscn": `[gd_scene format=3]\n\n[ext_resource type="TileSet" path="res://tiles.tres" id="1"]\n${node("Map", "TileMapLayer")}tile_map_data = PackedByteArray(0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0)\ntile_set = ExtResource("1")\n`,
    "many.tscn": `[gd_scene format=4]\n\n[ext_resource type="TileSet" path="res://tiles.tres" id="1"]\n${node("Map", "TileMapLayer")}tile_map_data = PackedByteArray("${Buffer.concat([Buffer.alloc(2), ...Array.from({ length: 8 }, (_, x) => Buffer.from([x, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))]).toString("base64")}")\ntile_set = ExtResource("1")\n`,
  },
  shaders: {
    "water.gdshader": "shader_type canvas_item;\nuniform vec4 tint : source_color;\n",
    "water.tscn": `[gd_scene format=3]\n\n[ext_resource type="Shader" path="res://water.gdshader" id="1"]\n\n[sub_resource type="ShaderMaterial" id="2"]\nshader = ExtResource("1")\nshader_parameter/tint = Color(0, 1, 0, 1)\n${node("Water", "Node2D")}material = SubResource("2")\n`,
  },
  "line-ends": {
    "windows.tscn": `[gd_scene format=3]\n${node("Root", "Node2D")}position = Vector2(1, 2)\n`.replaceAll(
      "\n",
      "\r\n",
    ),
    "no-last-line-end.tscn": '[gd_scene format=3]\n\n[node name="Root" type="Node2D"]',
    "text.tscn": `[gd_scene format=3]\n${node("Root", "Label")}text = "Several\nlines, a \\"quote\\" and ünïcödé"\n`,
  },
};
