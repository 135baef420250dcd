import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const scripts = (name: string) => ({
  "enemy.gd": `class_name ${name} extends Node2D

@export var speed := 120.0
`,
  "hero.gd": `extends Node2D

@export var title := "Hero"
var enemy: ${name}

func meet(other: ${name}) -> float:
	enemy = other
	return other.speed
`,
});

/** The script of the hero is read before the one whose class it uses. */
const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  ...scripts("Enemy"),
  "enemy.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://enemy.gd" id="1"]

[node name="Enemy" type="Node2D"]
script = ExtResource("1")
`,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://enemy.tscn" id="2"]

[node name="Main" type="Node2D"]

[node name="Hero" type="Node2D" parent="."]
script = ExtResource("1")

[node name="Enemy" parent="." instance=ExtResource("2")]
`,
};

type Server = ReturnType<typeof openServer>;

function openServer() {
  const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
  const done = async (tool: string, args: Parameters<typeof server.call>[1]) => {
    const answer = await server.call(tool, args);
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    return answer;
  };
  const set = (scene: string, node: string, property: string, value: number | string) =>
    done("godot_inspector", { action: "set_property", scene: `res://${scene}`, node, property, value });
  const rename = (name: string, to: string) =>
    done("godot_understand", { action: "rename", target: "class", name, to, force: true });
  /** Another program puts these scripts in place, as a switch of the branch does. */
  const branch = (name: string) => {
    for (const [file, text] of Object.entries(scripts(name))) server.write(file, text);
  };
  return { ...server, done, set, rename, branch };
}

const CHANGES: readonly [string, (server: Server) => unknown][] = [
  ["a rename", ({ rename }) => rename("Enemy", "Foe")],
  [
    "a rename that was taken back",
    async ({ rename, set, done }) => {
      await rename("Enemy", "Foe");
      await set("enemy.tscn", ".", "speed", 5);
      await done("godot_scene", { action: "undo" });
      await done("godot_scene", { action: "undo" });
    },
  ],
  ["another branch", ({ branch }) => branch("Foe")],
  [
    "a rename and another branch",
    async ({ rename, branch, set }) => {
      await rename("Enemy", "Foe");
      await set("enemy.tscn", ".", "speed", 5);
      branch("Enemy");
    },
  ],
  [
    "a rename, while a script had a typo, and all files of another branch",
    async ({ rename, branch, set, done, write }) => {
      await rename("Enemy", "Foe");
      const path = "res://hero.gd";
      await done("godot_code", { action: "file.edit", path, find: ":=", replace: ":= =" });
      await set("main.tscn", "Hero", "z_index", 7);
      branch("Enemy");
      write("main.tscn", FILES["main.tscn"] ?? "");
    },
  ],
  [
    "one script of another branch, an edit meanwhile, and the other script",
    async ({ write, set }) => {
      write("hero.gd", scripts("Foe")["hero.gd"]);
      await set("main.tscn", "Enemy", "speed", 7);
      write("enemy.gd", scripts("Foe")["enemy.gd"]);
    },
  ],
];

describe.skipIf(realGodot === undefined)(
  "exported properties are known after a class got another name by",
  () => {
    test.each(CHANGES)(
      "%s",
      async (_, change) => {
        const server = openServer();
        await server.set("main.tscn", "Hero", "title", "before");
        await change(server);
        await server.set("main.tscn", "Hero", "title", "after");
        await server.set("main.tscn", "Hero", "title", "again");
        await server.set("main.tscn", "Enemy", "speed", 9.5);
        expect(server.read("main.tscn")).toContain('title = "again"');
        expect(server.read("main.tscn")).toContain("speed = 9.5");
      },
      120_000,
    );
  },
);
