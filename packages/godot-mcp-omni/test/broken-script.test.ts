import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const HERO = `class_name Hero extends Node2D

@export var speed := 120.0
@export var lives := 3
`;

const ITEM = `class_name Item extends Resource

@export var price := 10
@export var title := "Item"
`;

const broken = (script: string) => script.replace(":=", ":= =");

const scene = (name: string) => `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="Script" path="res://knight.gd" id="2"]

[node name="${name}" type="Node2D"]

[node name="Hero" type="Node2D" parent="."]
script = ExtResource("1")

[node name="Fast" type="Node2D" parent="."]
script = ExtResource("1")
speed = 300.0

[node name="Knight" type="Node2D" parent="."]
script = ExtResource("2")

[node name="Edited" type="Node2D" parent="."]
`;

const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "hero.gd": HERO,
  "knight.gd": `extends Hero

@export var armor := 5
`,
  "level.tscn": scene("Level"),
  "other.tscn": scene("Other"),
  "item.gd": ITEM,
  "sword.tres": `[gd_resource type="Resource" script_class="Item" format=3]

[ext_resource type="Script" path="res://item.gd" id="1"]

[resource]
script = ExtResource("1")
price = 20
`,
};

const openServer = (files: Readonly<Record<string, string>>) => {
  const server = openTestServer({ files, flags: { godot: realGodot ?? "" } });
  const done = async (tool: string, args: Parameters<typeof server.call>[1]) => {
    const answer = await server.call(tool, args);
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    return answer;
  };
  let value = 0;
  const set = (file: string, node = "Edited") => {
    value++;
    return done("godot_inspector", {
      action: "set_property",
      scene: `res://${file}`,
      node,
      property: "z_index",
      value,
    });
  };
  const addTypo = (path: string) =>
    done("godot_code", { action: "file.edit", path, find: ":=", replace: ":= =", maxReplacements: 2 });
  /** The lines of exported values in a file. */
  const exported = (file: string) =>
    server
      .read(file)
      .split("\n")
      .filter((line) => /^(?:speed|lives|armor|price|title) = /.test(line));
  return { ...server, done, set, addTypo, exported };
};

type Server = ReturnType<typeof openServer>;

const REPAIRS: readonly [string, (server: Server) => unknown][] = [
  ["by undo", ({ done }) => done("godot_scene", { action: "undo" })],
  [
    "by another program",
    ({ write }) => {
      write("hero.gd", HERO);
      write("item.gd", ITEM);
    },
  ],
];

describe.skipIf(realGodot === undefined)("exported values after a typo in a script was repaired", () => {
  test.each(REPAIRS)(
    "stay as they are in every scene with the script (%s)",
    async (_, repair) => {
      const server = openServer(FILES);
      await server.set("level.tscn");
      await server.set("other.tscn");
      await server.addTypo("res://hero.gd");
      await repair(server);
      for (const file of ["level.tscn", "other.tscn"])
        for (const node of ["Edited", "Hero", "Knight"]) {
          const answer = await server.set(file, node);
          expect(answer).toMatchObject({ execution: { mode: "engine" } });
          expect(answer.warnings ?? []).toEqual([]);
          expect(server.exported(file)).toEqual(["speed = 300.0"]);
        }
    },
    120_000,
  );

  test.each(REPAIRS)(
    "stay as they are in a resource with the script (%s)",
    async (_, repair) => {
      const server = openServer(FILES);
      const rename = (name: string) =>
        server.done("godot_asset", {
          action: "resource.edit",
          path: "res://sword.tres",
          properties: { resource_name: name },
        });
      await rename("one");
      await server.addTypo("res://item.gd");
      await repair(server);
      const { warnings } = await rename("two");
      expect(warnings ?? []).toEqual([]);
      expect(server.exported("sword.tres")).toEqual(["price = 20"]);
      expect(server.read("sword.tres")).toContain('resource_name = "two"');
    },
    120_000,
  );

  test("stay as they are if only a base script was broken, all scripts were checked and scenes edited meanwhile", async () => {
    const server = openServer(FILES);
    await server.set("level.tscn", "Knight");
    server.write("hero.gd", broken(HERO));
    await server.done("godot_diagnostics", { action: "scripts" });
    await server.set("level.tscn", "Knight");
    await server.set("other.tscn", "Hero");
    server.write("hero.gd", HERO);
    for (const file of ["level.tscn", "other.tscn"]) {
      await server.set(file, "Knight");
      expect(server.exported(file)).toEqual(["speed = 300.0"]);
    }
  }, 120_000);
});

test.skipIf(realGodot === undefined)(
  "an exported property of a script that does not compile is set in the text of the scene",
  async () => {
    const server = openServer(FILES);
    await server.set("level.tscn");
    await server.addTypo("res://hero.gd");
    const answer = await server.done("godot_inspector", {
      action: "set_property",
      scene: "res://level.tscn",
      node: "Hero",
      property: "speed",
      value: 250.5,
    });
    expect(answer).toMatchObject({ execution: { mode: "files" } });
    expect(answer.warnings?.join()).toContain("res://hero.gd does not compile");
    server.write("hero.gd", HERO);
    await server.set("level.tscn", "Fast");
    expect(server.exported("level.tscn")).toEqual(["speed = 250.5", "speed = 300.0"]);
  },
  120_000,
);

describe.skipIf(realGodot === undefined)("a value that Godot would save unasked", () => {
  /** The script runs in the engine and changes its own properties, as a script with an outdated state would. */
  const TOOL = (line: string) => `@tool
extends Node2D

@export var power := 5
@export var any = 7

func _ready() -> void:
	${line}
`;

  test.each([
    ["null for an exported property", "any = null", "any of Tool was not set and is null"],
    ["another value for an exported property", "power = 9", "power of Tool was not set and is 9"],
    ["a property of the class", "z_index = 9", "z_index of Tool was not set and is 9"],
  ])(
    "as %s stays out of the file, and the answer names it",
    async (_, line, why) => {
      const { set, read } = openServer({
        ...FILES,
        "tool.gd": TOOL(line),
        "tool.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://tool.gd" id="1"]

[node name="Level" type="Node2D"]

[node name="Tool" type="Node2D" parent="."]
script = ExtResource("1")

[node name="Deep" type="Node2D" parent="."]

[node name="Edited" type="Node2D" parent="Deep"]
`,
      });
      const before = read("tool.tscn").split("\n");
      const answer = await set("tool.tscn", "Deep/Edited");
      expect(answer).toMatchObject({ execution: { mode: "files" } });
      expect(answer.warnings?.join()).toContain(why);
      expect(
        read("tool.tscn")
          .split("\n")
          .filter((text) => !before.includes(text)),
      ).toEqual(["z_index = 1"]);
    },
    120_000,
  );
});
