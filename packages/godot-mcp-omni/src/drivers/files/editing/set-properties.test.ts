import { describe, expect, it } from "vitest";
import { difference, edit } from "../../../../test/scene-to-edit.ts";

describe("an edit of a node's properties", () => {
  it("makes resources inside the scene, and refers to files", async () => {
    expect(
      await difference([
        {
          kind: "add",
          type: "Sprite2D",
          name: "S",
          properties: {
            texture: "res://icon.png",
            material: { resource: "CanvasItemMaterial", properties: { blend_mode: "Add" } },
          },
        },
      ]),
    ).toEqual([
      '-[gd_scene load_steps=3 format=3 uid="uid://main"]',
      '+[gd_scene load_steps=5 format=3 uid="uid://main"]',
      expect.stringMatching(
        /^\+\[ext_resource type="Texture2D" uid="uid:\/\/icon" path="res:\/\/icon.png" id="2_\w{5}"\]$/,
      ),
      expect.stringMatching(/^\+\[sub_resource type="CanvasItemMaterial" id="CanvasItemMaterial_\w{5}"\]$/),
      "+blend_mode = 1",
      '+[node name="S" type="Sprite2D" parent="."]',
      expect.stringMatching(/^\+texture = ExtResource\("2_\w{5}"\)$/),
      expect.stringMatching(/^\+material = SubResource\("CanvasItemMaterial_\w{5}"\)$/),
    ]);
  });

  it("overrides a node of an instance, and knows what it was there", async () => {
    const outcome = await edit([
      { kind: "set", node: "World/Enemy/Sprite/Hand", properties: { "position:x": 9 } },
      { kind: "set", node: "World/Enemy", properties: { position: { x: 5, y: 5 } } },
    ]);
    expect(outcome.ok && outcome.value.changes.map((change) => change.properties)).toEqual([
      [{ name: "position:x", type: "float", old: 0, new: 9 }],
      [{ name: "position", type: "Vector2", old: { x: 1, y: 1 }, new: { x: 5, y: 5 } }],
    ]);
    expect(outcome.ok && outcome.value.scene.write()).toContain(
      '[node name="Hand" parent="World/Enemy/Sprite" index="0"]\nposition = Vector2(9, 0)\n',
    );
  });

  it("removes the line of a property that is set to its default", async () => {
    expect(
      await difference([{ kind: "set", node: "Player", properties: { position: { x: 0, y: 0 } } }]),
    ).toEqual(["-position = Vector2(3, 4)"]);
  });

  it("sets properties inside resources of the scene", async () => {
    expect(
      await difference([{ kind: "set", node: "Player/Shape", properties: { "shape:size": { x: 1, y: 2 } } }]),
    ).toEqual(["-size = Vector2(10, 20)", "+size = Vector2(1, 2)"]);
  });

  it("attaches a script and then knows its variables", async () => {
    expect(
      await difference([
        { kind: "script", node: "Player", script: "res://player.gd" },
        { kind: "set", node: "Player", properties: { speed: 4, lives: 5, target: { node: "World/Enemy" } } },
      ]),
    ).toEqual([
      '-[gd_scene load_steps=3 format=3 uid="uid://main"]',
      '-[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]',
      '+[gd_scene load_steps=4 format=3 uid="uid://main"]',
      expect.stringMatching(/^\+\[ext_resource type="Script" path="res:\/\/player.gd" id="2_\w{5}"\]$/),
      '+[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"] node_paths=PackedStringArray("target")]',
      expect.stringMatching(/^\+script = ExtResource\("2_\w{5}"\)$/),
      "+speed = 4.0",
      "+lives = 5",
      '+target = NodePath("../World/Enemy")',
    ]);
  });
});
