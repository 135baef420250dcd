import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { openTestServer } from "./server-project.ts";

const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

run/main_scene="res://gone.tscn"

[autoload]

Score="*res://no_score.gd"
Sound="*res://sound.gd"
`,
  "sound.gd": "extends Node\n",
  "hero.gd": `extends Node2D

@onready var sprite: Sprite2D = $Body/Sprite # $Body/Sprite
@onready var quoted := $"Body/Sprite"
@onready var bar = %Bar
var price := "$Body for 3"


func _ready() -> void:
	get_node("Body").hide()
	var rest := 7 %Bar.value
	print(%Bar.value, $Body2, rest, %Bar.max_value)
	%Bar/Fill.show()
	return %Bar
`,
  "body.gd":
    "extends Node2D\n\nfunc _ready() -> void:\n\t$Sprite.show()\n\t$\"../Other\".hide()\n\tget_node('../Other')\n",
  "hero.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="Script" path="res://body.gd" id="2"]

[node name="Hero" type="Node2D"]
script = ExtResource("1")

[node name="Body" type="Node2D" parent="."]
script = ExtResource("2")

[node name="Sprite" type="Sprite2D" parent="Body"]

[node name="Body2" type="Node2D" parent="."]

[node name="Other" type="Node2D" parent="."]

[node name="Bar" type="Range" parent="."]
unique_name_in_owner = true

[node name="Fill" type="Node" parent="Bar"]
`,
  "level.gd": "extends Node2D\n\nfunc _ready() -> void:\n\t$Player/Body/Sprite.show()\n",
  "level.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://level.gd" id="1"]
[ext_resource type="PackedScene" path="res://hero.tscn" id="2"]

[node name="Level" type="Node2D"]
script = ExtResource("1")

[node name="Player" parent="." instance=ExtResource("2")]
`,
  "tiles.tres": `[gd_resource type="TileSet" format=3]

[sub_resource type="TileSetAtlasSource" id="A"]
0:0/0 = 0
1:0/0 = 0

[resource]
sources/0 = SubResource("A")
`,
  "map.tscn": `[gd_scene format=3]

[ext_resource type="TileSet" path="res://tiles.tres" id="1"]

[node name="Map" type="TileMapLayer"]
tile_set = ExtResource("1")

[node name="Bare" type="TileMapLayer" parent="."]

[node name="Painted" type="TileMapLayer" parent="."]
tile_map_data = PackedByteArray(0, 0, 1, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0)
tile_set = ExtResource("1")
`,
};

const scene = "res://hero.tscn";

async function usedBy(edit: JsonObject) {
  const { call } = openTestServer({ files: FILES });
  const answer = await call("godot_batch", { scene, edits: [edit] });
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer;
}

describe("scripts that use a node which is renamed", () => {
  it("by its path are named with file and line, and with the line that would fix them", async () => {
    const answer = await usedBy({ kind: "rename", node: "Body", name: "Torso" });
    expect(answer.result).toMatchObject({
      usedBy: [
        {
          path: "res://hero.gd",
          line: 3,
          find: "@onready var sprite: Sprite2D = $Body/Sprite # $Body/Sprite",
          replace: "@onready var sprite: Sprite2D = $Torso/Sprite # $Body/Sprite",
        },
        { path: "res://hero.gd", line: 4, replace: '@onready var quoted := $"Torso/Sprite"' },
        { path: "res://hero.gd", line: 10, replace: '\tget_node("Torso").hide()' },
        { path: "res://level.gd", line: 4, replace: "\t$Player/Torso/Sprite.show()" },
      ],
    });
    expect(answer.warnings?.join("\n")).toContain("res://hero.gd:3");
    expect(answer.warnings?.join("\n")).toContain("file.edit");
  });

  it("by its unique name are named too, but not longer names that contain it", async () => {
    const { result } = await usedBy({ kind: "rename", node: "Bar", name: "Health" });
    expect(result).toMatchObject({
      usedBy: [
        { line: 5, replace: "@onready var bar = %Health" },
        { line: 12, replace: "\tprint(%Health.value, $Body2, rest, %Health.max_value)" },
        { line: 13, replace: "\t%Health/Fill.show()" },
        { line: 14, replace: "\treturn %Health" },
      ],
    });
  });

  it("from another node are found, and those of a name that needs quotes get them", async () => {
    const { result } = await usedBy({ kind: "rename", node: "Other", name: "The other" });
    expect(result).toMatchObject({
      usedBy: [
        { path: "res://body.gd", line: 5, replace: '\t$"../The other".hide()' },
        { path: "res://body.gd", line: 6, replace: "\tget_node('../The other')" },
      ],
    });
    const body = await usedBy({ kind: "rename", node: "Body", name: "The body" });
    expect(body.result).toMatchObject({
      usedBy: [{ replace: expect.stringContaining('= $"The body/Sprite" #') }, {}, {}, {}],
    });
  });

  it("are reported for a removed or moved node too", async () => {
    const moved = await usedBy({ kind: "reparent", node: "Body/Sprite", parent: "Other" });
    expect(moved.result).toMatchObject({
      usedBy: [
        { path: "res://body.gd", line: 4, replace: '\t$"../Other/Sprite".show()' },
        { path: "res://hero.gd", line: 3, replace: expect.stringContaining("= $Other/Sprite #") },
        { path: "res://hero.gd", line: 4 },
        { path: "res://level.gd", line: 4 },
      ],
    });
    const removed = await usedBy({ kind: "remove", node: "Body/Sprite" });
    expect(removed.result).toMatchObject({ usedBy: [{ line: 4 }, { line: 3 }, { line: 4 }, { line: 4 }] });
    expect(JSON.stringify(removed.result)).not.toContain("replace");
  });

  it("are fixed by the call that the answer offers", async () => {
    const { call, read } = openTestServer({ files: FILES });
    const { result } = await call("godot_scene", { action: "rename", scene, node: "Body", newName: "Torso" });
    // The shape is checked above.
    for (const { line: _, ...edit } of (result as { usedBy: JsonObject[] }).usedBy)
      expect(await call("godot_code", { action: "file.edit", ...edit })).toMatchObject({ ok: true });
    expect(read("hero.gd")).toBe(
      FILES["hero.gd"]
        ?.replace("= $Body/Sprite", "= $Torso/Sprite")
        .replace('$"Body/Sprite"', '$"Torso/Sprite"')
        .replace('get_node("Body")', 'get_node("Torso")'),
    );
  });

  it("are none if no script uses the node", async () => {
    expect((await usedBy({ kind: "rename", node: "Body2", name: "Body3" })).result).toMatchObject({
      usedBy: [{ line: 12 }],
    });
    const plain = await usedBy({ kind: "rename", node: "Bar/Fill", name: "Filling" });
    expect(plain.result).toMatchObject({ usedBy: [{ line: 13, replace: "\t%Bar/Filling.show()" }] });
    expect(
      (await usedBy({ kind: "set", node: "Other", properties: { visible: false } })).result,
    ).not.toHaveProperty("usedBy");
  });
});

describe("tiles of a source that is not there", () => {
  const paint = (node: string, cells: JsonObject[]) => ({
    scene: "res://map.tscn",
    edits: [{ kind: "tiles", node, cells }],
  });

  it("cause a warning when they are painted", async () => {
    const { call } = openTestServer({ files: FILES });
    const missing = await call(
      "godot_batch",
      paint(".", [
        { x: 0, y: 0, source: 3 },
        { x: 1, y: 0, source: 3 },
        { x: 2, y: 0, source: 0, atlas: { x: 1, y: 0 } },
      ]),
    );
    expect(missing).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/2 cells .*source 3.* has 0/)],
    });
    expect(
      await call("godot_batch", paint(".", [{ x: 0, y: 0, source: 0, atlas: { x: 7, y: 7 } }])),
    ).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/1 cell .*tile 7, 7/)],
    });
    expect(await call("godot_batch", paint("Bare", [{ x: 0, y: 0, source: 0 }]))).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("no TileSet")],
    });
  });

  it("are reported by a check of the scene", async () => {
    const { call } = openTestServer({ files: FILES });
    expect(await call("godot_diagnostics", { action: "scenes", paths: ["res://map.tscn"] })).toMatchObject({
      result: { problems: [{ severity: "warning", line: 10, message: expect.stringContaining("source 4") }] },
    });
  });
});

describe("an autoload or main scene on a missing file", () => {
  it("is found in a check and in the project overview", async () => {
    const { call } = openTestServer({ files: FILES });
    expect(await call("godot_diagnostics", { action: "scenes" })).toMatchObject({
      result: {
        problems: expect.arrayContaining([
          {
            path: "res://project.godot",
            line: 5,
            severity: "error",
            message: expect.stringContaining("res://gone.tscn"),
          },
          {
            path: "res://project.godot",
            line: 9,
            severity: "error",
            message: expect.stringContaining("res://no_score.gd"),
          },
        ]),
      },
    });
    expect(await call("godot_project", { action: "project_info.get" })).toMatchObject({
      warnings: [expect.stringContaining("res://gone.tscn"), expect.stringContaining("res://no_score.gd")],
    });
  });

  it("causes a warning when it is set", async () => {
    const { call } = openTestServer({ files: FILES });
    const set = (settings: JsonObject) => call("godot_project", { action: "project_setting.set", settings });
    expect(await set({ "application/run/main_scene": "res://nowhere.tscn" })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("res://nowhere.tscn")],
    });
    expect((await set({ "application/run/main_scene": "res://hero.tscn" })).warnings ?? []).toEqual([]);
  });
});
