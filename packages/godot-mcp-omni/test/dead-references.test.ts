import { expect, test } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

const FILES = {
  "project.godot": GAME["project.godot"] ?? "",
  "base.gd": `class_name Unit extends Node2D

signal hurt


func _on_base() -> void:
	pass
`,
  "hero.gd": `extends "res://base.gd"

@onready var body := $Body
@onready var sprite := $Body/Sprit
@onready var bar := %Bar
@onready var gone := %Gone
@onready var fill := %Bar/Fill
@onready var maybe := get_node_or_null("Nowhere")
@onready var arm := $Enemy/Body
@onready var leg := $Enemy/Leg
@onready var above := $"../Camera"
@onready var music := $/root/Music
var made: Node


func _ready() -> void:
	made = Node.new()
	made.name = "Made"
	add_child(made)
	$Made.queue_free()
	if has_node("Late"):
		get_node("Body").hide()
	get_node("Boddy").hide()


func _on_hit() -> void:
	pass


class Inner:
	extends Node

	func go() -> void:
		$Elsewhere.free()
`,
  "hero.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://enemy.tscn" id="2"]
[ext_resource type="PackedScene" path="res://model.glb" id="3"]

[node name="Hero" type="Node2D" node_paths=PackedStringArray("target")]
script = ExtResource("1")

[node name="Body" type="Area2D" parent="."]

[node name="Sprite" type="Sprite2D" parent="Body"]

[node name="Bar" type="ProgressBar" parent="."]
unique_name_in_owner = true

[node name="Enemy" parent="." instance=ExtResource("2")]

[node name="Remote" type="RemoteTransform2D" parent="."]
remote_path = NodePath("../Boddy")

[node name="Other" type="RemoteTransform2D" parent="."]
remote_path = NodePath("../Body")

[connection signal="body_entered" from="Body" to="." method="_on_hit"]
[connection signal="body_entered" from="Body" to="." method="_on_base"]
[connection signal="body_entered" from="Body" to="." method="queue_free"]
[connection signal="body_entered" from="Body" to="." method="_on_hitt"]
[connection signal="hurt" from="." to="Bar" method="on_hurt"]
[connection signal="hurtt" from="." to="." method="_on_hit"]
[connection signal="body_enterd" from="Body" to="." method="_on_hit"]
`,
  "enemy.tscn": GAME["enemy.tscn"] ?? "",
};

test("scenes are checked for connections, node paths and unique names that lead to nothing", async () => {
  const { call } = openTestServer({ files: FILES });
  const { result } = await call("godot_diagnostics", { action: "scenes", paths: ["res://hero.tscn"] });
  const found = (result as { problems: { path: string; line: number; message: string }[] }).problems;
  expect(found.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([
    "res://hero.tscn:5 res://model.glb is missing.",
    "res://hero.tscn:28 A connection calls _on_hitt, which the root does not have.",
    "res://hero.tscn:29 A connection calls on_hurt, which Bar does not have.",
    "res://hero.tscn:30 A connection uses the signal hurtt, which the root does not have.",
    "res://hero.tscn:31 A connection uses the signal body_enterd, which Body does not have.",
    "res://hero.tscn:19 remote_path of Remote is ../Boddy, and no node is there.",
    "res://hero.gd:4 In res://hero.tscn, $Body/Sprit leads to no node from the root.",
    "res://hero.gd:6 In res://hero.tscn, %Gone leads to no node from the root.",
    "res://hero.gd:7 In res://hero.tscn, %Bar/Fill leads to no node from the root.",
    "res://hero.gd:10 In res://hero.tscn, $Enemy/Leg leads to no node from the root.",
    "res://hero.gd:23 In res://hero.tscn, $Boddy leads to no node from the root.",
  ]);
});

test("nothing is reported where an instance cannot be read, or where a class of another language is the target", async () => {
  const { call } = openTestServer({
    files: {
      ...FILES,
      "hero.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://model.glb" id="3"]
[ext_resource type="Script" path="res://Other.cs" id="4"]

[node name="Hero" instance=ExtResource("3")]
script = ExtResource("1")

[node name="Sharp" type="Node" parent="."]
script = ExtResource("4")

[connection signal="Odd" from="Sharp" to="Sharp" method="_on_odd"]
[connection signal="ready" from="." to="." method="_on_hit"]
`,
      "model.glb": "",
      "Other.cs": "public partial class Other : Node {}",
    },
  });
  const { result } = await call("godot_diagnostics", { action: "scenes", paths: ["res://hero.tscn"] });
  expect(result).toMatchObject({ problems: [] });
});

const PLAYER = `extends Node

func _process(_delta: float) -> void:
	Input.is_action_pressed("jump")
	Input.is_action_pressed("jmp")
	Input.get_axis("ui_left", "rihgt")
	get_tree().call_group("heroes", "queue_free")
	get_tree().get_nodes_in_group("heros")
	is_in_group("everywhere")
`;

const NAMED: Readonly<Record<string, string>> = {
  ...GAME,
  "project.godot": `${GAME["project.godot"]}
[input]

jump={
"deadzone": 0.2,
"events": []
}

[global_group]

everywhere=""
`,
  "named.gd": PLAYER,
};

async function unknownNames(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { result } = await openTestServer({ files }).call("godot_diagnostics", { action: "scenes" });
  const { problems } = result as { problems: { path: string; line: number; message: string }[] };
  return problems.map(({ path, line, message }) => `${path}:${line} ${message}`);
}

test("actions and groups that nothing declares are reported with their line", async () => {
  expect(await unknownNames(NAMED)).toEqual([
    'res://named.gd:5 The input map has no action "jmp".',
    'res://named.gd:6 The input map has no action "rihgt".',
    'res://named.gd:8 No scene has a node in the group "heros", and no script adds one.',
  ]);
});

test.each([
  [
    "a script that adds an action",
    "maker.gd",
    'extends Node\n\nfunc f():\n\tInputMap.add_action("jmp")\n',
    1,
  ],
  ["a script that adds a node to a group", "maker.gd", "extends Node\n\nfunc f(g):\n\tadd_to_group(g)\n", 2],
  ["a method with the name of a call", "maker.gd", "func is_action(kind):\n\treturn kind\n", 0],
  ["C#", "Maker.cs", "public partial class Maker : Node {}", 0],
])("a name is not called unknown in a project with %s", async (_, file, text, count) => {
  expect(await unknownNames({ ...NAMED, [file]: text })).toHaveLength(count);
});
