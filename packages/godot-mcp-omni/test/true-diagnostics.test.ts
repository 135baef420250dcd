import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { errorsByGodot } from "./independent-godot.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer, type TestServerOptions } from "./server-project.ts";

/** Classes that need each other, a typed autoload and one that is named by its uid. */
const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Game"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.6")

[autoload]

Army="*uid://b8x1army0army"
Rules="*res://rules.gd"
Camp="*uid://dcamp0camp0ca"
`,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://units/squad.gd" id="1"]

[node name="Main" type="Node2D"]
script = ExtResource("1")
`,
  "army.gd": `extends Node

var leader: Unit
var squads: Array[Squad] = []

func strength() -> int:
	var factor := Rules.factor
	return squads.size() * factor
`,
  "army.gd.uid": "uid://b8x1army0army\n",
  "camp.tscn": `[gd_scene format=3 uid="uid://dcamp0camp0ca"]

[ext_resource type="Script" path="res://camp.gd" id="1"]

[node name="Camp" type="Node"]
script = ExtResource("1")
`,
  "camp.gd": `extends Node

var tents := 3
`,
  "rules.gd": `extends Node

var factor := 2
var kind: Unit.Kind = Unit.Kind.FOOT
`,
  "rules.gd.uid": "uid://c5rulesrules0\n",
  "tower.gd": `extends Node2D

func height() -> int:
	var tents := Camp.tents
	var strength := Army.strength()
	return tents + strength
`,
  "units/unit.gd": `class_name Unit extends Node2D

enum Kind { FOOT, HORSE }

var squad: Squad
var kind := Kind.FOOT

func join(other: Squad) -> void:
	squad = other
	Army.leader = self
	var strength := Army.strength()
	print(strength)
`,
  "units/rider.gd": `class_name Rider extends Unit

const Banner := preload("res://units/banner.gd")

var banner := Banner.new()

func ride() -> int:
	return Army.strength() + banner.owner_kind()
`,
  "units/banner.gd": `extends RefCounted

var rider: Rider

func owner_kind() -> int:
	return Unit.Kind.HORSE
`,
  "units/squad.gd": `class_name Squad extends Node2D

var members: Array[Unit] = []

func first() -> Rider:
	return members[Camp.tents] as Rider

func kinds() -> Array:
	return members.map(func(unit: Unit) -> int: return unit.kind)
`,
};

/** The same project on a branch where a class has another name and place, and its users know it. */
const renamed = (text: string) =>
  text.replaceAll("Unit", "Fighter").replaceAll("units/rider", "riders/rider");
const BRANCH: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FILES).map(([file, text]) => [
    renamed(file).replace("units/unit", "units/fighter"),
    renamed(text),
  ]),
);

const open = (files: Readonly<Record<string, string>>, later: TestServerOptions["later"] = onTestFinished) =>
  openTestServer({ files, flags: { godot: realGodot ?? "" }, later });

/** Replaces the project's files by those of another branch, as `git checkout` does. */
function checkOut({ root, write }: TestServer, from: object, to: Readonly<Record<string, string>>): void {
  for (const file of Object.keys(from)) rmSync(join(root, file), { force: true });
  for (const [file, text] of Object.entries(to)) write(file, text);
}

async function problems({ call }: TestServer) {
  const answer = await call("godot_diagnostics", { action: "scripts" });
  expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
  const { problems } = answer.result as { problems: { path: string; line: number; message: string }[] };
  return problems;
}

describe.skipIf(realGodot === undefined)("errors of scripts are those of a Godot that starts fresh", () => {
  test("on a clone without .godot, with an autoload named by its uid", async () => {
    const server = open(FILES);
    expect(await errorsByGodot(realGodot ?? "", server.root)).toEqual([]);
    expect(await problems(server)).toEqual([]);
    expect(await problems(server)).toEqual([]);
  }, 180_000);

  test("after a class was renamed and the rename undone", async () => {
    const server = open(FILES);
    expect(await problems(server)).toEqual([]);
    const rename = { action: "rename", target: "class", name: "Unit", to: "Fighter" };
    expect(await server.call("godot_understand", rename)).toMatchObject({ ok: true });
    expect(await problems(server)).toEqual([]);
    expect(await server.call("godot_scene", { action: "undo" })).toMatchObject({ ok: true });
    expect(await problems(server)).toEqual([]);
  }, 180_000);

  test("after another program switched the branch, and back", async () => {
    const server = open(FILES);
    expect(await problems(server)).toEqual([]);
    checkOut(server, FILES, BRANCH);
    expect(await problems(server)).toEqual([]);
    checkOut(server, BRANCH, FILES);
    expect(await problems(server)).toEqual([]);
  }, 180_000);

  test("in a new server, if classes changed while no Godot ran", async () => {
    const ends: (() => void | Promise<void>)[] = [];
    const first = open(FILES, (end) => void ends.unshift(end));
    expect(await problems(first)).toEqual([]);
    const [close, ...rest] = ends;
    for (const end of rest) onTestFinished(end);
    await close?.();
    checkOut(first, FILES, BRANCH);
    const second = openTestServer({ files: {}, flags: { godot: realGodot ?? "", project: first.root } });
    expect(await problems(second)).toEqual([]);
  }, 180_000);

  test("also the true ones: a class that is gone, and one that came back", async () => {
    const server = open(FILES);
    expect(await problems(server)).toEqual([]);
    const rider = server.read("units/rider.gd");
    rmSync(join(server.root, "units/rider.gd"));
    const expected = await errorsByGodot(realGodot ?? "", server.root);
    expect(expected.length).toBeGreaterThan(1);
    const found = (await problems(server)).map(({ path, line }) => `${path}:${line}`);
    expect([...new Set(found)].sort()).toEqual(expected);
    server.write("units/rider.gd", rider);
    expect(await problems(server)).toEqual([]);
  }, 180_000);
});
