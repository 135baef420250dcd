import { describe, expect, it } from "vitest";
import { difference, edit, FILES, MAIN } from "../../../test/scene-to-edit.ts";

describe("an edit of a scene's text", () => {
  it("adds a node and touches nothing else", async () => {
    const outcome = await edit([
      {
        kind: "add",
        type: "Sprite2D",
        parent: "Player",
        name: "Body",
        properties: { position: { x: 1, y: 2.5 } },
      },
    ]);
    expect(outcome.ok && outcome.value.scene.write()).toBe(
      MAIN.replace(
        '\n[node name="World"',
        '\n[node name="Body" type="Sprite2D" parent="Player"]\nposition = Vector2(1, 2.5)\n\n[node name="World"',
      ),
    );
    expect(outcome.ok && outcome.value.changes).toEqual([
      {
        kind: "add",
        node: "Player/Body",
        type: "Sprite2D",
        index: 2,
        properties: [{ name: "position", type: "Vector2", old: { x: 0, y: 0 }, new: { x: 1, y: 2.5 } }],
      },
    ]);
  });

  it("gives a taken name the next free one, and numbers nodes where the scene does", async () => {
    const numbered = MAIN.replace('name="Main" type="Node2D"', 'name="Main" type="Node2D" unique_id=7');
    expect(await difference([{ kind: "add", type: "Node2D", name: "World" }], numbered)).toEqual([
      expect.stringMatching(/^\+\[node name="World2" type="Node2D" parent="." unique_id=\d+\]$/),
    ]);
  });

  it("adds a node at the requested index", async () => {
    const outcome = await edit([{ kind: "add", type: "Node", name: "First", index: 0 }]);
    const text = outcome.ok ? outcome.value.scene.write() : "";
    expect(text.indexOf('"First"')).toBeLessThan(text.indexOf('"Player"'));
  });

  it("lets later edits of a batch use what earlier ones made", async () => {
    expect(
      await difference([
        { kind: "add", type: "Node2D", name: "A", as: "a" },
        { kind: "add", type: "Node2D", parent: "$a", name: "B" },
        { kind: "rename", node: "$a", name: "C" },
      ]),
    ).toEqual(['+[node name="C" type="Node2D" parent="."]', '+[node name="B" type="Node2D" parent="C"]']);
  });

  it("adds an instance of another scene", async () => {
    expect(await difference([{ kind: "instance", source: "res://enemy.tscn", parent: "World" }])).toEqual([
      '+[node name="Enemy2" parent="World" instance=ExtResource("1_e")]',
    ]);
  });

  it("removes a node with its children, its connections and resources nobody else uses", async () => {
    expect(await difference([{ kind: "remove", node: "Player" }])).toEqual([
      '-[gd_scene load_steps=3 format=3 uid="uid://main"]',
      '-[sub_resource type="RectangleShape2D" id="RectangleShape2D_a"]',
      "-size = Vector2(10, 20)",
      '-[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]',
      "-position = Vector2(3, 4)",
      '-[node name="Shape" type="CollisionShape2D" parent="Player"]',
      '-shape = SubResource("RectangleShape2D_a")',
      '-[node name="Pointer" type="RemoteTransform2D" parent="Player"]',
      '-remote_path = NodePath("../../World/Enemy")',
      '-[connection signal="tree_entered" from="Player/Shape" to="World" method="_on_enter"]',
      '+[gd_scene load_steps=2 format=3 uid="uid://main"]',
    ]);
  });

  it("renames a node everywhere it is named", async () => {
    expect(await difference([{ kind: "rename", node: "World", name: "Level" }])).toEqual([
      '-remote_path = NodePath("../../World/Enemy")',
      '-[node name="World" type="Node2D" parent="."]',
      '-[node name="Enemy" parent="World" instance=ExtResource("1_e")]',
      '-[node name="Sprite" parent="World/Enemy" index="0"]',
      '-[connection signal="tree_entered" from="Player/Shape" to="World" method="_on_enter"]',
      '-[editable path="World/Enemy"]',
      '+remote_path = NodePath("../../Level/Enemy")',
      '+[node name="Level" type="Node2D" parent="."]',
      '+[node name="Enemy" parent="Level" instance=ExtResource("1_e")]',
      '+[node name="Sprite" parent="Level/Enemy" index="0"]',
      '+[connection signal="tree_entered" from="Player/Shape" to="Level" method="_on_enter"]',
      '+[editable path="Level/Enemy"]',
    ]);
  });

  it("reparents a node with its descendants and keeps its place on the screen", async () => {
    const moved = MAIN.replace(
      '[node name="World" type="Node2D" parent="."]',
      '[node name="World" type="Node2D" parent="."]\nposition = Vector2(100, 0)\nrotation = 1.5707964\nscale = Vector2(2, 2)',
    );
    expect(await difference([{ kind: "reparent", node: "Player", parent: "World" }], moved)).toEqual([
      '-[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]',
      "-position = Vector2(3, 4)",
      '-[node name="Shape" type="CollisionShape2D" parent="Player"]',
      '-[node name="Pointer" type="RemoteTransform2D" parent="Player"]',
      '-remote_path = NodePath("../../World/Enemy")',
      '-[connection signal="tree_entered" from="Player/Shape" to="World" method="_on_enter"]',
      '+[node name="Player" type="CharacterBody2D" parent="World" groups=["heroes"]]',
      "+position = Vector2(2.000004, 48.5)",
      "+rotation = -1.570796",
      "+scale = Vector2(0.5, 0.5)",
      '+[node name="Shape" type="CollisionShape2D" parent="World/Player"]',
      '+[node name="Pointer" type="RemoteTransform2D" parent="World/Player"]',
      '+remote_path = NodePath("../../Enemy")',
      '+[connection signal="tree_entered" from="World/Player/Shape" to="World" method="_on_enter"]',
    ]);
  });

  it("duplicates a node with its children and outgoing connections", async () => {
    expect(await difference([{ kind: "duplicate", node: "Player", name: "Twin" }])).toEqual([
      '+[node name="Twin" type="CharacterBody2D" parent="." groups=["heroes"]]',
      "+position = Vector2(3, 4)",
      '+[node name="Shape" type="CollisionShape2D" parent="Twin"]',
      '+shape = SubResource("RectangleShape2D_a")',
      '+[node name="Pointer" type="RemoteTransform2D" parent="Twin"]',
      '+remote_path = NodePath("../../World/Enemy")',
      '+[connection signal="tree_entered" from="Twin/Shape" to="World" method="_on_enter"]',
    ]);
  });

  it("duplicates an instance with the changes inside it", async () => {
    expect(await difference([{ kind: "duplicate", node: "World/Enemy" }])).toEqual([
      '+[node name="Enemy2" parent="World" instance=ExtResource("1_e")]',
      "+position = Vector2(1, 1)",
      '+[node name="Sprite" parent="World/Enemy2" index="0"]',
      "+visible = false",
      '+[editable path="World/Enemy2"]',
    ]);
  });

  it("keeps the base of an inherited scene", async () => {
    const inherited = FILES["res://boss.tscn"] ?? "";
    const outcome = await edit(
      [
        { kind: "set", node: "Sprite", properties: { visible: false } },
        { kind: "add", type: "Node2D", name: "Crown" },
      ],
      inherited,
    );
    expect(outcome.ok && outcome.value.scene.write()).toBe(`${inherited}
[node name="Sprite" parent="." index="0"]
visible = false

[node name="Crown" type="Node2D" parent="." index="1"]
`);
  });

  it("keeps groups, unique names, signals and tiles", async () => {
    expect(
      await difference([
        { kind: "group", node: "Player", group: "alive", member: true },
        { kind: "group", node: "Player", group: "heroes", member: false },
        { kind: "unique_name", node: "Player", unique: true },
        {
          kind: "connect",
          node: "%Player",
          signal: "tree_exited",
          to: ".",
          method: "f",
          flags: ["deferred"],
          binds: [1],
        },
        {
          kind: "disconnect",
          node: "Player/Shape",
          signal: "tree_entered",
          to: "World",
          method: "_on_enter",
        },
        { kind: "add", type: "TileMapLayer", name: "Map" },
        {
          kind: "tiles",
          node: "Map",
          cells: [
            { x: -1, y: 2, source: 0, atlas: { x: 3, y: 0 } },
            { x: 0, y: 0, source: 1 },
          ],
        },
        { kind: "tiles", node: "Map", cells: [{ x: 0, y: 0 }] },
      ]),
    ).toEqual([
      '-[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]',
      '-[connection signal="tree_entered" from="Player/Shape" to="World" method="_on_enter"]',
      '+[node name="Player" type="CharacterBody2D" parent="." groups=["alive"]]',
      "+unique_name_in_owner = true",
      '+[node name="Map" type="TileMapLayer" parent="."]',
      '+tile_map_data = PackedByteArray("AAD//wIAAAADAAAAAAA=")',
      '+[connection signal="tree_exited" from="Player" to="." method="f" flags=3 binds= [1]]',
    ]);
  });

  it("moves a node among its siblings", async () => {
    const outcome = await edit([{ kind: "move", node: "World", index: 0 }]);
    const text = outcome.ok ? outcome.value.scene.write() : "";
    expect(text.indexOf('name="Enemy"')).toBeLessThan(text.indexOf('name="Player"'));
    const back = await edit([{ kind: "move", node: "World", index: 1 }], text);
    expect(back.ok && back.value.scene.write()).toBe(MAIN);
  });
});
