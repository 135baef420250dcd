import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GAME } from "./server-project.ts";

/** A project in which everything that Godot may run leaves a mark in a folder outside of it. */
export interface HostileProject {
  readonly files: Readonly<Record<string, string>>;
  /** Names of executed code, in order. */
  readonly marks: () => readonly string[];
  /** Puts the native library into the project. False where there is no C compiler. */
  readonly buildLibrary: (root: string) => boolean;
}

export function hostileProject(folder: string): HostileProject {
  const marks = path.join(folder, "marks");
  mkdirSync(marks, { recursive: true });
  const mark = (name: string) => `OS.execute("touch", ["${path.join(marks, name)}"])`;
  const script = (base: string, name: string, body = "") => `@tool
extends ${base}
static var first = ${mark(`${name}-static`)}
var second = ${mark(`${name}-member`)}
${body}
func _init():
	${mark(`${name}-init`)}
`;
  return {
    files: {
      ...GAME,
      "project.godot": `${GAME["project.godot"]}
run/main_loop_type="EvilLoop"

[autoload]

Evil="*res://auto.gd"

[editor_plugins]

enabled=PackedStringArray("res://addons/evil/plugin.cfg")
`,
      "override.cfg": '[autoload]\n\nOverride="*res://override.gd"\n',
      "auto.gd": script("Node", "autoload"),
      "override.gd": script("Node", "override"),
      "loop.gd": `class_name EvilLoop\n${script("SceneTree", "main-loop").replace("@tool\n", "")}`,
      "loader.gd": `${script("ResourceFormatLoader", "resource-loader")}`.replace(
        "@tool\n",
        "@tool\nclass_name EvilLoader\n",
      ),
      "addons/evil/plugin.cfg":
        '[plugin]\n\nname="Evil"\ndescription=""\nauthor=""\nversion="1"\nscript="plugin.gd"\n',
      "addons/evil/plugin.gd": script(
        "EditorPlugin",
        "plugin",
        `func _enter_tree():\n\tadd_import_plugin(preload("import.gd").new())\n`,
      ),
      "addons/evil/import.gd": script(
        "EditorImportPlugin",
        "import-plugin",
        `func _get_importer_name(): return "evil"
func _get_recognized_extensions(): return ["evil"]
func _get_save_extension(): return "res"
func _get_resource_type(): return "Resource"
func _get_visible_name(): return "Evil"
`,
      ),
      "thing.evil": "x",
      "player.gd": script(
        "CharacterBody2D",
        "scene-script",
        `signal died\n@export var speed: float = 3.0:\n\tset(value):\n\t\t${mark("setter")}\n\t\tspeed = value\nfunc _on_hit() -> void:\n\tpass\n`,
      ),
      "stats.gd": script("Resource", "resource-script"),
      "stats.tres": `[gd_resource type="Resource" load_steps=2 format=3]

[ext_resource type="Script" path="res://stats.gd" id="1"]

[resource]
script = ExtResource("1")
`,
      "test/test_evil.gd": script("RefCounted", "test", "func test_it(check): check.equal(1, 1)\n"),
      "evil.gdextension": `[configuration]

entry_symbol = "evil_entry"
compatibility_minimum = "4.1"

[libraries]

linux.x86_64 = "res://libevil.so"
linux.arm64 = "res://libevil.so"
`,
      ".godot/extension_list.cfg": "res://evil.gdextension\n",
      ".godot/global_script_class_cache.cfg": `list=[{
"base": &"ResourceFormatLoader",
"class": &"EvilLoader",
"icon": "",
"is_abstract": false,
"is_tool": true,
"language": &"GDScript",
"path": "res://loader.gd"
}, {
"base": &"SceneTree",
"class": &"EvilLoop",
"icon": "",
"is_abstract": false,
"is_tool": false,
"language": &"GDScript",
"path": "res://loop.gd"
}]
`,
      "main.tscn": (GAME["main.tscn"] ?? "")
        .replace(
          "\n\n[node",
          `
[ext_resource type="GDExtension" path="res://evil.gdextension" id="2_x"]
[ext_resource type="Script" path="res://player.gd" id="3_p"]
[ext_resource type="Resource" path="res://stats.tres" id="4_s"]

[sub_resource type="GDScript" id="GDScript_1"]
script/source = "@tool
extends Node2D
static var first = ${mark("built-in-static").replaceAll('"', '\\"')}
func _init():
	${mark("built-in-init").replaceAll('"', '\\"')}
"

[node`,
        )
        .replace('type="Node2D"]', 'type="Node2D"]\nscript = SubResource("GDScript_1")')
        .replace("position = ", 'script = ExtResource("3_p")\nspeed = 4.0\nposition = ')
        .replace(
          '[node name="Sprite" type="Sprite2D" parent="Player"]',
          '[node name="Sprite" type="Sprite2D" parent="Player"]\nmetadata/x = ExtResource("2_x")\nmetadata/s = ExtResource("4_s")',
        ),
    },
    marks: () => readdirSync(marks).sort(),
    buildLibrary(root) {
      const source = path.join(folder, "evil.c");
      const touch = (name: string) =>
        `close(open(${JSON.stringify(path.join(marks, name))}, O_CREAT | O_WRONLY, 0644));`;
      writeFileSync(
        source,
        `#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) { ${touch("native-constructor")} }
int evil_entry(void *a, void *b, void *c) { ${touch("native-entry")} return 0; }
`,
      );
      const built = spawnSync("cc", ["-shared", "-fPIC", "-o", path.join(root, "libevil.so"), source]);
      return built.status === 0;
    },
  };
}

/** Every file below a folder with its content and time of change. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => {
        const found = statSync(file);
        const content = found.isFile() ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
        return [path.relative(folder, file), `${content} ${found.mtimeMs}`];
      }),
  );
}
