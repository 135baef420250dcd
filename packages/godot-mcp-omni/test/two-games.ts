import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { JsonObject } from "@toolpact/contract";
import { png } from "./png.ts";
import type { StoryAnswer, StoryCall } from "./story.ts";

/** Receives pictures, films and reports by name. */
export type OnFile = (name: string, content: Buffer) => void;

/** A game that an agent makes, plays, breaks, fixes and ships by calls of tools alone. */
interface GamePlan {
  readonly name: string;
  readonly make: (ask: StoryCall) => Promise<void>;
  readonly play: (game: GameCall, onFile: OnFile) => Promise<void>;
  readonly recording: JsonObject;
  /** In order; the one that breaks the game is among them. */
  readonly edits: readonly (readonly [string, JsonObject])[];
  /** The change it undoes: the file, and the texts before and after. */
  readonly breaking: { readonly path: string; readonly find: string; readonly replace: string };
  readonly watch: readonly JsonObject[];
}

type GameCall = (action: string, args?: JsonObject) => Promise<Done>;
type Done = StoryAnswer & { readonly result: JsonObject };

const scene = "res://main.tscn";
const RECORDING = "res://recordings/play.json";

/** Makes the game in an empty folder, plays it, breaks it, finds the edit, fixes it, reports and exports it. */
export async function playThrough(plan: GamePlan, call: StoryCall, onFile: OnFile): Promise<void> {
  const ask = async (tool: string, args: JsonObject): Promise<Done> => {
    const answer = await call(tool, args);
    assert.ok(answer.ok && answer.result !== null, `${tool} ${args.action}: ${JSON.stringify(answer)}`);
    return { ...answer, result: answer.result };
  };
  const game: GameCall = (action, args = {}) => ask("godot_game", { action, ...args });

  await plan.make(ask);
  await game("run", { display: "virtual", fixedFps: 60 });
  await plan.play(game, onFile);
  assert.deepEqual((await game("errors")).result.errors, []);
  await game("stop");

  const { result: recorded } = await ask("godot_recording", {
    action: "record",
    path: RECORDING,
    ...plan.recording,
  });
  assert.equal(recorded.isSame, true, JSON.stringify(recorded.errors));
  const replay = () => ask("godot_recording", { action: "replay", path: RECORDING });
  for (const [tool, args] of plan.edits) await ask(tool, args);
  assert.equal((await replay()).result.isSame, false);

  const { result: found, pictures } = await ask("godot_recording", { action: "bisect", path: RECORDING });
  const edit = found.edit as { label: string; call: string; files: { path: string; change: string }[] };
  assert.equal(edit.call, "godot_code file.edit");
  assert.equal(edit.files[0]?.path, plan.breaking.path);
  assert.ok(edit.files[0].change.includes(`+${plan.breaking.replace}`), edit.files[0].change);
  assert.ok(Number(found.frame) > 1);
  for (const [index, name] of ["before", "after"].entries())
    onFile(`${plan.name}-${name}.png`, Buffer.from(pictures[index] ?? "", "base64"));

  const report = async (name: string) => {
    const { result } = await ask("godot_recording", {
      action: "report",
      path: RECORDING,
      watch: plan.watch,
      shots: 6,
    });
    onFile(name, readFileSync(String(result.report)));
  };
  await ask("godot_code", {
    action: "file.edit",
    path: plan.breaking.path,
    find: plan.breaking.replace,
    replace: plan.breaking.find,
  });
  assert.equal((await replay()).result.isSame, true);
  await report(`${plan.name}-fixed.html`);

  await ask("godot_export", {
    action: "add_preset",
    preset: "Linux",
    platform: "Linux",
    path: "res://build/game.x86_64",
  });
  const { result: build } = await ask("godot_export", {
    action: "build",
    preset: "Linux",
    kind: "pack",
    path: "res://build/game.pck",
    smoke: true,
  });
  assert.equal((build.smoke as JsonObject).isFine, true);
}

const LEVEL = `extends Node2D

var is_playing := false
var player_name := ""


func _ready() -> void:
	$Menu/Panel/Box/Play.pressed.connect(_on_play)
	$Flag.body_entered.connect(_on_flag)


func _on_play() -> void:
	player_name = $Menu/Panel/Box/PlayerName.text
	$Menu.hide()
	is_playing = true


func _on_flag(body: Node2D) -> void:
	if body == $Hero:
		$Hud/Message.text = "Well done, %s!" % player_name
`;

const HERO = `extends CharacterBody2D

var jump := 300.0
var speed := 160.0


func _physics_process(delta: float) -> void:
	if not get_parent().is_playing:
		return
	velocity += get_gravity() * delta
	if is_on_floor() and Input.is_action_just_pressed("jump"):
		velocity.y = -jump
	velocity.x = Input.get_axis("left", "right") * speed
	move_and_slide()
`;

/** Two tiles: earth with moss on it, and stone. */
function tiles(): string {
  const grain = (x: number, y: number) => ((x * 7 + y * 13) % 5) * 4;
  return png(32, 16, (x, y) => {
    if (x >= 16) return [96 + grain(x, y), 104 + grain(x, y), 122 + grain(x, y), 255];
    return y < 5 ? [84, 168 + grain(x, y), 88, 255] : [112 + grain(x, y), 78 + grain(x, y), 60, 255];
  }).toString("base64");
}

/** A platformer of tiles with a menu. */
export const MOSS_CAVES: GamePlan = {
  name: "godot-play-2d",
  make: async (ask) => {
    await begin(ask, "Moss Caves", "#182236", [
      { name: "left", keys: ["A", "Left"] },
      { name: "right", keys: ["D", "Right"] },
      { name: "jump", keys: ["Space"] },
    ]);
    await ask("godot_code", { action: "file.write_binary", path: "res://tiles.png", base64: tiles() });
    await ask("godot_asset", { action: "scan" });
    await ask("godot_content", {
      action: "tile_set.create",
      path: "res://tiles.tres",
      texture: "res://tiles.png",
      size: { x: 16, y: 16 },
      physics: [{}],
    });
    await ask("godot_code", { action: "file.write", path: "res://level.gd", content: LEVEL });
    await ask("godot_code", { action: "file.write", path: "res://hero.gd", content: HERO });
    await ask("godot_scene", { action: "new", scene, type: "Node2D", name: "Level" });
    await ask("godot_batch", {
      scene,
      edits: [
        { kind: "script", node: ".", script: "res://level.gd" },
        node("TileMapLayer", "Ground", "", { tile_set: "res://tiles.tres" }),
        node("Area2D", "Flag", "", { position: [340, 264] }, "flag"),
        node("CollisionShape2D", "Shape", "$flag", box([12, 48])),
        node("Polygon2D", "Cloth", "$flag", {
          polygon: [
            [0, -40],
            [22, -32],
            [0, -24],
          ],
          color: "#e85d5d",
        }),
        node("Polygon2D", "Pole", "$flag", {
          polygon: [
            [-2, -40],
            [0, -40],
            [0, 24],
            [-2, 24],
          ],
          color: "#d8dce4",
        }),
        { ...node("CharacterBody2D", "Hero", "", { position: [60, 279] }, "hero"), script: "res://hero.gd" },
        node("CollisionShape2D", "Shape", "$hero", box([12, 16])),
        node("Polygon2D", "Body", "$hero", {
          polygon: [
            [-6, -8],
            [6, -8],
            [6, 8],
            [-6, 8],
          ],
          color: "#ffb347",
        }),
        node("CanvasLayer", "Hud", "", {}, "hud"),
        node("Label", "Message", "$hud", { text: "Reach the flag", position: [16, 12] }),
        node("CanvasLayer", "Menu", "", {}, "menu"),
        node(
          "PanelContainer",
          "Panel",
          "$menu",
          { position: [220, 90], custom_minimum_size: [200, 0] },
          "panel",
        ),
        node("VBoxContainer", "Box", "$panel", {}, "box"),
        node("Label", "Title", "$box", { text: "Moss Caves", horizontal_alignment: 1 }),
        node("LineEdit", "PlayerName", "$box", { placeholder_text: "Your name" }),
        node("Button", "Play", "$box", { text: "Play" }),
        node("Button", "Load", "$box", { text: "Continue", disabled: true }),
      ],
    });
    await ask("godot_content", {
      action: "cells.paint",
      scene,
      node: "Ground",
      strokes: [
        { rect: { x: 0, y: 18, width: 40, height: 5 }, tile: { atlas: [0, 0] } },
        { rect: { x: 0, y: 19, width: 40, height: 4 }, tile: { atlas: [1, 0] } },
        { rect: { x: 14, y: 16, width: 2, height: 2 }, tile: { atlas: [1, 0] } },
        { rect: { x: 26, y: 12, width: 6, height: 1 }, tile: { atlas: [0, 0] } },
      ],
    });
  },
  play: async (game, onFile) => {
    const { result: screen } = await game("screen");
    assert.deepEqual(
      (screen.items as readonly JsonObject[]).map(({ text, path }) => text ?? path),
      [
        "Reach the flag",
        "Moss Caves",
        "Your name",
        "Play",
        "Continue",
        "/root/Level/Ground",
        "/root/Level/Flag",
        "/root/Level/Hero",
      ],
    );
    const menu = await game("screenshot");
    onFile("godot-play-2d-menu.png", Buffer.from(menu.pictures[0] ?? "", "base64"));
    await game("input", {
      events: [
        { kind: "text", node: "Menu/Panel/Box/PlayerName", text: "Ada" },
        { kind: "click", text: "Play" },
        { kind: "walk", node: "Hero", to: { x: 180 }, actions: { left: "left", right: "right" } },
      ],
    });
    const changed = await game("screenshot", { since: "last" });
    onFile("godot-play-2d-changed.png", Buffer.from(changed.pictures[0] ?? "", "base64"));
    assert.ok(((changed.result.changed as JsonObject).regions as readonly unknown[]).length > 1);
    await game("input", {
      events: [
        { kind: "action", name: "right", pressed: true },
        { kind: "action", name: "jump", hold: 4 },
      ],
    });
    const film = await game("screenshot", { frames: 50, maxSize: 400 });
    onFile("godot-play-2d-film.png", readFileSync(String(film.result.path)));
    await game("input", { events: [{ kind: "action", name: "right", pressed: false }] });
    await game("wait", { expression: '$Hud/Message.text == "Well done, Ada!"' });
  },
  recording: {
    frames: 160,
    inputs: [
      { frame: 3, kind: "text", node: "Menu/Panel/Box/PlayerName", text: "Ada" },
      { frame: 12, kind: "click", text: "Play" },
      { frame: 25, kind: "action", name: "right", hold: 110 },
      { frame: 70, kind: "action", name: "jump" },
    ],
    checks: [
      { frame: 150, node: "Hero", expression: "position", tolerance: 0.5 },
      { frame: 150, node: "Hud/Message", expression: "text" },
    ],
  },
  edits: [
    set("Hud/Message", "text", "Get to the flag"),
    set("Menu/Panel/Box/Title", "text", "MOSS CAVES"),
    ["godot_scene", { action: "create", scene, type: "Marker2D", name: "Exit" }],
    [
      "godot_code",
      { action: "file.edit", path: "res://hero.gd", find: "var jump := 300.0", replace: "var jump := 120.0" },
    ],
    set("Flag/Cloth", "color", "#f06060"),
    set("Menu/Panel/Box/PlayerName", "max_length", 12),
  ],
  breaking: { path: "res://hero.gd", find: "var jump := 300.0", replace: "var jump := 120.0" },
  watch: [
    { node: "Hero", expression: "position" },
    { node: "Hero", expression: "velocity" },
  ],
};

const GUARD = `extends CharacterBody3D

const SPEED := 6.0

@onready var agent: NavigationAgent3D = $Agent


func _physics_process(_delta: float) -> void:
	if agent.target_position == Vector3.ZERO or agent.is_navigation_finished():
		return
	var next := agent.get_next_path_position()
	velocity = Vector3(next.x - position.x, 0, next.z - position.z).normalized() * SPEED
	move_and_slide()
`;

/** A guard who walks around a wall. */
export const NIGHT_GUARD: GamePlan = {
  name: "godot-play-3d",
  make: async (ask) => {
    await begin(ask, "Night Guard", "#141a26", []);
    await ask("godot_code", { action: "file.write", path: "res://guard.gd", content: GUARD });
    await ask("godot_scene", { action: "new", scene, type: "Node3D", name: "Yard" });
    await ask("godot_batch", {
      scene,
      edits: [
        node("Camera3D", "Camera", "", { position: [0, 15, 14], rotation_degrees: [-48, 0, 0], fov: 55 }),
        node("DirectionalLight3D", "Moon", "", { rotation_degrees: [-55, -40, 0], shadow_enabled: true }),
        node(
          "NavigationRegion3D",
          "Region",
          "",
          {
            navigation_mesh: { resource: "NavigationMesh", properties: { geometry_parsed_geometry_type: 1 } },
          },
          "region",
        ),
        ...block("Floor", [20, 1, 16], [0, -0.5, 0], "#3c5a48"),
        ...block("Wall", [1, 3, 10], [0, 1.5, 0], "#8a6f5c"),
        {
          ...node("CharacterBody3D", "Guard", "", { position: [-6, 0, 0] }, "guard"),
          script: "res://guard.gd",
        },
        node("CollisionShape3D", "Shape", "$guard", {
          position: [0, 0.9, 0],
          shape: { resource: "CapsuleShape3D", properties: { radius: 0.4, height: 1.7 } },
        }),
        node("MeshInstance3D", "Body", "$guard", {
          position: [0, 0.9, 0],
          mesh: { resource: "CapsuleMesh", properties: { radius: 0.4, height: 1.7 } },
          material_override: material("#ffb347"),
        }),
        node("NavigationAgent3D", "Agent", "$guard", {}),
        node("MeshInstance3D", "Lamp", "", {
          position: [6, 0.3, 0],
          mesh: { resource: "SphereMesh", properties: { radius: 0.3, height: 0.6 } },
          material_override: material("#fff2a8"),
        }),
      ],
    });
    await ask("godot_content", { action: "navigation.bake", scene, node: "Region" });
  },
  play: async (game, onFile) => {
    const { result: screen } = await game("screen");
    const paths = (screen.items as readonly JsonObject[]).map(({ path }) => path);
    for (const path of ["/root/Yard/Guard", "/root/Yard/Lamp"])
      assert.ok(paths.includes(path), String(paths));
    const start = await game("screenshot");
    onFile("godot-play-3d-start.png", Buffer.from(start.pictures[0] ?? "", "base64"));
    const { result } = await game("input", { events: [{ kind: "walk", node: "Guard", toNode: "Lamp" }] });
    assert.equal((result.acts as readonly JsonObject[])[0]?.node, "/root/Yard/Guard");
    const there = await game("screenshot", { since: "last" });
    onFile("godot-play-3d-there.png", Buffer.from(there.pictures[0] ?? "", "base64"));
  },
  recording: {
    frames: 260,
    inputs: [{ frame: 5, kind: "walk", node: "Guard", toNode: "Lamp" }],
    checks: [{ frame: 250, node: "Guard", expression: "position", tolerance: 0.1 }],
  },
  edits: [
    set("Moon", "light_energy", 1.2),
    ["godot_scene", { action: "create", scene, type: "Node3D", name: "Trees" }],
    [
      "godot_code",
      {
        action: "file.edit",
        path: "res://guard.gd",
        find: "\tvar next := agent.get_next_path_position()",
        replace: "\tvar next := agent.target_position",
      },
    ],
    set("Lamp", "position", [6, 0.4, 0]),
    set("Camera", "fov", 54),
  ],
  breaking: {
    path: "res://guard.gd",
    find: "\tvar next := agent.get_next_path_position()",
    replace: "\tvar next := agent.target_position",
  },
  watch: [{ node: "Guard", expression: "position" }],
};

async function begin(
  ask: StoryCall,
  name: string,
  sky: string,
  actions: readonly JsonObject[],
): Promise<void> {
  await ask("godot_project", { action: "project.create", name });
  await ask("godot_project", {
    action: "project_setting.set",
    settings: {
      "application/run/main_scene": scene,
      "display/window/size/viewport_width": 640,
      "display/window/size/viewport_height": 360,
      "rendering/environment/defaults/default_clear_color": sky,
    },
  });
  if (actions.length > 0) await ask("godot_project", { action: "input_map.setup", actions });
}

function node(type: string, name: string, parent: string, properties: JsonObject, as?: string): JsonObject {
  return {
    kind: "create",
    type,
    name,
    ...(parent !== "" && { parent }),
    properties,
    ...(as !== undefined && { as }),
  };
}

function box(size: readonly number[]): JsonObject {
  return { shape: { resource: "RectangleShape2D", properties: { size } } };
}

/** A body of a colour in the region that is baked. */
function block(name: string, size: readonly number[], position: readonly number[], color: string) {
  const own = name.toLowerCase();
  return [
    node("StaticBody3D", name, "$region", { position }, own),
    node("CollisionShape3D", "Shape", `$${own}`, { shape: { resource: "BoxShape3D", properties: { size } } }),
    node("MeshInstance3D", "Mesh", `$${own}`, {
      mesh: { resource: "BoxMesh", properties: { size } },
      material_override: material(color),
    }),
  ];
}

function material(color: string): JsonObject {
  return { resource: "StandardMaterial3D", properties: { albedo_color: color } };
}

function set(node: string, property: string, value: JsonObject[string]): readonly [string, JsonObject] {
  return ["godot_inspector", { action: "set_property", scene, node, property, value: value ?? null }];
}
