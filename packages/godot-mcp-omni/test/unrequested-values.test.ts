import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

const MAIN = `[gd_scene format=3]

[ext_resource type="Script" path="res://follower.gd" id="1"]
[ext_resource type="Script" path="res://parent.gd" id="2"]

[sub_resource type="Animation" id="a"]
resource_name = "idle"

[sub_resource type="AnimationLibrary" id="l"]
_data = {
&"idle": SubResource("a")
}

[node name="Main" type="Node2D"]

[node name="Follower" type="Node2D" parent="."]
script = ExtResource("1")

[node name="Parent" type="Node2D" parent="."]
script = ExtResource("2")

[node name="Child" type="Node2D" parent="Parent"]

[node name="Panel" type="Control" parent="."]
`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "follower.gd": `@tool
extends Node2D

@export var lives := 3
@export var speed := 1.0:
	set(value):
		speed = value
		if is_inside_tree():
			lives = 9
			z_index = 4
			set_meta("seen", true)
`,
  "parent.gd": `@tool
extends Node2D

@export var count := 0


func _ready() -> void:
	for child: Node2D in get_children():
		child.draw.connect(func() -> void: pass)
	count = get_child_count()
`,
  "main.tscn": MAIN,
};

describe.skipIf(realGodot === undefined)("a value that nobody asked for", () => {
  test("at the edited node or its parent makes an edit fail in mode engine, and falls back to the files otherwise", {
    timeout: 120_000,
  }, async () => {
    const { call, read, write } = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const cases = [
      ["Follower", "speed", "lives of Follower was not set and is 9", "speed = 2"],
      ["Parent/Child", "rotation", "count of Parent was not set and is 1", "rotation = 2.0"],
    ] as const;
    for (const [node, property, surprise, line] of cases) {
      write("main.tscn", MAIN);
      const edit = { action: "set_property", scene, node, property, value: 2 };
      const refused = await call("godot_inspector", { ...edit, mode: "engine" });
      expect(refused.error, node).toMatchObject({
        code: "E_UNSUPPORTED",
        details: { surprises: expect.arrayContaining([surprise]), restored: true },
      });
      expect(read("main.tscn"), node).toBe(MAIN);
      const done = await call("godot_inspector", edit);
      expect(done, node).toMatchObject({
        ok: true,
        execution: { mode: "files" },
        warnings: [expect.stringContaining(surprise)],
        result: { difference: { changed: [{ node, what: property }] } },
      });
      const head = `[node name="${node.split("/").at(-1)}"`;
      const block = MAIN.split("\n\n").find((part) => part.startsWith(head)) ?? "";
      expect(read("main.tscn"), node).toBe(MAIN.replace(block.trimEnd(), `${block.trimEnd()}\n${line}`));
    }
  });

  test("is not one that a connection sets when the engine opens the scene", {
    timeout: 120_000,
  }, async () => {
    const connected = (text: string) =>
      `${text}\n[connection signal="tree_entered" from="." to="." method="hide"]\n`;
    const { call, read } = openTestServer({
      files: {
        ...FILES,
        "door.tscn": connected('[gd_scene format=3]\n\n[node name="Door" type="Node2D"]\n'),
        "gate.tscn": connected(
          '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://door.tscn" id="1"]\n\n[node name="Gate" instance=ExtResource("1")]\n',
        ),
      },
      flags: { godot: realGodot ?? "" },
    });
    for (const [scene, z] of [
      ["door.tscn", 1],
      ["gate.tscn", 3],
      ["door.tscn", 2],
      ["gate.tscn", 4],
    ] as const) {
      const answer = await call("godot_inspector", {
        ...{ action: "set_property", scene: `res://${scene}`, node: ".", property: "z_index", value: z },
      });
      expect(answer).toMatchObject({ ok: true, execution: { mode: "engine" } });
      expect(answer.warnings ?? []).toEqual([]);
      expect(read(scene)).toContain(`z_index = ${z}\n`);
      expect(read(scene)).not.toContain("visible");
    }
  });

  test("is not one that the engine sets along with the named one", { timeout: 120_000 }, async () => {
    const { call } = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const edit = { action: "set_property", scene, mode: "engine", node: "Panel" };
    // The script of Parent is in the scene too, so it must agree with the file.
    await call("godot_inspector", {
      ...edit,
      mode: "files",
      node: "Parent",
      property: "count",
      value: 1,
    });
    expect(
      await call("godot_inspector", { ...edit, property: "anchors_preset", value: "full_rect" }),
    ).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(
      await call("godot_inspector", { ...edit, node: "Follower", property: "rotation_degrees", value: 90 }),
    ).toMatchObject({ ok: true, execution: { mode: "engine" } });
  });

  test("is not an animation library in the spelling of this Godot", { timeout: 120_000 }, async () => {
    const files = {
      ...FILES,
      "main.tscn": `${MAIN.replace('[node name="Parent" type="Node2D" parent="."]\nscript = ExtResource("2")', '[node name="Parent" type="Node2D" parent="."]')}
[node name="Anim" type="AnimationPlayer" parent="."]
libraries = {
"": SubResource("l")
}
`,
    };
    const { call, read } = openTestServer({ files, flags: { godot: realGodot ?? "" } });
    const edit = { action: "set_property", scene, mode: "engine" };
    const moved = await call("godot_inspector", {
      ...edit,
      node: "Panel",
      property: "position",
      value: [1, 2],
    });
    expect(moved).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(read("main.tscn")).toContain("libraries/ = SubResource(");
    expect(moved).not.toHaveProperty("warnings");
  });
});
