import { png } from "./png.ts";

const script = (name: string, speed: number) => `class_name ${name} extends Node2D

@export var speed := ${speed}.0
@export var lives := 3

func strength() -> float:
	return speed * Score.factor
`;

const users = (name: string) => ({
  "hero.gd": `extends Node2D

@export var title := "Hero"
var enemy: ${name}

func meet(other: ${name}) -> float:
	enemy = other
	return other.strength()
`,
  "score.gd": `extends Node

var factor := 2.0
var last: ${name}
`,
});

/** A small game with instanced and inherited scenes, nested resources, a texture, tiles and an autoload named by its uid. */
export const PROJECT: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Truth"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.6")

[autoload]

Score="*uid://c5score0score"
`,
  "score.gd.uid": "uid://c5score0score\n",
  "enemy.gd": script("Enemy", 120),
  ...users("Enemy"),
  "tiles.tres": `[gd_resource type="TileSet" format=3]

[ext_resource type="Texture2D" path="res://tiles.png" id="1"]

[sub_resource type="TileSetAtlasSource" id="source"]
texture = ExtResource("1")
0:0/0 = 0
0:0/0/physics_layer_0/polygon_0/points = PackedVector2Array(-8, -8, 8, -8, 8, 8)
1:0/0 = 0

[resource]
physics_layer_0/collision_layer = 1
sources/0 = SubResource("source")
`,
  "enemy.tscn": `[gd_scene format=3 uid="uid://benemy0enemy0"]

[ext_resource type="Script" path="res://enemy.gd" id="1"]
[ext_resource type="Texture2D" path="res://tiles.png" id="2"]

[node name="Enemy" type="Node2D"]
script = ExtResource("1")
lives = 5

[node name="Sprite" type="Sprite2D" parent="."]
texture = ExtResource("2")

[node name="Zone" type="Area2D" parent="."]
`,
  "boss.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1"]

[node name="Boss" instance=ExtResource("1")]
speed = 300.0

[node name="Crown" type="Node2D" parent="." index="2"]
`,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://enemy.tscn" id="2"]
[ext_resource type="PackedScene" path="res://boss.tscn" id="3"]
[ext_resource type="TileSet" path="res://tiles.tres" id="4"]

[sub_resource type="Gradient" id="gradient"]
offsets = PackedFloat32Array(0, 0.5)

[sub_resource type="GradientTexture2D" id="nested"]
gradient = SubResource("gradient")
width = 32

[node name="Main" type="Node2D"]

[node name="Hero" type="Node2D" parent="." groups=["heroes"]]
script = ExtResource("1")

[node name="Shade" type="Sprite2D" parent="Hero"]
texture = SubResource("nested")

[node name="Enemy" parent="." instance=ExtResource("2")]
speed = 80.0

[node name="Boss" parent="." instance=ExtResource("3")]
position = Vector2(40, 2)

[node name="Map" type="TileMapLayer" parent="."]
tile_set = ExtResource("4")

[connection signal="tree_exited" from="Hero" to="." method="queue_free"]
`,
};

export const TEXTURE = png(32, 16, (x) => [x * 8, 0, 0, 255]);

/** Texts that another program may put in place of a file: another branch, or an editor's save. */
export const OUTSIDE: readonly Readonly<Record<string, string>>[] = [
  { "enemy.gd": script("Foe", 120), ...users("Foe") },
  { "enemy.gd": script("Enemy", 90), ...users("Enemy") },
  { "enemy.gd": script("Enemy", 120), ...users("Enemy") },
  { "enemy.tscn": (PROJECT["enemy.tscn"] ?? "").replace("lives = 5", "lives = 6") },
  { "enemy.tscn": PROJECT["enemy.tscn"] ?? "" },
];

/** Properties that an edit may set, by scene and node. */
export const PROPERTIES: readonly (readonly [string, string, string, (n: number) => string | number])[] = [
  ["enemy.tscn", ".", "speed", (n) => n + 0.5],
  ["enemy.tscn", ".", "lives", (n) => n],
  ["enemy.tscn", "Sprite", "z_index", (n) => n],
  ["enemy.tscn", "Zone", "collision_layer", (n) => n + 1],
  ["boss.tscn", ".", "lives", (n) => n],
  ["boss.tscn", "Crown", "rotation", (n) => n / 8],
  ["main.tscn", "Hero", "title", (n) => `Hero ${n}`],
  ["main.tscn", "Hero", "position:x", (n) => n],
  ["main.tscn", "Hero/Shade", "texture:width", (n) => n + 1],
  ["main.tscn", "Enemy", "speed", (n) => n + 0.25],
  ["main.tscn", "Boss", "position:y", (n) => n],
  ["main.tscn", "Map", "y_sort_origin", (n) => n],
];
