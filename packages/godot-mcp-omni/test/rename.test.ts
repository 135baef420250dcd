import { existsSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

run/main_scene="res://main.tscn"
run/main_loop_type="Enemy"

[autoload]

Score="*res://score.gd"
`,
  "score.gd": "extends Node\n\nfunc hit() -> void:\n\tpass\n",
  "enemies/enemy.gd": `class_name Enemy
extends Node2D
## An Enemy that can be hit.

signal died(by: Node)

enum Kind { Enemy, Boss }


func hit(by: Node = null) -> void:
	died.emit(by)
	emit_signal("died", by)
	call("hit")


func again() -> void:
	hit()
	self.hit()
	$Body/Sprite.show()
	print({ hit = 1 })
`,
  "enemies/boss.gd": `extends "enemy.gd"


func hit(by: Node = null) -> void:
	super.hit(by)
	print("hit", Kind.Enemy)
`,
  "enemies/enemy.tscn": `[gd_scene load_steps=2 format=3 uid="uid://cenemy"]

[ext_resource type="Script" path="res://enemies/enemy.gd" id="1"]

[node name="Enemy" type="Node2D"]
script = ExtResource("1")

[node name="Body" type="Node2D" parent="."]

[node name="Sprite" type="Sprite2D" parent="Body"]

[node name="Timer" type="Timer" parent="."]

[connection signal="timeout" from="Timer" to="." method="hit"]
`,
  "enemies/stats.tres": `[gd_resource type="Resource" script_class="Enemy" format=3]

[resource]
label = "Enemy"
`,
  "main.gd": `extends Node2D

const Scene := preload("res://enemies/enemy.tscn")
const Boss := preload("enemies/boss.gd")
const FOLDER := "res://enemies/"
@export var foe: Enemy
var other


func hit() -> void:
	foe.hit()
	other.hit()
	Score.hit()
	var enemy := Enemy.new()
	enemy.hit()
	enemy.died.connect(_on_died)
	$Foe/Body/Sprite.hide()
	get_node("Foe/" + FOLDER)
	find_child("Body")


func _on_died(_by: Node) -> void:
	pass
`,
  "main.tscn": `[gd_scene load_steps=3 format=3]

[ext_resource type="Script" path="res://main.gd" id="1"]
[ext_resource type="PackedScene" uid="uid://cenemy" path="res://enemies/enemy.tscn" id="2"]

[node name="Main" type="Node2D"]
script = ExtResource("1")
target = NodePath("Foe/Body/Sprite")

[node name="Foe" parent="." instance=ExtResource("2")]

[node name="Body" parent="Foe" index="0"]
visible = false

[node name="Hat" type="Sprite2D" parent="Foe/Body" index="1"]

[connection signal="died" from="Foe" to="." method="_on_died"]
[connection signal="tree_exited" from="Foe/Body" to="." method="hit"]

[editable path="Foe"]
`,
};

const open = () => openTestServer({ files: FILES, flags: { "allow-dangerous-ops": true } });

async function rename(server: TestServer, args: JsonObject) {
  const answer = await server.call("godot_understand", { action: "rename", ...args });
  expect(server.bugs).toEqual([]);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The output schema is checked in every call.
  const result = answer.result as unknown as {
    files: string[];
    changes: { path: string; line: number; before: string; after: string }[];
    uncertain: { path: string; line: number; text: string; why: string }[];
  };
  return {
    files: result.files,
    changes: result.changes.map(({ path, line, after }) => `${path.replace("res://", "")}:${line} ${after}`),
    uncertain: result.uncertain.map(({ path, line, why }) => `${path.replace("res://", "")}:${line} ${why}`),
  };
}

const all = (server: TestServer) =>
  Object.fromEntries(
    Object.keys(FILES).map((file) => [
      file,
      existsSync(path.join(server.root, file)) ? server.read(file) : null,
    ]),
  );

describe("a renamed class", () => {
  it("is renamed in scripts, resources and settings, and texts, comments and members of its name are not", async () => {
    const server = open();
    const { changes, uncertain } = await rename(server, { target: "class", name: "Enemy", to: "Foe" });
    expect(changes).toEqual([
      "main.gd:6 @export var foe: Foe",
      "main.gd:14 var enemy := Foe.new()",
      'project.godot:6 run/main_loop_type="Foe"',
      "enemies/enemy.gd:1 class_name Foe",
      'enemies/stats.tres:1 [gd_resource type="Resource" script_class="Foe" format=3]',
    ]);
    expect(uncertain).toEqual(
      expect.arrayContaining(["enemies/enemy.gd:3 a comment", "enemies/stats.tres:4 a text"]),
    );
    expect(server.read("enemies/boss.gd")).toContain("Kind.Enemy");
  });
});

describe("a renamed method", () => {
  const HIT = { target: "method", path: "res://enemies/enemy.gd", name: "hit", to: "hurt" };

  it("is renamed with overrides, typed uses and connections; another's method of that name is not", async () => {
    const server = open();
    const { changes, uncertain } = await rename(server, HIT);
    expect(changes).toEqual([
      "main.gd:11 foe.hurt()",
      "main.gd:15 enemy.hurt()",
      "enemies/boss.gd:4 func hurt(by: Node = null) -> void:",
      "enemies/boss.gd:5 super.hurt(by)",
      "enemies/enemy.gd:10 func hurt(by: Node = null) -> void:",
      "enemies/enemy.gd:17 hurt()",
      "enemies/enemy.gd:18 self.hurt()",
      'enemies/enemy.tscn:14 [connection signal="timeout" from="Timer" to="." method="hurt"]',
    ]);
    expect(uncertain).toEqual([
      "main.gd:12 what other is, is not known",
      "enemies/boss.gd:6 a text in print()",
      "enemies/enemy.gd:3 a comment",
      "enemies/enemy.gd:13 a text in call()",
      "enemies/enemy.gd:20 a text",
    ]);
    expect(server.read("score.gd")).toBe(FILES["score.gd"]);
    expect(server.read("main.tscn")).toBe(FILES["main.tscn"]);
  });

  it("is one step of undo", async () => {
    const server = open();
    await rename(server, HIT);
    expect(all(server)).not.toEqual(FILES);
    await server.call("godot_scene", { action: "undo" });
    expect(all(server)).toEqual(FILES);
  });

  it("is shown first without changing anything, and uncertain lines that are named follow", async () => {
    const server = open();
    const preview = await rename(server, { ...HIT, dryRun: true });
    expect(all(server)).toEqual(FILES);
    const done = await rename(server, { ...HIT, also: ["res://main.gd:12", "res://enemies/enemy.gd:13"] });
    expect(done.changes).toEqual(expect.arrayContaining(preview.changes));
    expect(server.read("main.gd")).toContain("other.hurt()");
    expect(server.read("enemies/enemy.gd")).toContain('call("hurt")');
  });

  it("that Godot calls, or to a name that is taken or not allowed, is refused", async () => {
    const server = openTestServer({
      files: { ...FILES, "ready.gd": "extends Node\nfunc _ready():\n\tpass\n" },
    });
    for (const args of [
      { ...HIT, path: "res://ready.gd", name: "_ready" },
      { ...HIT, to: "again" },
      { ...HIT, to: "not a name" },
      { ...HIT, to: "func" },
      { target: "method", name: "hit", to: "hurt" },
      { target: "class", name: "Enemy", to: "Node2D" },
    ])
      expect(
        await server.call("godot_understand", { action: "rename", ...args }),
        JSON.stringify(args),
      ).toMatchObject({
        ok: false,
        error: { code: "E_SCHEMA_VALIDATION" },
      });
    expect(all(server)).toEqual(FILES);
  });
});

it("a rename of much is shown in pages that together are all of it", async () => {
  const many = Array.from({ length: 400 }, (_, index) => [
    `users/user_with_a_long_name_${index}.gd`,
    "extends Enemy\n# An Enemy.\n",
  ]);
  const server = openTestServer({ files: { ...FILES, ...Object.fromEntries(many) } });
  const seen: unknown[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const args = { action: "rename", target: "class", name: "Enemy", to: "Foe", dryRun: true, offset };
    const answer = await server.call("godot_understand", args);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(8_000);
    const page = answer.result as unknown as {
      changes: unknown[];
      uncertain: unknown[];
      nextOffset?: number;
    };
    seen.push(...page.changes, ...page.uncertain);
    offset = page.nextOffset;
  }
  expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(5 + 400 + 2 + 400);
});

it("a renamed signal is renamed where it is declared, sent by name and connected", async () => {
  const server = open();
  const { changes } = await rename(server, { target: "signal", name: "died", to: "fell" });
  expect(changes).toEqual([
    "main.gd:16 enemy.fell.connect(_on_died)",
    'main.tscn:17 [connection signal="fell" from="Foe" to="." method="_on_died"]',
    "enemies/enemy.gd:5 signal fell(by: Node)",
    "enemies/enemy.gd:11 fell.emit(by)",
    'enemies/enemy.gd:12 emit_signal("fell", by)',
  ]);
});

describe("a renamed node", () => {
  it("is followed by scenes that contain it and by all scripts, as one step", async () => {
    const server = open();
    const { changes, uncertain } = await rename(server, {
      target: "node",
      scene: "res://enemies/enemy.tscn",
      name: "Body",
      to: "Torso",
    });
    expect(changes.sort()).toEqual(
      [
        'enemies/enemy.tscn:8 [node name="Torso" type="Node2D" parent="."]',
        'enemies/enemy.tscn:10 [node name="Sprite" type="Sprite2D" parent="Torso"]',
        "enemies/enemy.gd:19 $Torso/Sprite.show()",
        "main.gd:17 $Foe/Torso/Sprite.hide()",
        'main.tscn:8 target = NodePath("Foe/Torso/Sprite")',
        'main.tscn:12 [node name="Torso" parent="Foe" index="0"]',
        'main.tscn:15 [node name="Hat" type="Sprite2D" parent="Foe/Torso" index="1"]',
        'main.tscn:18 [connection signal="tree_exited" from="Foe/Torso" to="." method="hit"]',
      ].sort(),
    );
    expect(uncertain).toEqual(["main.gd:19 a text"]);
    await server.call("godot_scene", { action: "undo" });
    expect(all(server)).toEqual(FILES);
  });
});

it("a renamed node is followed by scenes that contain a scene that contains it", async () => {
  const server = openTestServer({
    files: {
      ...FILES,
      "world.gd": "extends Node\n\nfunc _ready() -> void:\n\t$Main/Foe/Body.hide()\n",
      "world.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://world.gd" id="1"]
[ext_resource type="PackedScene" path="res://main.tscn" id="2"]

[node name="World" type="Node"]
script = ExtResource("1")

[node name="Main" parent="." instance=ExtResource("2")]
target = NodePath("Foe/Body")
`,
    },
  });
  const { changes } = await rename(server, {
    target: "node",
    scene: "res://enemies/enemy.tscn",
    name: "Body",
    to: "Torso",
  });
  expect(changes).toContain("world.gd:4 $Main/Foe/Torso.hide()");
  expect(changes).toContain('world.tscn:10 target = NodePath("Foe/Torso")');
});

describe("a renamed file", () => {
  it("updates paths in scripts and scenes, relative ones too, and moves the file next to it", async () => {
    const server = openTestServer({
      files: { ...FILES, "enemies/enemy.gd.uid": "uid://cscript\n" },
      flags: { "allow-dangerous-ops": true },
    });
    const { changes, uncertain } = await rename(server, {
      target: "file",
      path: "res://enemies/enemy.gd",
      to: "res://foes/base/foe.gd",
    });
    expect(changes).toEqual([
      'enemies/boss.gd:1 extends "../foes/base/foe.gd"',
      'enemies/enemy.tscn:3 [ext_resource type="Script" path="res://foes/base/foe.gd" id="1"]',
    ]);
    expect(uncertain).toEqual(["main.gd:5 the beginning of a computed path"]);
    expect(server.read("foes/base/foe.gd.uid")).toBe("uid://cscript\n");
    expect(existsSync(path.join(server.root, "enemies/enemy.gd.uid"))).toBe(false);
    const boss = await rename(server, { target: "file", path: "res://enemies/boss.gd", to: "res://boss.gd" });
    expect(boss.changes).toEqual([
      'main.gd:4 const Boss := preload("boss.gd")',
      'enemies/boss.gd:1 extends "foes/base/foe.gd"',
    ]);
    expect(server.read("boss.gd")).toContain('extends "foes/base/foe.gd"');
    for (let step = 0; step < 2; step++) await server.call("godot_scene", { action: "undo" });
    expect(all(server)).toEqual(FILES);
  });

  it("needs no gate, because undo takes it back", async () => {
    const server = openTestServer({ files: FILES });
    const args = { action: "rename", target: "file", path: "res://main.gd", to: "res://start.gd" };
    expect(await server.call("godot_understand", args)).toMatchObject({ ok: true });
    expect(existsSync(path.join(server.root, "start.gd"))).toBe(true);
    expect(await server.call("godot_scene", { action: "undo" })).toMatchObject({ ok: true });
    expect(all(server)).toEqual(FILES);
  });
});

describe.skipIf(realGodot === undefined)("after renames, Godot itself", () => {
  it("compiles every script and opens every scene as before", { timeout: START_MS * 2 }, async () => {
    const server = openTestServer({
      files: {
        ...FILES,
        "project.godot": (FILES["project.godot"] ?? "").replace('run/main_loop_type="Enemy"\n', ""),
        "main.tscn": (FILES["main.tscn"] ?? "").replace('target = NodePath("Foe/Body/Sprite")\n', ""),
      },
      flags: { godot: realGodot ?? "", "allow-dangerous-ops": true },
    });
    const state = async () => ({
      scripts: (await server.call("godot_diagnostics", { action: "scripts" })).result,
      scenes: (await server.call("godot_diagnostics", { action: "scenes" })).result,
    });
    const before = await state();
    expect(before).toMatchObject({ scripts: { errors: 0, scripts: 4 }, scenes: { problems: [] } });
    for (const args of [
      { target: "class", name: "Enemy", to: "Foe" },
      { target: "method", path: "res://enemies/enemy.gd", name: "hit", to: "hurt" },
      { target: "signal", name: "died", to: "fell" },
      { target: "node", scene: "res://enemies/enemy.tscn", name: "Body", to: "Torso" },
      { target: "file", path: "res://enemies/enemy.gd", to: "res://foes/foe.gd" },
      { target: "file", path: "res://enemies/enemy.tscn", to: "res://foes/foe.tscn" },
    ])
      await rename(server, args);
    expect(await state()).toMatchObject({ scripts: { errors: 0, scripts: 4 }, scenes: { problems: [] } });
    const connections = async (scene: string) => {
      const args = { action: "signals.connections.list", scene, mode: "engine" };
      return Object((await server.call("godot_inspector", args)).result).connections;
    };
    expect(await connections("res://main.tscn")).toMatchObject([
      { node: "Foe", signal: "fell", to: ".", method: "_on_died" },
      { node: "Foe/Torso", signal: "tree_exited", to: ".", method: "hit" },
    ]);
    expect(await connections("res://foes/foe.tscn")).toMatchObject([
      { node: "Timer", signal: "timeout", to: ".", method: "hurt" },
    ]);
  });
});

describe.skipIf(realGodot === undefined)("a rename of a method in a trusted project", () => {
  const files = {
    "project.godot":
      'config_version=5\n\n[application]\n\nconfig/features=PackedStringArray("4.6")\n\n[autoload]\n\nArmy="*res://army.gd"\n',
    "unit.gd": "class_name Unit extends Node\n\n\nfunc go() -> void:\n\tpass\n",
    "army.gd": "extends Node\n\nvar leader: Unit\n",
    "robot.gd": "extends Node\n\n\nfunc go() -> void:\n\tpass\n",
    "unit.gd.uid": "uid://bunit0unit00u\n",
    "squad.gd": `class_name Squad extends Node

const Robot := preload("res://robot.gd")
const Loaded := preload("res://unit.gd")

var members: Array[Unit] = []
var by_name: Dictionary[String, Unit] = {}
var robot := Robot.new()
var leader: Unit
var loaded: Loaded
var other: Squad
@onready var child: Unit = $Child


class Guard extends Unit:
	func stand() -> void:
		go() # 1


func _ready() -> void:
	(get_child(0) as Unit).go() # 2
	members[0].go() # 3
	for member in members:
		member.go() # 4
	leader.go() # 5
	Army.leader.go() # 6
	first().go() # 7
	by_name["a"].go() # 8
	other.leader.go() # 9
	other.first().go() # 10
	loaded.go() # 11
	child.go() # 12
	Unit.new().go() # 13
	(leader if other == null else first()).go() # 14
	(await later()).go() # 15
	var inferred := first()
	inferred.go() # 16
	var act := leader.go # 17
	tree_exited.connect(leader.go) # 18
	var each := func(unit: Unit) -> void: unit.go() # 19
	Guard.new().go() # 20
	print(act, each)
	robot.go()
	get_child(1).go()


func meet(unit: Unit, node: Node) -> void:
	unit.go() # 21
	if node is Unit:
		node.go() # 22


func first() -> Unit:
	return members[0]


func later() -> Unit:
	await get_tree().process_frame
	return leader
`,
  };
  const open = (more = {}) =>
    openTestServer({ files: { ...files, ...more }, flags: { godot: realGodot ?? "" } });
  const go = { action: "rename", target: "method", path: "res://unit.gd", name: "go", to: "advance" };

  it("follows uses whose type Godot knows, and lists others first", { timeout: START_MS * 3 }, async () => {
    const { call, read } = open();
    const { result, error } = await call("godot_understand", go);
    expect(error).toBeNull();
    const lines = read("squad.gd").split("\n");
    expect(lines.filter((line) => /\bgo\b/.test(line)).map((line) => line.trim())).toEqual([
      "robot.go()",
      "get_child(1).go()",
    ]);
    const followed = lines.flatMap((line) => /\badvance\b.*# (\d+)$/.exec(line)?.[1] ?? []);
    expect(followed).toEqual(Array.from({ length: 22 }, (_, index) => String(index + 1)));
    expect(result).toMatchObject({
      uncertainTotal: 2,
      uncertain: [{ text: "robot.go()" }, { text: "get_child(1).go()" }],
    });
  });

  it("is taken back if scripts no longer compile, unless forced", { timeout: START_MS * 3 }, async () => {
    const { call, read } = open({
      "other.gd": 'extends "res://unit.gd"\n\n\nfunc advance() -> int:\n\treturn 1\n',
    });
    const refused = await call("godot_understand", go);
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        message: expect.stringContaining("so it was taken back"),
        details: { restored: true, problems: [expect.stringContaining("res://other.gd:")] },
      },
    });
    for (const file of ["unit.gd", "squad.gd"] as const) expect(read(file)).toBe(files[file]);
    expect(await call("godot_understand", { ...go, force: true })).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([expect.stringContaining("no longer compile: res://other.gd:")]),
    });
    expect(read("unit.gd")).toContain("func advance()");
    expect(await call("godot_scene", { action: "undo" })).toMatchObject({ ok: true });
    for (const file of ["unit.gd", "squad.gd"] as const) expect(read(file)).toBe(files[file]);
  });
});
