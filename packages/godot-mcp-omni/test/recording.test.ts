import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import type { Recording } from "../src/recording/recording.ts";
import type { Verdict } from "../src/recording/verdict.ts";
import { displayGodot } from "./display-godot.ts";
import { ONE_SCENE } from "./one-scene.ts";
import { pixels } from "./pixels.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const MAIN = `extends Node2D

var x := 100.0
var luck := 0
var jumps := 0
var typed := ""
var frames := 0

func _ready() -> void:
	RenderingServer.set_default_clear_color(Color(0, 0, 1))

func _physics_process(delta: float) -> void:
	if Input.is_action_pressed("ui_right"):
		x += 100.0 * delta
	if Input.is_action_just_pressed("ui_accept"):
		jumps += 1

func _process(_delta: float) -> void:
	frames += 1
	luck = randi() % 1000000
	queue_redraw()

func _unhandled_key_input(event: InputEvent) -> void:
	if event.pressed:
		typed += OS.get_keycode_string((event as InputEventKey).physical_keycode)

func _draw() -> void:
	draw_rect(Rect2(x, 100, 50, 50), Color(1, 0, 0))
`;

const FILES: Readonly<Record<string, string>> = {
  ...ONE_SCENE,
  "main.gd": MAIN,
  "notes.json": "{}",
};

const PATH = "res://recordings/walk.json";
const WALK: JsonObject = {
  action: "record",
  path: PATH,
  frames: 90,
  inputs: [
    { frame: 10, kind: "action", name: "ui_right", hold: 30 },
    { frame: 50, kind: "key", key: "Enter" },
    { frame: 60, kind: "key", key: "Enter", pressed: true },
    { frame: 62, kind: "key", key: "Enter", pressed: false },
  ],
  checks: [
    { frame: 1, expression: "frames" },
    { frame: 9, expression: "x" },
    { frame: 10, expression: "x" },
    { frame: 90, expression: "[snappedf(x, 0.001), jumps, typed, frames]" },
    { frame: 90, expression: "luck" },
  ],
};

function open(godot: string | undefined, files: Readonly<Record<string, string>> = {}): TestServer {
  return openTestServer({
    files: { ...FILES, ...files },
    flags: { godot: godot ?? "", "allow-game-code": true },
  });
}

async function recorded(server: TestServer, args: JsonObject): Promise<Recording> {
  const answer = await server.call("godot_recording", args);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The answer of this action holds a recording.
  return answer.result as unknown as Recording;
}

async function replayed(server: TestServer, args: JsonObject = {}) {
  const answer = await server.call("godot_recording", { action: "replay", path: PATH, ...args });
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The answer of this action is a verdict.
  return { ...(answer.result as unknown as Verdict), summary: answer.summary };
}

describe.skipIf(realGodot === undefined)("a recording", { timeout: 180_000 }, () => {
  it("sends each input in its frame and plays the same every time", async () => {
    const server = open(realGodot);
    const { checks } = await recorded(server, WALK);
    const [first, before, begun, end, luck] = checks.map(({ expected }) => expected);
    expect(first).toBe(1);
    expect(before).toBe(100);
    // The physics of the frame sees the input of the frame.
    expect(begun).toBeCloseTo(100 + 100 / 60, 3);
    // The action to the right is its key.
    expect(end).toEqual([150, 2, "RightEnterEnter", 90]);
    expect(luck).toBeTypeOf("number");
    expect(JSON.parse(server.read("recordings/walk.json"))).toMatchObject({ recording: 1, frames: 90 });
    expect(await replayed(server)).toMatchObject({ isSame: true, summary: "The game played as recorded." });
    expect(await replayed(server)).toMatchObject({ isSame: true });
  });

  it("reports differences, and accepts them as expected on request", async () => {
    const server = open(realGodot);
    await recorded(server, WALK);
    server.write("main.gd", MAIN.replace("100.0 * delta", "120.0 * delta"));
    const verdict = await replayed(server);
    expect(verdict.isSame).toBe(false);
    expect(verdict.summary).toMatch(/^Frame 10: x is 102, not 101\.66/);
    expect(verdict.checks[3]).toMatchObject({
      isSame: false,
      expected: [150, 2, "RightEnterEnter", 90],
      got: [160, 2, "RightEnterEnter", 90],
    });
    await replayed(server, { update: true });
    expect(await replayed(server)).toMatchObject({ isSame: true });
  });

  it("compares given expectations with the game", async () => {
    const server = open(realGodot);
    const checks = [{ frame: 20, expression: "jumps", expected: 5 }];
    const answer = await server.call("godot_recording", { ...WALK, checks });
    expect(answer).toMatchObject({
      ok: true,
      summary: expect.stringContaining("Frame 20: jumps is 0, not 5."),
      result: { isSame: false },
    });
  });

  it("tells of script errors on the way, of a game that quits, and where one hangs", async () => {
    const server = open(realGodot);
    await recorded(server, WALK);
    server.write(
      "main.gd",
      `${MAIN}\nfunc _input(_event: InputEvent) -> void:\n\tget_node("Gone").queue_free()\n`,
    );
    const verdict = await replayed(server);
    expect(verdict).toMatchObject({ isSame: false, errors: expect.arrayContaining([expect.anything()]) });
    expect(verdict.errors[0]?.stack[0]).toMatchObject({ file: "res://main.gd", function: "_input" });
    server.write("main.gd", MAIN.replace("frames += 1", "frames += 1\n\tif frames == 5: get_tree().quit()"));
    expect(await server.call("godot_recording", { action: "replay", path: PATH })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_CONNECTED", message: "The game ended before frame 90.", details: { exit: 0 } },
    });
    server.write("main.gd", MAIN.replace("frames += 1", "while true: frames += 1"));
    expect(
      await server.call("godot_recording", { action: "replay", path: PATH, timeoutMs: 3000 }),
    ).toMatchObject({
      ok: false,
      error: {
        code: "E_TIMEOUT",
        details: { stack: expect.arrayContaining([expect.objectContaining({ file: "res://main.gd" })]) },
      },
    });
  });

  it("refuses what it cannot play, and writes nothing then", async () => {
    const server = open(realGodot);
    const cases: readonly [JsonObject, JsonObject][] = [
      [{ inputs: [{ frame: 1, kind: "action", name: "ui_rihgt" }] }, { code: "E_NOT_FOUND" }],
      [{ inputs: [{ frame: 0, kind: "key", key: "A" }] }, { code: "E_SCHEMA_VALIDATION" }],
      [{ inputs: [{ frame: 1, kind: "key", key: "Entre" }] }, { code: "E_SCHEMA_VALIDATION" }],
      [{ checks: [{ frame: 5, expression: "nothing(" }] }, { code: "E_SCHEMA_VALIDATION" }],
      [{ checks: [{ frame: 500, expression: "x" }] }, { code: "E_SCHEMA_VALIDATION" }],
      [{ scene: "res://gone.tscn" }, { code: "E_NOT_FOUND" }],
      [{ path: "res://notes.json" }, { code: "E_SCHEMA_VALIDATION" }],
      [{ path: "res://main.gd" }, { code: "E_SCHEMA_VALIDATION" }],
      [{ pictures: [{ frame: 5 }] }, { code: "E_UNSUPPORTED" }],
    ];
    for (const [args, error] of cases)
      expect(await server.call("godot_recording", { ...WALK, ...args }), JSON.stringify(args)).toMatchObject({
        ok: false,
        error,
      });
    expect(existsSync(path.join(server.root, "recordings"))).toBe(false);
    expect(server.read("notes.json")).toBe("{}");
  });
});

describe.skipIf(displayGodot === undefined)("pictures of a recording", { timeout: 180_000 }, () => {
  it("are compared, and a difference is shown in red", async () => {
    const server = open(displayGodot);
    await recorded(server, { ...WALK, checks: [], pictures: [{ frame: 5 }, { frame: 80 }] });
    const kept = pixels(readFileSync(path.join(server.root, "recordings/walk.80.png")));
    expect(kept.at(125, 125)).toEqual([0, 0, 255]);
    expect(kept.at(175, 125)).toEqual([255, 0, 0]);
    expect(await replayed(server)).toMatchObject({
      isSame: true,
      pictures: [
        { frame: 5, share: 0 },
        { frame: 80, share: 0 },
      ],
    });

    server.write("main.gd", MAIN.replace("Rect2(x, 100, 50, 50)", "Rect2(x, 100, 100, 50)"));
    const { isSame, pictures, summary } = await replayed(server);
    const [shown] = server.pictures().map(pixels);
    expect([shown?.width, shown?.height]).toEqual([960, 540]);
    expect(shown?.at(146, 104)).toEqual([255, 0, 0]);
    expect(isSame).toBe(false);
    expect(summary).toBe("Frame 5: 0.33 % of the picture differ.");
    expect(pictures).toMatchObject([
      { isSame: false, share: 2500 / (1152 * 648), most: 255, width: 1152, height: 648 },
      { isSame: false },
    ]);
    const difference = pixels(readFileSync(pictures[0]?.difference ?? ""));
    expect(difference.at(175, 125)).toEqual([255, 0, 0]);
    const [red = 0, green = 0, blue = 0] = difference.at(125, 125);
    expect([red, green]).toEqual([blue, blue]);
    expect(pixels(readFileSync(pictures[0]?.path ?? "")).at(175, 125)).toEqual([255, 0, 0]);
  });

  it("come with what a person does, when that is captured", async () => {
    const server = open(displayGodot, {
      "main.gd": MAIN.replace(
        "frames += 1",
        `frames += 1
	if frames in [10, 20]:
		var event := InputEventKey.new()
		event.physical_keycode = KEY_ENTER
		event.keycode = KEY_ENTER
		event.pressed = frames == 10
		Input.parse_input_event(event)
	if frames == 25:
		var click := InputEventMouseButton.new()
		click.button_index = MOUSE_BUTTON_RIGHT
		click.position = Vector2(4, 5)
		click.pressed = true
		Input.parse_input_event(click)
	if frames == 30:
		get_window().close_requested.emit()`,
      ),
    });
    expect(await recorded(server, { action: "capture", path: PATH, frames: 600 })).toMatchObject({
      frames: 30,
      inputs: [
        { frame: 11, kind: "key", key: "Enter", pressed: true },
        { frame: 21, kind: "key", key: "Enter", pressed: false },
        { frame: 26, kind: "button", button: "right", x: 4, y: 5, pressed: true },
      ],
    });
    server.write("main.gd", MAIN.replace("jumps += 1", 'assert(false, "jumped after %d" % frames)'));
    // A frame now and then has no tick of physics; then the next one sees the key.
    expect((await replayed(server)).errors).toMatchObject([
      { message: expect.stringMatching(/jumped after 1[01]$/) },
    ]);
  });
});
