/** A small game in which files, classes, signals, groups and actions use each other, and some things are wrong. */
export const LINKED: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

run/main_scene="uid://cmain"

[autoload]

Score="*res://auto/score.gd"

[input]

jump={
"deadzone": 0.5,
"events": []
}
`,
  "main.tscn": `[gd_scene load_steps=4 format=3 uid="uid://cmain"]

[ext_resource type="PackedScene" uid="uid://cenemy" path="res://old/place/enemy.tscn" id="1_e"]
[ext_resource type="Script" path="res://main.gd" id="2_m"]
[ext_resource type="Texture2D" path="res://art/Hero.png" id="3_h"]

[node name="Main" type="Node2D"]
script = ExtResource("2_m")

[node name="Enemy" parent="." groups=["enemies"] instance=ExtResource("1_e")]
target = NodePath("../Hud/Bar")

[node name="Hud" type="Control" parent="."]

[node name="Bar" type="Range" parent="Hud"]
unique_name_in_owner = true

[connection signal="died" from="Enemy" to="." method="_on_enemy_died"]
`,
  "main.gd": `extends Node2D
# Nothing here: preload("res://commented.gd") %Bar
const Boss := preload("enemies/boss.tscn")
@onready var bar = %Bar


func _ready() -> void:
	Score.reset()
	var weapon: Weapon = load("res://weapons/sword.tres")
	var level := load("res://levels/%d.tscn" % Score.level)
	var other = load(weapon.path)
	if Input.is_action_pressed("jump"):
		get_tree().call_group("enemies", "hide")
	$Enemy.died.connect(_on_enemy_died)


func _on_enemy_died() -> void:
	print("res://gone.txt", level, other, Boss)
`,
  "enemies/enemy.tscn": `[gd_scene load_steps=2 format=3 uid="uid://cenemy"]

[ext_resource type="Script" path="res://enemies/enemy.gd" id="1"]

[node name="Enemy" type="Node2D"]
script = ExtResource("1")
`,
  "enemies/enemy.gd": `class_name Enemy
extends Node2D

signal died

@export var target: NodePath


func hit() -> void:
	died.emit()
	emit_signal("died")
`,
  "enemies/boss.tscn": `[gd_scene load_steps=2 format=3]

[ext_resource type="PackedScene" uid="uid://cenemy" path="res://enemies/enemy.tscn" id="1"]
[ext_resource type="Script" path="res://enemies/boss.gd" id="2"]

[node name="Boss" instance=ExtResource("1")]
script = ExtResource("2")
`,
  "enemies/boss.gd": `extends "enemy.gd"

const SELF = preload("res://enemies/boss.tscn")


func roar() -> void:
	call("hit")
	hit()
`,
  "weapons/weapon.gd": "class_name Weapon\nextends Resource\n\n@export var path: String\n",
  "weapons/sword.tres": `[gd_resource type="Resource" script_class="Weapon" load_steps=2 format=3]

[ext_resource type="Script" path="res://weapons/weapon.gd" id="1"]

[resource]
script = ExtResource("1")
path = "res://levels/1.tscn"
`,
  "auto/score.gd": "extends Node\n\nvar level := 1\n\n\nfunc reset() -> void:\n\tpass\n",
  "levels/1.tscn": '[gd_scene format=3]\n\n[node name="One" type="Node"]\n',
  "levels/2.tscn": '[gd_scene format=3]\n\n[node name="Two" type="Node"]\n',
  "loop/a.tscn":
    '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://loop/b.tscn" id="1"]\n\n[node name="A" type="Node"]\n\n[node name="B" parent="." instance=ExtResource("1")]\n',
  "loop/b.tscn":
    '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://loop/a.tscn" id="1"]\n\n[node name="B" type="Node"]\n\n[node name="A" parent="." instance=ExtResource("1")]\n',
  "art/hero.png": "not a picture",
  "art/hero.png.import": '[remap]\n\nimporter="texture"\nuid="uid://chero"\n',
  "art/ignored/.gdignore": "",
  "art/ignored/unseen.gd": "extends Node\n",
  "readme.md": "res://main.tscn",
};
