import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "./server-project.ts";

const head = `[gd_scene format=3]

[sub_resource type="RectangleShape2D" id="box"]
size = Vector2(40, 20)

[sub_resource type="CircleShape2D" id="ball"]

[sub_resource type="BoxShape3D" id="cube"]

[node name="Level" type="Node2D"]
`;

async function problems(nodes: string, files: Readonly<Record<string, string>> = {}) {
  const server = openTestServer({ files: { ...GAME, "level.tscn": `${head}\n${nodes}`, ...files } });
  const answer = await server.call("godot_understand", { action: "spatial", scene: "res://level.tscn" });
  expect(server.bugs).toEqual([]);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The output schema is checked in every call.
  return (answer.result as { problems: JsonObject[] }).problems.map(
    ({ kind, node, with: other }) => `${kind} ${node}${other === undefined ? "" : ` ${other}`}`,
  );
}

const body = (name: string, more = "", type = "StaticBody2D") =>
  `[node name="${name}" type="${type}" parent="."]\n${more}\n[node name="Shape" type="CollisionShape2D" parent="${name}"]\n`;

describe("collision shapes", () => {
  it("that are missing, empty, of another kind, misplaced, stretched or switched off are found", async () => {
    expect(
      await problems(
        [
          '[node name="Bare" type="Area2D" parent="."]\n',
          body("Empty"),
          `${body("Solid")}shape = SubResource("cube")\n`,
          '[node name="Lost" type="CollisionShape2D" parent="."]\nshape = SubResource("box")\n',
          `${body("Wide", "position = Vector2(500, 0)")}scale = Vector2(2, 1)\nshape = SubResource("box")\n`,
          `${body("Off", "position = Vector2(700, 0)")}disabled = true\nshape = SubResource("box")\n`,
          `${body("Deaf", "position = Vector2(900, 0)\ncollision_layer = 0\ncollision_mask = 0")}shape = SubResource("box")\n`,
        ].join("\n"),
      ),
    ).toEqual([
      "collision Bare",
      "collision Empty/Shape",
      "collision Solid/Shape",
      "collision Lost",
      "collision Wide/Shape",
      "collision Off",
      "collision Deaf",
    ]);
  });

  it("of a body whose script may make them, or that come with an instance, are not missed", async () => {
    const script =
      '[ext_resource type="Script" path="res://body.gd" id="1"]\n[ext_resource type="PackedScene" path="res://foe.tscn" id="2"]\n';
    const nodes = `[node name="Made" type="Area2D" parent="."]\nscript = ExtResource("1")\n\n[node name="Foe" parent="." instance=ExtResource("2")]\n`;
    expect(
      await problems(nodes, {
        "level.tscn": `[gd_scene format=3]\n\n${script}\n[node name="Level" type="Node2D"]\n\n${nodes}`,
        "body.gd": "extends Area2D\n",
        "foe.tscn": `${head.replace('"Level" type="Node2D"', '"Foe" type="Area2D"')}\n[node name="S" type="CollisionShape2D" parent="."]\nshape = SubResource("box")\n`,
      }),
    ).toEqual([]);
  });
});

describe("overlaps", () => {
  it("of bodies are found through rotation and scale of their parents, and touching is none", async () => {
    const nodes = [
      `${body("A")}shape = SubResource("box")\n`,
      `${body("Beside", "position = Vector2(40, 0)")}shape = SubResource("box")\n`,
      `${body("Over", "position = Vector2(0, 25)\nrotation = 1.5707964")}shape = SubResource("box")\n`,
      `${body("Ball", "position = Vector2(200, 0)\nscale = Vector2(3, 3)")}shape = SubResource("ball")\n`,
      `${body("Near", "position = Vector2(245, 0)")}shape = SubResource("box")\n`,
    ].join("\n");
    expect(await problems(nodes)).toEqual(["overlap A Over", "overlap Ball Near"]);
  });

  it("of controls that are pressed are found, by anchors and offsets, but not in a container", async () => {
    const button = (name: string, parent: string, more: string) =>
      `[node name="${name}" type="Button" parent="${parent}"]\n${more}\n`;
    const nodes = [
      '[node name="Ui" type="CanvasLayer" parent="."]\n',
      button("One", "Ui", "offset_right = 100.0\noffset_bottom = 40.0"),
      button(
        "Two",
        "Ui",
        "offset_left = 50.0\noffset_top = 10.0\noffset_right = 150.0\noffset_bottom = 50.0",
      ),
      '[node name="Box" type="VBoxContainer" parent="Ui"]\noffset_left = 300.0\noffset_right = 400.0\noffset_bottom = 100.0\n',
      button("Three", "Ui/Box", ""),
      button("Four", "Ui/Box", ""),
    ].join("\n");
    expect(await problems(nodes)).toEqual(["overlap Ui/One Ui/Two"]);
  });
});

describe("nodes off the screen", () => {
  const nodes = `[node name="Far" type="Sprite2D" parent="."]
position = Vector2(5000, 0)
texture = SubResource("box")

[node name="Away" type="Button" parent="."]

[node name="Ui" type="CanvasLayer" parent="."]

[node name="Right" type="Button" parent="Ui"]
anchor_left = 1.0
anchor_right = 1.0
offset_left = 20.0
offset_right = 90.0
offset_bottom = 30.0

[node name="Corner" type="Button" parent="Ui"]
anchor_left = 1.0
anchor_right = 1.0
offset_left = -90.0
offset_right = -20.0
offset_bottom = 30.0
`;

  it("are found by the size of the window, unless a camera may show them", async () => {
    expect(await problems(nodes)).toEqual(["off_screen Far", "off_screen Ui/Right"]);
    expect(await problems(`${nodes}\n[node name="Eye" type="Camera2D" parent="."]\n`)).toEqual([
      "off_screen Ui/Right",
    ]);
    const wide = `${GAME["project.godot"]}\n[display]\n\nwindow/size/viewport_width=6000\n`;
    expect(await problems(nodes, { "project.godot": wide })).toEqual(["off_screen Ui/Right"]);
  });
});

describe("nodes without a purpose", () => {
  it("are empty ones and those with nothing to show, unless something names them", async () => {
    const script = '[ext_resource type="Script" path="res://level.gd" id="1"]\n';
    const nodes = `[node name="Nothing" type="Node" parent="."]

[node name="Spawn" type="Marker2D" parent="."]

[node name="Holder" type="Node2D" parent="."]

[node name="Grouped" type="Node2D" parent="." groups=["a"]]

[node name="Blank" type="Sprite2D" parent="."]

[node name="Set" type="Sprite2D" parent="."]

[node name="Watched" type="Node" parent="."]

[connection signal="tree_exited" from="Watched" to="." method="queue_free"]
`;
    expect(
      await problems("", {
        "level.tscn": `[gd_scene format=3]\n\n${script}\n[node name="Level" type="Node2D"]\nscript = ExtResource("1")\n\n${nodes}`,
        "level.gd":
          "extends Node2D\n\nfunc _ready() -> void:\n\t$Holder.add_child(Node.new())\n\t$Set.texture = null\n",
      }),
    ).toEqual(["no_purpose Nothing", "no_purpose Blank"]);
  });
});
