import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { gameProject } from "./game-project.ts";
import { pixels } from "./pixels.ts";
import { startStdioServer } from "./stdio-server.ts";

const ROOM = `[gd_scene format=3]

[sub_resource type="BoxMesh" id="box"]
size = Vector3(4, 1, 2)

[sub_resource type="StandardMaterial3D" id="red"]
albedo_color = Color(0.9, 0.1, 0.1, 1)

[sub_resource type="SphereMesh" id="ball"]

[node name="Room" type="Node3D"]

[node name="Table" type="MeshInstance3D" parent="."]
mesh = SubResource("box")

[node name="Ball" type="MeshInstance3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1.5, 1, 0.5)
mesh = SubResource("ball")
surface_material_override/0 = SubResource("red")
`;

const MENU = `[gd_scene format=3]

[node name="Menu" type="Control"]
layout_mode = 3
anchors_preset = 15
anchor_right = 1.0
anchor_bottom = 1.0

[node name="Play" type="Button" parent="."]
layout_mode = 1
anchors_preset = 8
anchor_left = 0.5
anchor_top = 0.5
anchor_right = 0.5
anchor_bottom = 0.5
offset_left = -100.0
offset_top = -30.0
offset_right = 100.0
offset_bottom = 30.0
text = "Play"
`;

const LEVEL = `[gd_scene format=3]

[ext_resource type="Script" path="res://loud.gd" id="1"]

[node name="Level" type="Node2D"]
script = ExtResource("1")

[node name="Hill" type="Polygon2D" parent="."]
color = Color(0, 1, 0, 1)
polygon = PackedVector2Array(0, 0, 300, 0, 300, 100, 0, 100)

[node name="Rock" type="Polygon2D" parent="."]
position = Vector2(500, 50)
color = Color(0, 0, 1, 1)
polygon = PackedVector2Array(0, 0, 50, 0, 50, 50, 0, 50)
`;

describe.skipIf(displayGodot === undefined)("a look without an editor", () => {
  test("shows 3D from four sides, UI at several sizes and 2D as a whole, and marks what changed", async () => {
    const { folder } = gameProject(displayGodot, {
      "room.tscn": ROOM,
      "menu.tscn": MENU,
      "level.tscn": LEVEL,
      "loud.gd": 'extends Node2D\n\n\nfunc _ready() -> void:\n\tprint("ran")\n\t$Hill.queue_free()\n',
    });
    const { client } = await startStdioServer({
      root: folder,
      env: { GODOT_PATH: displayGodot ?? "" },
    });
    const look = async (args: object) => {
      const answer = await client.callTool(
        { name: "godot_scene", arguments: { action: "look", ...args } },
        { timeout: 120_000 },
      );
      const [text, picture] = answer.content as readonly { text?: string; data?: string }[];
      const png = Buffer.from(picture?.data ?? "", "base64");
      if (process.env.KEEP_LOOKS && picture)
        writeFileSync(
          path.join(process.env.KEEP_LOOKS, `${Object.values(args).join("-").replace(/\W+/g, "_")}.png`),
          png,
        );
      return { ...JSON.parse(text?.text ?? "{}"), png };
    };
    const room = await look({ scene: "res://room.tscn" });
    expect(room).toMatchObject({
      ok: true,
      result: {
        views: [
          { number: 1, view: "corner", size: [4, 2, 2] },
          { number: 2, view: "front" },
          { number: 3, view: "right" },
          { number: 4, view: "top" },
        ],
        nodes: [
          { node: "Table", type: "MeshInstance3D", size: [4, 1, 2], at: [0, 0, 0] },
          { node: "Ball", size: [1, 1, 1], at: [1.5, 1, 0.5] },
        ],
        width: 960,
        height: 720,
      },
    });
    const sheet = pixels(room.png);
    expect([sheet.width, sheet.height]).toEqual([960, 720]);
    // The red ball is in every picture.
    for (const [left, top] of [
      [0, 0],
      [480, 0],
      [0, 360],
      [480, 360],
    ] as const) {
      let red = 0;
      for (let y = 40; y < 360; y += 3)
        for (let x = 0; x < 480; x += 3) {
          const [r = 0, g = 0] = sheet.at(left + x, top + y);
          if (r > 120 && g < 80) red++;
        }
      expect(red, `${left} ${top}`).toBeGreaterThan(10);
    }

    const menu = await look({ scene: "res://menu.tscn", sizes: ["800x600", "400x800"] });
    expect(menu).toMatchObject({
      ok: true,
      result: {
        views: [{ view: "800×600" }, { view: "400×800" }],
        nodes: [{ node: "." }, { node: "Play", size: [200, 60], at: [300, 270] }],
      },
    });
    const level = await look({ scene: "res://level.tscn" });
    expect(level).toMatchObject({
      ok: true,
      result: {
        views: [{ view: "whole", size: [550, 100] }],
        // No script of the scene has run.
        nodes: [
          { node: "Hill", size: [300, 100] },
          { node: "Rock", size: [50, 50] },
        ],
      },
    });
    expect(level.result.changed).toBeUndefined();
    const file = path.join(folder, "level.tscn");
    writeFileSync(file, readFileSync(file, "utf8").replace("Vector2(500, 50)", "Vector2(400, 50)"));
    const moved = await look({ scene: "res://level.tscn" });
    expect(moved.result.changed).toBeGreaterThan(0.001);
    expect(await look({ scene: "res://level.tscn", node: "Roc" })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean Rock?" },
    });
  }, 240_000);
});
