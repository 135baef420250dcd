import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const PROJECT = `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`;

const GUN = `[gd_scene format=3]

[node name="Gun" type="Node2D"]
position = Vector2(5, 5)

[node name="Barrel" type="Node2D" parent="."]
rotation = 0.5
`;

/** Written by hand: all that Godot drops or writes otherwise when it saves. */
const BY_HAND = `[gd_scene load_steps=4 format=3]

[ext_resource type="PackedScene" path="res://gun.tscn" id="1"]
[ext_resource type="Script" path="res://hero.gd" id="2"]

[sub_resource type="RectangleShape2D" id="3"]
size = Vector2(20, 20)

[node name="Level" type="Node2D"]
rotation = 0.0

[node name="Gun" parent="." instance=ExtResource("1")]
position = Vector2(5, 5)

[node name="Barrel" parent="Gun" index="0"]
rotation = 0.5

[node name="Hero" type="Area2D" parent="." groups=["zeta", "alpha"]]
position = Vector2(0.30000001, 123456.789)
script = ExtResource("2")
hp = 10
reach = Vector2(3, 3)

[node name="Shape" type="CollisionShape2D" parent="Hero"]
shape = SubResource("3")

[node name="Box" type="VBoxContainer" parent="."]

[node name="Start" type="Button" parent="Box"]
offset_right = 99.0
offset_bottom = 7.0
text = "Start"

[node name="Anim" type="AnimationPlayer" parent="."]

[node name="Edited" type="Node2D" parent="."]

[connection signal="pressed" from="Box/Start" to="Hero" method="on_hit" flags=2]

[editable path="Gun"]
`;

const FILES: Readonly<Record<string, string>> = {
  "project.godot": PROJECT,
  "gun.tscn": GUN,
  "hero.gd":
    "extends Area2D\n@export var hp := 10\n@export var reach := Vector2.ONE * 3\n\nfunc on_hit() -> void:\n\tpass\n",
  "by_hand.tscn": BY_HAND,
  "old_export.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="2"]

[node name="Hero" type="Area2D"]
script = ExtResource("2")
speed_of_old = 7

[node name="Edited" type="Node2D" parent="."]
`,
  "lacking.tscn": `[gd_scene format=3]

[ext_resource type="Texture2D" path="res://gone.png" id="1"]
[ext_resource type="Script" path="res://gone.gd" id="2"]

[node name="Lacking" type="Node2D"]
script = ExtResource("2")
hp = 5

[node name="Edited" type="Sprite2D" parent="."]
texture = ExtResource("1")
`,
  "around.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://lacking.tscn" id="1"]

[node name="Around" type="Node2D"]

[node name="Lacking" parent="." instance=ExtResource("1")]

[node name="Edited" type="Node2D" parent="."]
`,
  "unknown_class.tscn": `[gd_scene format=3]

[node name="Root" type="Node2D"]

[node name="Edited" type="NodeOfTomorrow" parent="."]
glow = 3.5
`,
};

/** The lines that say something. */
const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe.skipIf(realGodot === undefined)("an edit loses nothing", () => {
  const open = (files = FILES) => {
    const server = openTestServer({ files, flags: { godot: realGodot ?? "" } });
    const set = (scene: string, mode?: string) =>
      server.call("godot_inspector", {
        action: "set_property",
        scene: `res://${scene}`,
        node: "Edited",
        property: "z_index",
        value: 7,
        ...(mode !== undefined && { mode }),
      });
    return { ...server, set };
  };

  test("what Godot only writes otherwise does not stop it, and is listed", async () => {
    const { set, read } = open();
    const answer = await set("by_hand.tscn");
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(answer.warnings?.join()).toContain("position of Gun");
    expect(answer.warnings?.join()).not.toContain("anew");
    const saved = read("by_hand.tscn");
    expect(saved).toContain("z_index = 7");
    for (const kept of ['text = "Start"', "res://gun.tscn", "res://hero.gd", '[editable path="Gun"]'])
      expect(saved).toContain(kept);
    expect(await set("by_hand.tscn")).toMatchObject({ ok: true });
  }, 120_000);

  test.each([
    ["a property that its script no longer has", "old_export.tscn", "speed_of_old"],
    ["a missing texture and a missing script", "lacking.tscn", "res://gone.png"],
    ["a part with missing files", "around.tscn", "res://gone.gd"],
    ["a class that this Godot does not know", "unknown_class.tscn", "NodeOfTomorrow"],
  ])(
    "a scene with %s is edited as text, and the answer says why",
    async (_, scene, why) => {
      const { call, set, read } = open();
      const before = lines(FILES[scene] ?? "");
      const answer = await set(scene);
      expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "files" } });
      expect(answer.warnings?.join()).toContain(why);
      expect(lines(read(scene)).filter((line) => !before.includes(line))).toEqual(["z_index = 7"]);
      expect(before.filter((line) => !lines(read(scene)).includes(line))).toEqual([]);
      const tree = await call("godot_inspector", { action: "scene_tree.get", scene: `res://${scene}` });
      expect(tree).toMatchObject({ ok: true });
      // Engine mode is refused the same way, every time.
      for (const _again of [1, 2]) {
        const refused = await set(scene, "engine");
        expect(refused).toMatchObject({ ok: false, error: { code: "E_UNSUPPORTED" } });
        expect(refused.error?.suggestedFix).toContain("mode files");
      }
    },
    120_000,
  );

  test("a subtree that is renamed, moved, put elsewhere or copied keeps what this Godot does not know", async () => {
    const scene = `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://gun.tscn" id="2"]

[node name="Level" type="Node2D"]

[node name="Place" type="Node2D" parent="."]

[node name="Squad" type="Node2D" parent="."]
speed_of_old = 6

[node name="Hero" type="Area2D" parent="Squad"]
script = ExtResource("1")
speed_of_old = 7
hp = 3

[node name="Gun" parent="Squad/Hero" instance=ExtResource("2")]
position = Vector2(8, 9)
`;
    const kept = ["speed_of_old = 6", "speed_of_old = 7", "hp = 3", "position = Vector2(8, 9)"];
    const { call, read, write } = open({ ...FILES, "squad.tscn": scene });
    const edits = [
      { kind: "rename", node: "Squad", name: "Team" },
      { kind: "reparent", node: "Squad", parent: "Place" },
      { kind: "reparent", node: "Squad/Hero", parent: "Place" },
      { kind: "move", node: "Squad", index: 0 },
      { kind: "duplicate", node: "Squad", name: "Team" },
      { kind: "duplicate", node: "Squad/Hero/Gun", name: "Second" },
    ];
    for (const edit of edits) {
      write("squad.tscn", scene);
      const before = lines(scene);
      const answer = await call("godot_batch", { scene: "res://squad.tscn", edits: [edit] });
      expect(answer, JSON.stringify([edit, answer.error])).toMatchObject({ ok: true });
      const after = lines(read("squad.tscn"));
      const times = (list: string[], line: string) => list.filter((one) => one === line).length;
      const lost = kept.filter((line) => times(after, line) < times(before, line));
      expect([edit.kind, edit.node, ...lost]).toEqual([edit.kind, edit.node]);
      if (edit.kind === "duplicate" && edit.node === "Squad")
        expect(kept.filter((line) => times(after, line) < 2)).toEqual([]);
    }
  }, 120_000);

  test("a resource that Godot writes otherwise is edited, and what it would lose stays", async () => {
    const resource = `[gd_resource type="Resource" script_class="Stats" load_steps=3 format=3]

[ext_resource type="Script" path="res://stats.gd" id="1"]

[sub_resource type="RectangleShape2D" id="2"]
size = Vector2(20, 20)

[resource]
script = ExtResource("1")
hp = 10
reach = Vector2(0.30000001, 1e3)
shape = SubResource("2")
`;
    const { call, read, write } = open({
      ...FILES,
      "stats.gd":
        "class_name Stats\nextends Resource\n@export var hp := 10\n@export var mana := 1\n@export var reach := Vector2.ZERO\n@export var shape: Shape2D\n",
      "stats.tres": resource,
      "old.tres": resource.replace("hp = 10", "hp = 10\nstat_of_old = 4"),
    });
    const set = (path: string) =>
      call("godot_asset", { action: "resource.edit", path: `res://${path}`, properties: { mana: 7 } });
    const answer = await set("stats.tres");
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(answer.warnings?.join()).toContain("hp");
    expect(read("stats.tres")).toContain("mana = 7");
    for (const _again of [1, 2]) {
      const before = lines(read("old.tres"));
      const kept = await set("old.tres");
      expect(kept, JSON.stringify(kept.error)).toMatchObject({ ok: true, execution: { mode: "files" } });
      expect(kept.warnings?.join()).toContain("stat_of_old");
      expect(before.filter((line) => !lines(read("old.tres")).includes(line))).toEqual([]);
      write("old.tres", read("old.tres").replace("mana = 7\n", ""));
    }
  }, 120_000);

  test("a project of a newer Godot is edited as text, with one warning", async () => {
    const newer = { ...FILES, "project.godot": PROJECT.replace('"4.6"', '"4.99", "C#", "Forward Plus"') };
    const { call, set, read } = open(newer);
    const warned = [expect.stringContaining("4.99")];
    expect(await call("godot_workspace", { action: "status" })).toMatchObject({
      result: { modes: ["files"] },
      warnings: warned,
    });
    const report = await call("godot_workspace", { action: "doctor_report" });
    expect(JSON.stringify(report.result)).toContain("4.99");
    expect(await set("by_hand.tscn")).toMatchObject({
      ok: true,
      execution: { mode: "files" },
      warnings: warned,
    });
    expect(lines(read("by_hand.tscn")).filter((line) => !lines(BY_HAND).includes(line))).toEqual([
      "z_index = 7",
    ]);
    const setting = { action: "project_setting.set", settings: { "application/config/name": "Other" } };
    expect(await call("godot_project", setting)).toMatchObject({ ok: true, execution: { mode: "files" } });
    expect(read("project.godot")).toBe(newer["project.godot"].replace('"Game"', '"Other"'));
  }, 120_000);
});
