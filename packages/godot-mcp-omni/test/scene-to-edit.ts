import { editingScene } from "../src/drivers/files/prepare-edit.ts";
import { finish } from "../src/formats/document.ts";
import { SceneText } from "../src/formats/scene-text.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { loadWorld, mentionedPaths } from "../src/scene-model/scene-world.ts";

/** A game as files; `MAIN` is the scene that is edited. */
export const FILES: Readonly<Record<string, string>> = {
  "res://enemy.tscn": `[gd_scene format=3 uid="uid://enemy"]

[node name="Enemy" type="CharacterBody2D"]
position = Vector2(5, 5)

[node name="Sprite" type="Sprite2D" parent="."]

[node name="Hand" type="Node2D" parent="Sprite"]
`,
  "res://player.gd": `extends CharacterBody2D
signal died(why)
@export var speed: float = 3.0
@export var lives := 3
@export_range(0, 10) var power: int
@export var target: Node2D
func _on_hit(): pass
`,
  "res://icon.png": "",
  "res://icon.png.import": `[remap]\n\nimporter="texture"\ntype="CompressedTexture2D"\nuid="uid://icon"\n`,
  "res://boss.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1_x"]

[node name="Boss" instance=ExtResource("1_x")]
`,
};

export const MAIN = `[gd_scene load_steps=3 format=3 uid="uid://main"]

[ext_resource type="PackedScene" uid="uid://enemy" path="res://enemy.tscn" id="1_e"]

[sub_resource type="RectangleShape2D" id="RectangleShape2D_a"]
size = Vector2(10, 20)

; level of the first day
[node name="Main" type="Node2D"]

[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]
position = Vector2(3, 4)

[node name="Shape" type="CollisionShape2D" parent="Player"]
shape = SubResource("RectangleShape2D_a")

[node name="Pointer" type="RemoteTransform2D" parent="Player"]
remote_path = NodePath("../../World/Enemy")

[node name="World" type="Node2D" parent="."]

[node name="Enemy" parent="World" instance=ExtResource("1_e")]
position = Vector2(1, 1)

[node name="Sprite" parent="World/Enemy" index="0"]
visible = false

[connection signal="tree_entered" from="Player/Shape" to="World" method="_on_enter"]

[editable path="World/Enemy"]
`;

export async function edit(edits: SceneEdit[], text = MAIN) {
  const files: Readonly<Record<string, string>> = { ...FILES, "res://main.tscn": text };
  const parsed = SceneText.parse(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  const world = await loadWorld({ textOf: async (res) => files[res], exists: async (res) => res in files }, [
    "res://main.tscn",
    ...mentionedPaths(edits as never),
  ]);
  let seed = 0;
  const random = () => (seed = (seed + 0.137) % 1);
  return finish(editingScene("res://main.tscn", parsed.value, edits, world, random));
}

/** The lines that went and came. */
export async function difference(edits: SceneEdit[], text = MAIN): Promise<string[]> {
  const outcome = await edit(edits, text);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  const before = text.split("\n");
  const after = outcome.value.scene.write().split("\n");
  const gone = [...before];
  const come: string[] = [];
  for (const line of after) {
    const at = gone.indexOf(line);
    if (at === -1) come.push(`+${line}`);
    else gone.splice(at, 1);
  }
  return [...gone.map((line) => `-${line}`), ...come].filter((line) => line.length > 1);
}
