import { describe, expect, it } from "vitest";
import { NEWER_CLASSES } from "../src/godot/class-since.ts";
import { loadClassTable } from "../src/godot/class-table.ts";
import { openTestServer } from "./server-project.ts";

/** A scene as each version of Godot writes it. What is only in some versions is what the edits must neither add nor lose. */
const VERSIONS = {
  "4.2": `[gd_scene load_steps=3 format=3 uid="uid://b4xq2yfwkqc8d"]

[ext_resource type="Script" path="res://mover.gd" id="1_a"]

[sub_resource type="RectangleShape2D" id="RectangleShape2D_b"]
size = Vector2(20, 20)

[node name="Main" type="Node2D"]
script = ExtResource("1_a")

[node name="Map" type="TileMap" parent="."]
format = 2
layer_0/tile_data = PackedInt32Array(65536, 0, 0)

[node name="Body" type="StaticBody2D" parent="."]

[node name="Shape" type="CollisionShape2D" parent="Body"]
shape = SubResource("RectangleShape2D_b")

[node name="Player" type="AnimationPlayer" parent="."]
libraries = {
"": SubResource("AnimationLibrary_c")
}
`
    .replace(
      '[node name="Main"',
      '[sub_resource type="AnimationLibrary" id="AnimationLibrary_c"]\n_data = {}\n\n[node name="Main"',
    )
    .replace("load_steps=3", "load_steps=4"),
  "4.3": `[gd_scene load_steps=3 format=4 uid="uid://b4xq2yfwkqc8d"]

[ext_resource type="Script" path="res://mover.gd" id="1_a"]

[sub_resource type="TileSet" id="TileSet_b"]

[node name="Main" type="Node2D"]
script = ExtResource("1_a")

[node name="Map" type="TileMapLayer" parent="."]
tile_map_data = PackedByteArray("AAABAAIAAwABAAAAAQD///7/AwAAAAAAAFAsAQCAAwACAAAAAAABAAIAAwABAAAAAQABAAIAAwABAAAAAQABAAIAAwABAAAAAQA=")
tile_set = SubResource("TileSet_b")

[node name="Body" type="StaticBody2D" parent="."]
`,
  "4.4": `[gd_scene load_steps=2 format=3 uid="uid://b4xq2yfwkqc8d"]

[ext_resource type="Script" uid="uid://d1ck0a8h6m2v4" path="res://mover.gd" id="1_a"]

[node name="Main" type="Node2D"]
script = ExtResource("1_a")
metadata/names = Dictionary[String, int]({
"a": 1
})

[node name="Body" type="StaticBody2D" parent="."]
`,
  "4.5": `[gd_scene load_steps=2 format=3 uid="uid://b4xq2yfwkqc8d"]

[ext_resource type="Script" uid="uid://d1ck0a8h6m2v4" path="res://mover.gd" id="1_a"]

[node name="Main" type="Node2D"]
script = ExtResource("1_a")

[node name="Body" type="StaticBody2D" parent="."]
`,
  "4.6": `[gd_scene format=3 uid="uid://b4xq2yfwkqc8d"]

[ext_resource type="Script" uid="uid://d1ck0a8h6m2v4" path="res://mover.gd" id="1_a"]

[node name="Main" type="Node2D" unique_id=1184625903]
script = ExtResource("1_a")

[node name="Body" type="StaticBody2D" parent="." unique_id=77120394]

[node name="Player" type="AnimationPlayer" parent="." unique_id=20481024]
libraries/walk = SubResource("AnimationLibrary_c")
`.replace(
    '[node name="Main"',
    '[sub_resource type="AnimationLibrary" id="AnimationLibrary_c"]\n_data = {}\n\n[node name="Main"',
  ),
  "4.7": `[gd_scene format=3 uid="uid://b4xq2yfwkqc8d" newer=true]

[ext_resource type="Script" uid="uid://d1ck0a8h6m2v4" path="res://mover.gd" id="1_a"]

[node name="Main" type="Node2D" unique_id=1184625903 newer="yes"]
script = ExtResource("1_a")
property_of_4_7 = 3

[node name="Body" type="StaticBody2D" parent="." unique_id=77120394]

[node name="Fresh" type="NodeOf47" parent="." unique_id=9]
anything = Vector2(1, 2)
`,
} as const;

const files = (version: keyof typeof VERSIONS) => ({
  "project.godot": `config_version=5\n\n[application]\n\nconfig/name="Old"\nrun/main_scene="res://main.tscn"\nconfig/features=PackedStringArray("${version}", "Forward Plus")\n`,
  "mover.gd": "extends Node2D\n\n@export var speed := 3.0\n\n\nfunc hit() -> void:\n\tpass\n",
  "main.tscn": VERSIONS[version],
});

const versions = Object.keys(VERSIONS) as (keyof typeof VERSIONS)[];

describe.each(versions)("a project of Godot %s in files mode", (version) => {
  const before: string = VERSIONS[version];
  const open = () => {
    const server = openTestServer({ files: files(version) });
    const edit = (edits: object[]) =>
      server.call("godot_batch", { scene: "res://main.tscn", edits: edits as never });
    return { ...server, edit };
  };

  it("keeps every line that an edit does not mean, and undo gives back the bytes", async () => {
    const { edit, read, call, bugs } = open();
    expect(
      await edit([
        { kind: "update", node: ".", properties: { speed: 5, position: [4, 8] } },
        { kind: "create", type: "Area2D", name: "Zone", as: "zone" },
        {
          kind: "create",
          type: "CollisionShape2D",
          name: "Shape",
          parent: "$zone",
          properties: { shape: { resource: "CircleShape2D", properties: { radius: 9 } } },
        },
        { kind: "connect_signal", node: "$zone", signal: "area_entered", to: ".", method: "hit" },
      ]),
    ).toMatchObject({ ok: true, execution: { mode: "files" } });
    const after = read("main.tscn").split("\n");
    const heading = (text: string) => text.replace(/ load_steps=\d+/, "");
    for (const line of before.split("\n")) expect(after.map(heading)).toContain(heading(line));
    expect(after).toContain("speed = 5.0");
    expect(bugs).toEqual([]);
    expect(await call("godot_scene", { action: "undo", scene: "res://main.tscn" })).toMatchObject({
      ok: true,
    });
    expect(read("main.tscn")).toBe(before);
  });

  it("writes the counts and ids of that version only", async () => {
    const { edit, read } = open();
    await edit([
      {
        kind: "create",
        type: "CollisionShape2D",
        name: "Ball",
        parent: "Body",
        properties: { shape: { resource: "CircleShape2D" } },
      },
    ]);
    const after = read("main.tscn");
    const steps = (text: string) => Number(/load_steps=(\d+)/.exec(text)?.[1] ?? 0);
    expect(steps(after)).toBe(steps(before) === 0 ? 0 : steps(before) + 1);
    if (!before.includes("unique_id")) expect(after).not.toContain("unique_id");
    expect(after.match(/format=\d/)?.[0]).toBe(before.match(/format=\d/)?.[0]);
  });

  it("refuses a class that this version does not have", async () => {
    const { edit, read } = open();
    const answer = await edit([{ kind: "create", type: "TileMapLayer", name: "Tiles" }]);
    if (version !== "4.2") {
      expect(answer).toMatchObject({ ok: true });
      return;
    }
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        message: "TileMapLayer is in Godot 4.3 and later, and this project is of Godot 4.2.",
      },
    });
    expect(read("main.tscn")).toBe(before);
  });
});

it("knows only classes that Godot 4.6 has as newer ones", async () => {
  const classes = await loadClassTable();
  expect([...NEWER_CLASSES.keys()].filter((name) => !classes.has(name))).toEqual([]);
});
