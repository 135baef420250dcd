import { beforeAll, describe, expect, it } from "vitest";
import type { SceneEdit } from "../godot/scene-edit.ts";
import { type ClassTable, loadClassTable } from "./class-table.ts";
import { editScene } from "./edit-scene.ts";
import { SceneText } from "./scene-text.ts";
import { loadWorld, mentionedPaths } from "./scene-world.ts";

let classes: ClassTable;
beforeAll(async () => {
  classes = await loadClassTable();
});

const FILES: Readonly<Record<string, string>> = {
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

const MAIN = `[gd_scene load_steps=3 format=3 uid="uid://main"]

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

async function edit(edits: SceneEdit[], text = MAIN, more: Record<string, string> = {}) {
  const files = { ...FILES, ...more, "res://main.tscn": text };
  const parsed = SceneText.parse(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  const world = await loadWorld(
    classes,
    ["res://main.tscn", ...mentionedPaths(edits as never)],
    async (res) => files[res as keyof typeof files],
    async (res) => res in files,
  );
  let seed = 0;
  const random = () => (seed = (seed + 0.137) % 1);
  return editScene("res://main.tscn", parsed.value, edits, world, random);
}

/** The lines that went and came. */
async function difference(edits: SceneEdit[], text = MAIN): Promise<string[]> {
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

async function failure(edits: SceneEdit[]) {
  const outcome = await edit(edits);
  if (outcome.ok) throw new Error("It was not refused.");
  return outcome.failure;
}

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

  it("puts a node at an index", async () => {
    const outcome = await edit([{ kind: "add", type: "Node", name: "First", index: 0 }]);
    const text = outcome.ok ? outcome.value.scene.write() : "";
    expect(text.indexOf('"First"')).toBeLessThan(text.indexOf('"Player"'));
  });

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

  it("lets later edits of a batch use what earlier ones made", async () => {
    expect(
      await difference([
        { kind: "add", type: "Node2D", name: "A", as: "a" },
        { kind: "add", type: "Node2D", parent: "$a", name: "B" },
        { kind: "rename", node: "$a", name: "C" },
      ]),
    ).toEqual(['+[node name="C" type="Node2D" parent="."]', '+[node name="B" type="Node2D" parent="C"]']);
  });

  it("instances a scene", async () => {
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

  it("reparents with all descendants, where it was on the screen", async () => {
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

  it("duplicates with children and outgoing connections", async () => {
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

  it("duplicates an instance with what is changed inside it", async () => {
    expect(await difference([{ kind: "duplicate", node: "World/Enemy" }])).toEqual([
      '+[node name="Enemy2" parent="World" instance=ExtResource("1_e")]',
      "+position = Vector2(1, 1)",
      '+[node name="Sprite" parent="World/Enemy2" index="0"]',
      "+visible = false",
      '+[editable path="World/Enemy2"]',
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

  it("keeps the link of an inherited scene", async () => {
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

  it("takes a property back to its default by leaving it out", async () => {
    expect(
      await difference([{ kind: "set", node: "Player", properties: { position: { x: 0, y: 0 } } }]),
    ).toEqual(["-position = Vector2(3, 4)"]);
  });

  it("reaches into resources of the scene", async () => {
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

describe("an edit that is refused", () => {
  const refusals: [string, SceneEdit, string, string][] = [
    [
      "an unknown node",
      { kind: "remove", node: "Playr" },
      "E_NOT_FOUND",
      'There is no node "Playr" in res://main.tscn.',
    ],
    ["an unknown class", { kind: "add", type: "Sprit2D" }, "E_NOT_FOUND", 'no class "Sprit2D"'],
    ["an abstract class", { kind: "add", type: "CollisionObject2D" }, "E_SCHEMA_VALIDATION", "abstract"],
    ["a resource as node", { kind: "add", type: "BoxShape3D" }, "E_SCHEMA_VALIDATION", "is not a node"],
    [
      "an unknown property",
      { kind: "set", node: "Player", properties: { positon: { x: 1, y: 1 } } },
      "E_SCHEMA_VALIDATION",
      'has no property "positon"',
    ],
    [
      "a value of the wrong type",
      { kind: "set", node: "Player", properties: { position: "up" } },
      "E_SCHEMA_VALIDATION",
      "Vector2 is expected as {x, y}",
    ],
    [
      "an unknown choice",
      { kind: "set", node: "Player", properties: { process_mode: "Alwys" } },
      "E_SCHEMA_VALIDATION",
      "Did you mean Always?",
    ],
    [
      "a resource of the wrong class",
      { kind: "set", node: "Player/Shape", properties: { shape: { resource: "BoxShape3D" } } },
      "E_SCHEMA_VALIDATION",
      "A BoxShape3D is not a Shape2D",
    ],
    [
      "a file that is not there",
      { kind: "instance", source: "res://none.tscn" },
      "E_NOT_FOUND",
      "There is no file",
    ],
    [
      "a scene inside itself",
      { kind: "instance", source: "res://main.tscn" },
      "E_SCHEMA_VALIDATION",
      "cannot be put into it",
    ],
    [
      "a node inside itself",
      { kind: "reparent", node: "World", parent: "World/Enemy" },
      "E_SCHEMA_VALIDATION",
      "into itself",
    ],
    ["the root moved", { kind: "reparent", node: ".", parent: "World" }, "E_UNSUPPORTED", "root of a scene"],
    [
      "an inherited node removed",
      { kind: "remove", node: "World/Enemy/Sprite" },
      "E_UNSUPPORTED",
      "comes from res://enemy.tscn",
    ],
    ["a taken name", { kind: "rename", node: "World", name: "Player" }, "E_SCHEMA_VALIDATION", "already"],
    [
      "a name with a slash",
      { kind: "rename", node: "World", name: "a/b" },
      "E_SCHEMA_VALIDATION",
      "cannot be a node's name",
    ],
    ["an index too high", { kind: "move", node: "World", index: 9 }, "E_SCHEMA_VALIDATION", "from 0 to 1"],
    [
      "a path out of the scene",
      { kind: "remove", node: "../x" },
      "E_SCHEMA_VALIDATION",
      "leads out of the scene",
    ],
    [
      "an unknown signal",
      { kind: "connect", node: "Player", signal: "died", to: ".", method: "x" },
      "E_NOT_FOUND",
      'no signal "died"',
    ],
    [
      "an unknown connection",
      { kind: "disconnect", node: "Player", signal: "ready", to: ".", method: "x" },
      "E_NOT_FOUND",
      "is not connected",
    ],
    [
      "a script that does not fit",
      { kind: "script", node: "World", script: "res://player.gd" },
      "E_SCHEMA_VALIDATION",
      "extends CharacterBody2D",
    ],
    ["tiles elsewhere", { kind: "tiles", node: "World", cells: [] }, "E_SCHEMA_VALIDATION", "TileMapLayer"],
  ];
  it.each(refusals)("%s", async (_, edit, code, message) => {
    const told = await failure([edit]);
    expect(told.code).toBe(code);
    expect(told.message).toContain(message);
  });

  it("names the nearest", async () => {
    expect(await failure([{ kind: "remove", node: "Playr" }])).toMatchObject({
      suggestedFix: "Did you mean Player?",
    });
    expect(await failure([{ kind: "set", node: "Player", properties: { positon: 1 } }])).toMatchObject({
      suggestedFix: "Did you mean position?",
    });
  });

  it("refuses the whole batch for one edit", async () => {
    expect(
      await failure([
        { kind: "remove", node: "World" },
        { kind: "remove", node: "World" },
      ]),
    ).toMatchObject({ message: expect.stringContaining("Edit 2:"), details: { edit: 1 } });
  });
});
