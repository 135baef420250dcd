import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Clock, type JsonObject, systemClock } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { onTestFinished } from "vitest";
import { readSettings } from "../src/config/settings.ts";
import type { Bridge } from "../src/drivers/editor/bridge.ts";
import { createCore } from "../src/server/core.ts";
import { checkDeclared } from "./declared-codes.ts";

/** A small game, as files. */
export const GAME: Readonly<Record<string, string>> = {
  "project.godot": `; someone's comment
config_version=5

[application]

config/name="Game"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.6")
`,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1_e"]

[node name="Main" type="Node2D"]

[node name="Player" type="CharacterBody2D" parent="." groups=["heroes"]]
position = Vector2(3, 4)

[node name="Sprite" type="Sprite2D" parent="Player"]

[node name="Enemy" parent="." instance=ExtResource("1_e")]

[node name="Anim" type="AnimationPlayer" parent="."]

[connection signal="tree_exited" from="Player" to="." method="queue_free"]
`,
  "enemy.tscn": `[gd_scene format=3]

[node name="Enemy" type="Node2D"]

[node name="Body" type="Node2D" parent="."]
`,
  "boss.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1_b"]

[node name="Boss" instance=ExtResource("1_b")]
`,
  "tiles.tscn": `[gd_scene format=3]

[node name="Map" type="TileMapLayer"]
`,
  "player.gd": `extends CharacterBody2D
signal died
@export var speed: float = 3.0


func _on_hit() -> void:
	pass
`,
  "mat.tres": `[gd_resource type="StandardMaterial3D" format=3]

[resource]
albedo_color = Color(1, 0, 0, 1)
`,
  "water.gdshader": "shader_type canvas_item;\n",
  "flow.json": `{"schemaVersion": 1, "steps": [{"tool": "godot_workspace", "args": {"action": "status"}}]}`,
};

export interface TestServer {
  readonly root: string;
  readonly call: (tool: string, args: JsonObject) => Promise<OkEnvelope>;
  readonly read: (file: string) => string;
  readonly write: (file: string, text: string) => void;
  /** The pictures of the last answer. */
  readonly pictures: () => readonly Buffer[];
  readonly bugs: readonly string[];
  /** Lets editors connect to the server that the folder announces, as `serve` does at its start. */
  readonly openBridge: () => Promise<Bridge & { readonly folder: string }>;
}

export interface TestServerOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Ends it after a whole file of tests; by default after the test. */
  readonly later?: (undo: () => void | Promise<void>) => void;
}

/** A server in this process on a new project, which it trusts; without Godot unless the flags name one. */
export function openTestServer({
  files = GAME,
  flags = {},
  env = {},
  clock = systemClock,
  later = onTestFinished,
}: TestServerOptions = {}): TestServer {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-server-")));
  later(() => rmSync(base, { recursive: true, force: true }));
  const root = path.join(base, "game");
  writeFiles(root, files);
  mkdirSync(path.join(base, "home"));
  const settings = readSettings({
    flags: { project: root, godot: "", toolsets: "all", trust: true, ...flags },
    env,
  });
  if (!settings.ok) throw new Error(settings.failure.message);
  const bugs: string[] = [];
  const core = createCore({
    settings: settings.value,
    env: { ...childEnvironment(base), ...env },
    cwd: base,
    clock,
    onBug: (message) => void bugs.push(message),
  });
  if (!core.ok) throw new Error(core.failure.message);
  later(() => core.value.close());
  let pictures: readonly Buffer[] = [];
  return {
    root,
    bugs,
    pictures: () => pictures,
    async call(tool, args) {
      const answer = await core.value.pipeline.call({ tool, args, caller: { transport: "cli" } });
      if (answer.kind !== "rendered") throw new Error(`${tool} did not answer: ${JSON.stringify(answer)}`);
      pictures = answer.content.flatMap((block) =>
        block.type === "image" ? [Buffer.from(block.data, "base64")] : [],
      );
      // Every answer of this server has this format.
      return checkDeclared(answer.envelope as unknown as OkEnvelope);
    },
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    write: (file, text) => writeFiles(root, { [file]: text }),
    async openBridge() {
      const workspace = core.value.workspace();
      if (!workspace.ok) throw new Error(workspace.failure.message);
      return { ...(await workspace.value.bridge()), folder: path.join(base, "bridge") };
    },
  };
}

/** A home and a meeting place that no other test shares. */
export function childEnvironment(base: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: path.join(base, "home"),
    XDG_CACHE_HOME: path.join(base, "cache"),
    GODOT_MCP_BRIDGE_DIR: path.join(base, "bridge"),
  };
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}
