/** A small game with everything that scene edits can get wrong. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "hero.gd": `class_name Hero extends CharacterBody2D

signal hurt(amount: int)

enum Mood { CALM, ANGRY }

@export var speed := 120
@export var jump := 2.5
@export var mood := Mood.CALM
@export var names: Array[String] = []
@export var target: Node2D
@export var look_at_path: NodePath
@export var loot: Dictionary = {}


func _init() -> void:
	push_error("A script of the project must not run while its scenes are edited.")


func on_hit(amount: int) -> void:
	speed -= amount
`,
  "hero.gd.uid": "uid://hero000000b1\n",
  "coin.gd": `extends Area2D

@export var worth := 1
`,
  "coin.gd.uid": "uid://coinscript1\n",
  "coin.tscn": `[gd_scene format=3 uid="uid://coin000000b1"]

[node name="Coin" type="Area2D"]

[node name="Shape" type="CollisionShape2D" parent="."]

[node name="Sprite" type="Sprite2D" parent="."]
position = Vector2(0, -4)
`,
  "level.tscn": `[gd_scene format=3 uid="uid://level00000b1"]

[ext_resource type="Script" uid="uid://hero000000b1" path="res://hero.gd" id="1_hero"]
[ext_resource type="PackedScene" uid="uid://coin000000b1" path="res://coin.tscn" id="2_coin"]

[sub_resource type="RectangleShape2D" id="RectangleShape2D_a"]
size = Vector2(10, 20)

[node name="Level" type="Node2D"]

[node name="Hero" type="CharacterBody2D" parent="." groups=["actors"]]
position = Vector2(10, 20)
script = ExtResource("1_hero")
speed = 90

[node name="Body" type="CollisionShape2D" parent="Hero"]
shape = SubResource("RectangleShape2D_a")

[node name="Arm" type="Node2D" parent="Hero"]
rotation = 0.5

[node name="Hand" type="Sprite2D" parent="Hero/Arm"]
position = Vector2(3, 4)

[node name="Coin" parent="." instance=ExtResource("2_coin")]
position = Vector2(100, 0)

[node name="Items" type="Node2D" parent="."]
position = Vector2(5, 5)
scale = Vector2(2, 2)

[node name="UI" type="CanvasLayer" parent="."]

[node name="Box" type="VBoxContainer" parent="UI"]

[node name="Start" type="Button" parent="UI/Box"]
text = "Start"

[connection signal="pressed" from="UI/Box/Start" to="Hero" method="on_hit" binds= [3]]
`,
  "hard_level.tscn": `[gd_scene format=3 uid="uid://hardlevel0b1"]

[ext_resource type="PackedScene" uid="uid://level00000b1" path="res://level.tscn" id="1_base"]

[node name="HardLevel" instance=ExtResource("1_base")]

[node name="Hero" parent="." index="0"]
speed = 60

[node name="Boss" type="Node2D" parent="." index="4"]
`,
  "world.tscn": `[gd_scene format=3 uid="uid://world00000b1"]

[node name="World" type="Node3D"]

[node name="Pivot" type="Node3D" parent="."]
transform = Transform3D(0, 0, 1, 0, 1, 0, -1, 0, 0, 1, 2, 3)

[node name="Box" type="MeshInstance3D" parent="Pivot"]
`,
};

/** The class list as Godot's import writes it, which saves tests the import. */
export const classCache = `list=[{
"base": &"CharacterBody2D",
"class": &"Hero",
"icon": "",
"is_abstract": false,
"is_tool": false,
"language": &"GDScript",
"path": "res://hero.gd"
}]
`;
