/** A project of one scene, whose root has the script `main.gd`. */
export const ONE_SCENE = {
  "project.godot": `config_version=5

[application]

config/name="Game"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.6")
`,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://main.gd" id="1"]

[node name="Main" type="Node2D"]
script = ExtResource("1")
`,
} as const;
