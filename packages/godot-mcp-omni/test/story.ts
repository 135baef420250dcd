import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { pixels } from "./pixels.ts";

/** An answer of a tool: its result, its warnings and the pictures in it. */
export interface StoryAnswer {
  readonly ok: boolean;
  readonly summary: string;
  readonly result: JsonObject | null;
  readonly warnings?: readonly string[];
  readonly pictures: readonly string[];
}

export type StoryCall = (tool: string, args: JsonObject) => Promise<StoryAnswer>;

const BACKGROUND = "#20304a";
const PLAYER = "#ff8030";
const COIN = "#ffe050";

const SCRIPT = `extends Node2D

const SPEED := 240.0

var coin: Node2D
var score := 0


func _process(delta: float) -> void:
	var direction := Input.get_axis("move_left", "move_right")
	position.x += direction * SPEED * delta
	if Input.is_action_just_pressed("grab"):
		grab()


func grab() -> void:
	var worth: int = coin.get_meta("worth", 5)
	score += worth
	coin.hide()
	$"../Score".text = "Score: %d" % score
`;

const TEST = `extends RefCounted


func test_a_grabbed_coin_counts(check) -> void:
	var main: Node = check.scene("res://main.tscn")
	await check.frames(1)
	var player: Node2D = main.get_node("Player")
	player.grab()
	check.equal(player.score, 5)
`;

/**
 * An agent's work in an empty folder, by tool calls only: makes a game, plays it, sees it, finds the mistake
 * that was planted in it, fixes it, tests it and ships it. Each picture is reported by name.
 */
export async function playStory(
  call: StoryCall,
  onPicture: (name: string, png: Buffer) => void,
): Promise<void> {
  const ask = async (tool: string, args: JsonObject): Promise<StoryAnswer & { result: JsonObject }> => {
    const answer = await call(tool, args);
    assert.ok(answer.ok && answer.result !== null, `${tool} ${args.action}: ${answer.summary}`);
    return { ...answer, result: answer.result };
  };
  const game = (action: string, args: JsonObject = {}) => ask("godot_game", { action, ...args });
  const picture = async (name: string) => {
    const { result, pictures } = await game("screenshot");
    onPicture(name, Buffer.from(pictures[0] ?? "", "base64"));
    return pixels(readFileSync(String(result.path)));
  };

  await makeGame(ask);

  // It runs, and is seen.
  await game("run", { display: "virtual", fixedFps: 60 });
  await game("pause");
  const before = await picture("start");
  assert.deepEqual([before.width, before.height], [640, 360]);
  assert.deepEqual(before.at(100, 180), rgb(PLAYER));
  assert.deepEqual(before.at(400, 180), rgb(COIN));
  assert.deepEqual(before.at(300, 180), rgb(BACKGROUND));

  // Keys move the player: the live tree and the picture agree.
  await game("resume");
  await game("input", { events: [{ kind: "key", key: "D", hold: 60 }] });
  await game("pause");
  const { result: moved } = await game("inspect", { node: "Player", fields: ["position"] });
  assert.deepEqual(moved.properties, { position: { x: 340, y: 180 } });
  const { result: tree } = await game("tree", { node: "Player", depth: 1 });
  assert.deepEqual(
    (tree.nodes as readonly JsonObject[]).map(({ path }) => path),
    ["/root/Main/Player", "/root/Main/Player/Body"],
  );
  const after = await picture("moved");
  assert.deepEqual(after.at(340, 180), rgb(PLAYER));
  assert.deepEqual(after.at(100, 180), rgb(BACKGROUND));

  // A breakpoint shows what a line is about to do.
  await game("resume");
  const line = lineOf("position.x +=");
  await game("breakpoint", { breakpoints: [`res://player.gd:${line}`] });
  const { result: stop } = await game("wait");
  assert.deepEqual((stop.stack as readonly JsonObject[])[0], {
    path: "res://player.gd",
    line,
    function: "_process",
  });
  const direction = (stop.locals as readonly JsonObject[]).find(({ name }) => name === "direction");
  assert.deepEqual(direction, { name: "direction", kind: "local", value: 0 });
  const { result: sum } = await game("evaluate", { expression: "position.x + SPEED" });
  assert.equal(sum.value, 580);
  await game("breakpoint", { breakpoints: [`res://player.gd:${line}`], on: false });
  await game("resume");

  // The planted mistake shows itself, with stack and variables, on the very next answer.
  const { warnings: news } = await game("input", { events: [{ kind: "action", name: "grab" }] });
  assert.match(String(news), /game-\d+: new error at res:\/\/player\.gd:\d+/);
  const { result: told } = await game("errors");
  const error = (told.errors as readonly JsonObject[]).find(({ severity }) => severity === "error") ?? {};
  assert.equal(error.path, "res://player.gd");
  assert.equal(error.line, lineOf("coin.get_meta"));
  assert.deepEqual(
    (error.stack as readonly JsonObject[]).map((frame) => frame.function),
    ["grab", "_process"],
  );
  const coin = (error.locals as readonly JsonObject[]).find(({ name }) => name === "coin");
  assert.deepEqual(coin, { name: "coin", kind: "member", value: null });
  await game("stop");

  // It is fixed where the stack says, and holds.
  await ask("godot_code", {
    action: "file.edit",
    path: "res://player.gd",
    find: "var coin: Node2D",
    replace: '@onready var coin: Node2D = $"../Coin"',
  });
  await game("run", { display: "virtual", fixedFps: 60 });
  await game("input", {
    events: [
      { kind: "key", key: "D", hold: 60 },
      { kind: "action", name: "grab" },
    ],
  });
  await game("wait", { expression: 'get_node("Player").score == 5' });
  const { result: clean } = await game("errors");
  assert.deepEqual(clean.errors, []);
  const grabbed = await picture("grabbed");
  assert.deepEqual(grabbed.at(400, 180), rgb(BACKGROUND));
  await game("stop");

  // It is tested and shipped.
  await ask("godot_code", { action: "file.write", path: "res://test/test_player.gd", content: TEST });
  const tests = await ask("godot_test", { action: "run" });
  assert.match(tests.summary, /1 passed/);
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

/** A tool's answer as a client gets it: the envelope as text, then pictures. */
export function pictureBlocks({ content }: { readonly content: unknown }): StoryAnswer {
  const blocks = content as readonly { readonly text?: string; readonly data?: string }[];
  const envelope = JSON.parse(blocks.find(({ text }) => text !== undefined)?.text ?? "") as OkEnvelope;
  return { ...envelope, pictures: blocks.flatMap(({ data }) => data ?? []) };
}

async function makeGame(ask: StoryCall): Promise<void> {
  await ask("godot_project", { action: "project.create", name: "Coin" });
  await ask("godot_project", {
    action: "project_setting.set",
    settings: {
      "application/run/main_scene": "res://main.tscn",
      "display/window/size/viewport_width": 640,
      "display/window/size/viewport_height": 360,
      "rendering/environment/defaults/default_clear_color": BACKGROUND,
    },
  });
  await ask("godot_project", {
    action: "input_map.setup",
    actions: [
      { name: "move_left", keys: ["A"] },
      { name: "move_right", keys: ["D"] },
      { name: "grab", keys: ["Space"] },
    ],
  });
  const scene = "res://main.tscn";
  await ask("godot_scene", { action: "new", scene, type: "Node2D", name: "Main" });
  await ask("godot_code", { action: "file.write", path: "res://player.gd", content: SCRIPT });
  await ask("godot_batch", {
    scene,
    edits: [
      ...block("Coin", 400, COIN, 24),
      ...block("Player", 100, PLAYER, 40),
      { kind: "script", node: "Player", script: "res://player.gd" },
      {
        kind: "add",
        type: "Label",
        name: "Score",
        properties: { text: "Score: 0", position: { x: 24, y: 16 } },
      },
    ],
  });
}

/** A node with a square of a colour around its place. */
function block(name: string, x: number, color: string, size: number): readonly JsonObject[] {
  return [
    { kind: "add", type: "Node2D", name, properties: { position: { x, y: 180 } } },
    {
      kind: "add",
      type: "ColorRect",
      parent: name,
      name: "Body",
      properties: {
        color,
        offset_left: -size / 2,
        offset_top: -size / 2,
        offset_right: size / 2,
        offset_bottom: size / 2,
      },
    },
  ];
}

function lineOf(part: string): number {
  return SCRIPT.split("\n").findIndex((line) => line.includes(part)) + 1;
}

function rgb(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
