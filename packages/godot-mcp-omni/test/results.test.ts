import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, describe, expect, it } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { displayGodot } from "./display-godot.ts";
import { realGodot } from "./real-godot.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

/** Each result is checked against the declared type in every call: a call that succeeds proves the type. */
const proven = new Set<string>();

const scene = "res://main.tscn";
const BY_EDITOR = ["godot_editor", "godot_log"];
const ACTIONS_BY_EDITOR = SAMPLE_CALLS.filter(
  ({ tool, expected }) => BY_EDITOR.includes(tool) || (tool === "godot_workspace" && expected !== "ok"),
);
const OTHERS = SAMPLE_CALLS.filter((call) => !ACTIONS_BY_EDITOR.includes(call) && call.tool !== "godot_game");

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Other arguments than those of the sample, where Godot makes the action succeed. */
const ARGUMENTS: Readonly<Record<string, JsonObject>> = {
  "godot_inspector shader.set_param": { node: "Water", param: "pace", value: 1 },
  "godot_asset load_texture": { texture: "res://dot.png" },
  "godot_asset scene.rename": { path: "res://foe.tscn" },
  "godot_asset scene.delete": { path: "res://bar.tscn" },
  "godot_asset scene.replace_resource": { new: "res://thing.tscn" },
  "godot_asset uid_convert": { uid: "uid://c4x8dq2yfwkqb" },
  "godot_content tile_set.create": { texture: "res://dot.png", size: { x: 1, y: 1 } },
  "godot_content asset.add": { from: "godot-tiles.png", path: "res://art/added.png" },
  "godot_content asset.import_settings": { path: "res://dot.png" },
  "godot_content navigation.bake": { scene: "res://floor.tscn", node: "." },
  "godot_content sprite_frames.create": { folder: "res://art" },
  "godot_test run": { path: "res://test_math.gd" },
  "godot_recording replay": { path: "res://walk.json" },
  "godot_recording report": { path: "res://walk.json" },
  "godot_recording bisect": { path: "res://walk.json" },
  "godot_export build": { kind: "pack", path: "res://build/game.pck", smoke: true, frames: 5 },
  "godot_export smoke_run": { frames: 5 },
};

const PRINTED = "hello from the game";

/** Actions that run the game or its tests and end with its output. */
const RUNS = [
  "godot_game stop",
  "godot_test run",
  "godot_export build",
  "godot_export smoke_run",
  "godot_recording record",
  "godot_recording capture",
  "godot_recording replay",
  "godot_recording report",
];

const FILES = {
  ...GAME,
  "project.godot": `${GAME["project.godot"]}\n[editor]\n\nrun/main_run_args="--headless"\n`,
  "talk.gd": `extends Node\n\n\nfunc _ready() -> void:\n\tprint("${PRINTED}")\n`,
  "main.tscn": (GAME["main.tscn"] ?? "")
    .replace(
      '\n[node name="Main"',
      '\n[ext_resource type="Script" path="res://talk.gd" id="4_k"]\n[ext_resource type="Shader" path="res://water.gdshader" id="2_w"]\n\n[sub_resource type="ShaderMaterial" id="m"]\nshader = ExtResource("2_w")\nshader_parameter/pace = 0.5\n\n[node name="Main"',
    )
    .replace(
      '[node name="Anim"',
      '[node name="Talk" type="Node" parent="."]\nscript = ExtResource("4_k")\n\n[node name="Water" type="Sprite2D" parent="."]\nmaterial = SubResource("m")\n\n[node name="Anim"',
    ),
  "mcp_tools/own.gd": 'static func hello() -> String:\n\treturn "hello"\n',
  "water.gdshader": "shader_type canvas_item;\nuniform float pace = 0.5;\n",
  "floor.tscn":
    '[gd_scene format=3]\n\n[sub_resource type="NavigationPolygon" id="n"]\noutlines = Array[PackedVector2Array]([PackedVector2Array(0, 0, 99, 0, 99, 99, 0, 99)])\n\n[node name="Floor" type="NavigationRegion2D"]\nnavigation_polygon = SubResource("n")\n',
  "thing.tscn": '[gd_scene format=3 uid="uid://c4x8dq2yfwkqb"]\n\n[node name="Thing" type="Node"]\n',
  "ticking.gd":
    "extends Node2D\n\nvar ticks := 0\n\n\nfunc _process(_delta: float) -> void:\n\tticks += 1\n\tticks += 0\n\n\nfunc _ready() -> void:\n\tprint('hello from the game')\n",
  "test_math.gd": `func test_sum(check):\n\tprint("${PRINTED}")\n\tcheck.equal(1 + 1, 2)\nfunc test_wrong(check): check.equal(1, 2)\n`,
};

const TICKING = (GAME["main.tscn"] ?? "")
  .replace(
    '\n[node name="Main"',
    '\n[ext_resource type="Script" path="res://ticking.gd" id="3_t"]\n\n[node name="Main"',
  )
  .replace('type="Node2D"]', 'type="Node2D"]\nscript = ExtResource("3_t")');

describe.skipIf(realGodot === undefined)("every action answers as its output type says", () => {
  it("in modes files and engine", { timeout: 240_000 }, async () => {
    const server = openTestServer({
      flags: {
        godot: displayGodot ?? realGodot ?? "",
        "allow-game-code": true,
        "asset-folders": join(import.meta.dirname, "../../../docs/pictures"),
      },
      env: { ALLOW_DANGEROUS_OPS: "true" },
      files: FILES,
    });
    await done(server, "godot_code", {
      action: "file.write_binary",
      path: "res://dot.png",
      base64: DOT,
    });
    for (const { tool, action = "", args } of OTHERS) {
      if (["project.create", "capture", "look"].includes(action)) continue;
      await done(server, tool, { ...args, ...ARGUMENTS[`${tool} ${action}`] });
    }
    const empty = openTestServer({ files: {} });
    await done(empty, "godot_project", { action: "project.create", name: "Other" });
  });

  it("in mode editor", { timeout: 240_000 }, async () => {
    const server = openTestServer({ flags: { godot: realGodot ?? "" }, files: FILES });
    await installAddon(new Project(server.root, () => 0));
    await done(server, "godot_workspace", { action: "launch", headless: true, timeoutMs: 100_000 });
    await done(server, "godot_workspace", { action: "open_scene", scene });
    await done(server, "godot_workspace", { action: "status" });
    await done(server, "godot_scene", { action: "set_unique_name", scene, node: "Player" });
    await done(server, "godot_scene", { action: "undo", scene });
    await done(server, "godot_scene", { action: "redo", scene });
    for (const { tool, action = "", args } of ACTIONS_BY_EDITOR) {
      // A headless editor has nothing to take a picture of.
      if (action === "close_scene" || action === "capture_viewport") continue;
      await done(server, tool, args);
    }
    await done(server, "godot_workspace", { action: "stop" });
    await done(server, "godot_workspace", { action: "close_scene", scene, discard: true });
  });

  it("for a running game", { timeout: 240_000 }, async () => {
    const server = openTestServer({
      flags: { godot: displayGodot ?? realGodot ?? "", "allow-game-code": true },
      files: { ...FILES, "main.tscn": TICKING },
    });
    const play = (action: string, args: JsonObject = {}) => done(server, "godot_game", { action, ...args });
    await play("run", displayGodot === undefined ? { display: "none" } : {});
    for (const action of [
      "status",
      "output",
      "errors",
      "tree",
      "screen",
      "pause",
      "step",
      "resume",
      "profile",
    ])
      await play(action);
    await play("inspect", { node: "Player" });
    await play("set", { node: "Player", values: { "position:x": 5 } });
    await play("input", { events: [{ kind: "key", key: "Space" }] });
    await play("wait", { expression: "true" });
    await play("watch", { expressions: ["1 + 1"], frames: 3 });
    await play("evaluate", { expression: "1 + 1" });
    await play("breakpoint", { breakpoints: ["res://ticking.gd:7"] });
    await play("wait");
    await play("stack");
    await play("resume", { how: "next" });
    await play("breakpoint", { breakpoints: ["res://ticking.gd:7"], on: false });
    await play("resume");
    await play("break");
    await play("resume");
    if (displayGodot !== undefined) {
      await play("screenshot");
      await done(server, "godot_scene", { action: "look", scene: "res://main.tscn" });
      const path = "res://captured.json";
      await done(server, "godot_recording", { action: "capture", path, frames: 5 });
    }
    await play("stop");
    await play("verify", { frames: 5, display: "none" });
  });

  afterAll(() => {
    const all = SAMPLE_CALLS.map(({ tool, action = "" }) => `${tool} ${action}`);
    const withoutWindow = ["godot_editor capture_viewport"];
    const withoutDisplay = ["godot_game screenshot", "godot_scene look", "godot_recording capture"];
    const left = all.filter((name) => !proven.has(name) && !withoutWindow.includes(name));
    expect(left).toEqual(displayGodot === undefined ? withoutDisplay : []);
  });
});

async function done(server: TestServer, tool: string, args: JsonObject): Promise<void> {
  const answer = await server.call(tool, args);
  const what = `${tool} ${String(args.action ?? "")}`;
  expect(server.bugs, what).toEqual([]);
  expect(answer.ok, `${what}: ${answer.summary} ${JSON.stringify(answer.error)}`).toBe(true);
  expect(answer, what).not.toHaveProperty("errors");
  if (RUNS.includes(what)) expect(answer.logs, what).toContain(PRINTED);
  proven.add(what);
}
