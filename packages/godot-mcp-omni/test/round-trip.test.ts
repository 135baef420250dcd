import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument, writeDocument } from "../src/formats/document.ts";
import { SceneText } from "../src/formats/scene-text.ts";
import { SettingsText } from "../src/formats/settings-text.ts";
import { parseVariant, writeVariant } from "../src/formats/variant.ts";
import { anySceneText } from "./any-scene.ts";
import { makeProject } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";

function scene(text: string): SceneText {
  const parsed = SceneText.parse(text);
  if (!parsed.ok) throw new Error(`${parsed.failure.message}\n${text}`);
  return parsed.value;
}

describe("500 generated scenes", () => {
  it("are written byte for byte as they were read", () => {
    fc.assert(
      fc.property(anySceneText, (text) => {
        expect(scene(text).write()).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("keep every line but those of the edit", () => {
    fc.assert(
      fc.property(anySceneText, fc.nat(), (text, at) => {
        const changed = scene(text);
        const nodes = changed.tagged("node");
        const block = nodes[at % nodes.length];
        if (block === undefined) throw new Error("no node");
        changed.set(block, "added_here", "1");
        const before = text.split(/\r?\n/);
        const after = changed.write().split(/\r?\n/);
        for (const line of before) expect(after).toContain(line);
        expect(after.filter((line) => line === "added_here = 1")).toHaveLength(1);
        changed.unset(block, "added_here");
        expect(changed.write().trimEnd()).toBe(text.trimEnd());
      }),
      { numRuns: 500 },
    );
  });
});

describe.skipIf(realGodot === undefined)("what Godot itself saved", () => {
  it("is written as it was read, and every value in it is understood", () => {
    const project = makeProject({ "save.gd": SAVE });
    const run = spawnSync(
      realGodot ?? "",
      ["--headless", "--path", project.folder, "--script", "res://save.gd"],
      {
        encoding: "utf8",
        timeout: 60_000,
        env: { ...project.env, HOME: project.home, GODOT_MCP_BRIDGE: "off" } as NodeJS.ProcessEnv,
      },
    );
    const saved = readdirSync(project.folder).filter((name) => /\.(?:tscn|tres)$/.test(name));
    expect(saved.length, run.stderr).toBeGreaterThanOrEqual(4);
    for (const name of saved) {
      const text = readFileSync(path.join(project.folder, name), "utf8");
      expect(scene(text).write()).toBe(text);
      const document = parseDocument(text, "fields");
      if (!document.ok) throw new Error(document.failure.message);
      expect(writeDocument(document.value)).toBe(text);
      for (const part of document.value.parts) {
        const values = part.kind === "heading" ? part.fields : part.kind === "assignment" ? [part] : [];
        for (const { value } of values) {
          const parsed = parseVariant(value);
          expect(parsed.ok && writeVariant(parsed.value), value).toBe(value);
        }
      }
    }
    const settings = readFileSync(path.join(project.folder, "project.godot"), "utf8");
    const parsed = SettingsText.parse(settings);
    expect(parsed.ok && parsed.value.write()).toBe(settings);
  }, 90_000);
});

/** Saves scenes with everything the text format has words for. */
const SAVE = `extends SceneTree

func _initialize() -> void:
	var base := Node2D.new()
	base.name = "Base"
	var sprite := Sprite2D.new()
	sprite.name = "Sprite"
	sprite.position = Vector2(1, 2.5)
	_add(base, base, sprite)
	_save(base, "res://base.tscn")
	var root := Node3D.new()
	root.name = "Root"
	var odd := Node.new()
	odd.name = "Odd"
	odd.unique_name_in_owner = true
	odd.add_to_group("with space", true)
	odd.set_meta("all", {
		"k": [1, 2.5, true, null, &"name", NodePath("A/B:c"), INF, -INF, Vector4(1, 2, 3, 4)],
		Vector2i(1, 2): Color(0.1, 0.2, 0.3), 5: Rect2(1, 2, 3, 4), "plane": Plane(1, 0, 0, 2),
		"quat": Quaternion(0, 0, 0, 1), "aabb": AABB(Vector3.ZERO, Vector3.ONE), "basis": Basis(),
		"bytes": PackedByteArray([1, 2, 255]), "ints": PackedInt32Array([1]), "longs": PackedInt64Array([1]),
		"floats": PackedFloat32Array([0.1]), "doubles": PackedFloat64Array([0.1]), "texts": PackedStringArray(["a\\"b", "c\\nd"]),
		"points": PackedVector2Array([Vector2.ONE]), "colors": PackedColorArray([Color.RED]),
		"typed": Array([1, 2], TYPE_INT, &"", null), "text": "two\\nlines ; [x] \\\\ \\"q\\" é 漢 😀",
	})
	_add(root, root, odd)
	var body := StaticBody3D.new()
	body.name = "Body"
	body.transform = Transform3D(Basis.from_euler(Vector3(0.1, 0.2, 0.3)), Vector3(1, 2, 3))
	_add(root, root, body)
	var shape := CollisionShape3D.new()
	shape.name = "Shape"
	shape.shape = BoxShape3D.new()
	_add(root, body, shape)
	var copy: Node = load("res://base.tscn").instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	copy.name = "Copy"
	_add(root, root, copy)
	root.set_editable_instance(copy, true)
	copy.get_node("Sprite").position = Vector2(7, 7)
	var timer := Timer.new()
	timer.name = "Timer"
	_add(root, copy.get_node("Sprite"), timer)
	timer.timeout.connect(Callable(odd, "queue_free").bind(1, "x").unbind(1), CONNECT_PERSIST | CONNECT_DEFERRED)
	var player := AnimationPlayer.new()
	player.name = "Player"
	var animation := Animation.new()
	animation.add_track(Animation.TYPE_VALUE)
	animation.track_set_path(0, NodePath("Body:position"))
	animation.track_insert_key(0, 0.0, Vector3.ZERO)
	var library := AnimationLibrary.new()
	library.add_animation("go", animation)
	player.add_animation_library("", library)
	_add(root, root, player)
	_save(root, "res://big.tscn")
	var material := StandardMaterial3D.new()
	material.albedo_color = Color(1, 0, 0)
	ResourceSaver.save(material, "res://material.tres")
	var theme := Theme.new()
	theme.set_color("font_color", "Label", Color.RED)
	ResourceSaver.save(theme, "res://theme.tres")
	var event := InputEventKey.new()
	event.physical_keycode = KEY_A
	ProjectSettings.set_setting("input/left", {"deadzone": 0.5, "events": [event]})
	ProjectSettings.save()
	quit()

func _add(root: Node, parent: Node, node: Node) -> void:
	parent.add_child(node)
	node.owner = root

func _save(root: Node, path: String) -> void:
	var packed := PackedScene.new()
	packed.pack(root)
	ResourceSaver.save(packed, path)
`;
