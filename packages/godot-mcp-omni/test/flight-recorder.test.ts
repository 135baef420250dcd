import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import type { Bisected } from "../src/recording/bisect.ts";
import { displayGodot } from "./display-godot.ts";
import { type Picture, pixels } from "./pixels.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const PLAYER = `extends CharacterBody2D

@export var speed := 200.0
@export var jump := 400.0
@export var gravity := 900.0

var jumps := 0


func _physics_process(delta: float) -> void:
	velocity.x = Input.get_axis("ui_left", "ui_right") * speed
	velocity.y += gravity * delta
	if Input.is_action_just_pressed("ui_accept") and is_on_floor():
		velocity.y = -jump
		jumps += 1
	move_and_slide()
`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Jump"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.6")
`,
  "player.gd": PLAYER,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://player.gd" id="1"]

[sub_resource type="RectangleShape2D" id="body"]
size = Vector2(40, 40)

[sub_resource type="WorldBoundaryShape2D" id="floor"]

[node name="Main" type="Node2D"]

[node name="Sky" type="ColorRect" parent="."]
offset_right = 1152.0
offset_bottom = 648.0
color = Color(0.1, 0.1, 0.3, 1)

[node name="Floor" type="StaticBody2D" parent="."]
position = Vector2(0, 500)

[node name="Shape" type="CollisionShape2D" parent="Floor"]
shape = SubResource("floor")

[node name="Player" type="CharacterBody2D" parent="."]
position = Vector2(200, 480)
script = ExtResource("1")

[node name="Shape" type="CollisionShape2D" parent="Player"]
shape = SubResource("body")

[node name="Body" type="ColorRect" parent="Player"]
offset_left = -20.0
offset_top = -20.0
offset_right = 20.0
offset_bottom = 20.0
color = Color(1, 0.5, 0, 1)

[node name="Score" type="Label" parent="."]
offset_right = 200.0
offset_bottom = 30.0
text = "Score"
`,
};

const scene = "res://main.tscn";
const RECORDING = "res://recordings/jump.json";

/** Edits after the jump was recorded; the fifth breaks it. */
const EDITS: readonly [string, JsonObject][] = [
  set("Score", "text", "Points: 0"),
  ["godot_scene", { action: "create", mode: "files", scene, type: "Node2D", name: "Coins" }],
  set("Sky", "color", "#203040"),
  set("Player", "speed", 200),
  [
    "godot_code",
    {
      action: "file.edit",
      path: "res://player.gd",
      find: "gravity * delta",
      replace: "gravity * delta * 2.0",
    },
  ],
  ["godot_scene", { action: "create", mode: "files", scene, type: "Marker2D", name: "Goal" }],
  set("Player/Body", "color", "#ff8000"),
  set("Score", "text", "Points: 1"),
];

function set(node: string, property: string, value: Json): [string, JsonObject] {
  return ["godot_inspector", { action: "set_property", mode: "files", scene, node, property, value }];
}

async function done(server: TestServer, tool: string, args: JsonObject) {
  const answer = await server.call(tool, args);
  if (!answer.ok) throw new Error(`${tool}: ${JSON.stringify(answer.error)}`);
  return answer;
}

async function broken(): Promise<TestServer> {
  const server = openTestServer({ files: FILES, flags: { godot: displayGodot ?? realGodot ?? "" } });
  await done(server, "godot_scene", {
    action: "create",
    mode: "files",
    scene,
    type: "Node2D",
    name: "Start",
  });
  await done(server, "godot_recording", {
    action: "record",
    path: RECORDING,
    frames: 60,
    inputs: [
      { frame: 10, kind: "action", name: "ui_accept" },
      { frame: 10, kind: "action", name: "ui_right", hold: 40 },
    ],
    checks: [
      { frame: 30, node: "Player", expression: "position" },
      { frame: 60, node: "Player", expression: "jumps" },
    ],
  });
  for (const [tool, args] of EDITS) await done(server, tool, args);
  return server;
}

function allFiles(root: string): ReadonlyMap<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith(".godot_mcp") && statSync(path.join(root, name)).isFile(),
  );
  return new Map(names.map((name) => [name, readFileSync(path.join(root, name), "utf8")]));
}

describe.skipIf(realGodot === undefined)("which edit broke a recording", { timeout: 180_000 }, () => {
  it("is found by replaying it between the edits, on a copy, with the first frame that differs", async () => {
    const server = await broken();
    const before = allFiles(server.root);
    const answer = await done(server, "godot_recording", { action: "bisect", path: RECORDING });
    // The answer of this action.
    const found = answer.result as unknown as Bisected;
    expect(found.edit).toMatchObject({
      label: expect.stringContaining("player.gd"),
      call: "godot_code file.edit",
      files: [
        {
          path: "res://player.gd",
          change: "@@ line 12\n-\tvelocity.y += gravity * delta\n+\tvelocity.y += gravity * delta * 2.0",
        },
      ],
    });
    // The jump begins in frame 11; one frame later the heavier player is lower.
    expect(found.frame).toBe(12);
    expect(found.differs).toContainEqual({
      node: "/root/Main/Player",
      property: "global_position",
      before: expect.anything(),
      after: expect.anything(),
    });
    expect(found.difference).toMatch(/^Frame 30: position is /);
    // Eight edits since the recording: both ends, and three in between.
    expect(found.runs).toHaveLength(5);
    expect(answer.summary).toMatch(
      /^Edit \d+ \(.*player\.gd.*\) broke it\. The first frame that differs is 12\./,
    );
    expect(allFiles(server.root)).toEqual(before);
    if (displayGodot !== undefined) {
      expect(found.pictures?.frame).toBe(30);
      const [old, fresh] = server.pictures().map((png) => highestOrange(pixels(png)));
      // Less high in the air after the edit.
      expect(old).toBeLessThan((fresh ?? 0) - 20);
      expect(readFileSync(found.pictures?.difference ?? "").length).toBeGreaterThan(100);
    }

    for (let steps = 0; steps < 4; steps++)
      await done(server, "godot_scene", { action: "undo", mode: "files" });
    expect(await done(server, "godot_recording", { action: "bisect", path: RECORDING })).toMatchObject({
      result: { isSame: true, runs: [{ isSame: true }] },
    });
    const recorded = server.read("recordings/jump.json");
    server.write("recordings/jump.json", recorded.replace('"expected": 1', '"expected": 7'));
    expect(await done(server, "godot_recording", { action: "bisect", path: RECORDING })).toMatchObject({
      summary: expect.stringContaining("It played differently before the oldest edit"),
      result: { isSame: false, difference: "Frame 60: jumps is 1, not 7." },
    });
  });
});

/** The position of the player. */
function highestOrange({ width, height, at }: Picture): number {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += 10) {
      const [red = 0, green = 0, blue = 0] = at(x, y);
      if (red > 240 && green > 100 && green < 150 && blue < 30) return y;
    }
  return height;
}
