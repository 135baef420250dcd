import { readFileSync } from "node:fs";
import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { ONE_SCENE } from "./one-scene.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const MAIN = `extends Node2D

var at := Vector2(100, 300)
var speed := 0.0
var mood := "calm"
var score := 0


func _ready() -> void:
	RenderingServer.set_default_clear_color(Color(0.1, 0.12, 0.2))
	var button := Button.new()
	button.text = "Score <b>"
	button.position = Vector2(20, 20)
	button.pressed.connect(func() -> void: score += 1)
	add_child(button)
	print("ready <script>alert(1)</script>")


func _physics_process(delta: float) -> void:
	speed = lerpf(speed, Input.get_axis("ui_left", "ui_right") * 500.0, 0.1)
	at.x += speed * delta
	at.y = 300.0 - absf(sin(at.x / 60.0)) * 120.0
	if at.x > 500.0 and mood == "calm":
		mood = "lost"
		get_node("Gone").queue_free()
	queue_redraw()


func _draw() -> void:
	draw_rect(Rect2(0, 330, 1152, 318), Color(0.25, 0.5, 0.3))
	draw_circle(at, 30.0, Color(1, 0.7, 0.2))
`;

const PATH = "res://recordings/walk.json";

describe.skipIf(realGodot === undefined)("the report of a play-test", { timeout: 120_000 }, () => {
  it("is one page with pictures, values over time, inputs, frame times, checks and errors", async () => {
    const server = openTestServer({
      files: { ...ONE_SCENE, "main.gd": MAIN },
      flags: { godot: displayGodot ?? realGodot ?? "" },
    });
    const call = async (args: JsonObject) => {
      const answer = await server.call("godot_recording", args);
      if (!answer.ok) throw new Error(JSON.stringify(answer.error));
      return answer;
    };
    const display = displayGodot === undefined ? [] : [{ frame: 5, pixel: { x: 100, y: 400 } }];
    const recorded = await call({
      action: "record",
      path: PATH,
      frames: 120,
      inputs: [
        { frame: 10, kind: "click", text: "score" },
        { frame: 20, kind: "action", name: "ui_right", hold: 80 },
      ],
      checks: [
        { frame: 15, expression: "score" },
        { frame: 100, expression: "at", expected: { x: 1, y: 2 } },
        ...display,
      ],
    });
    if (displayGodot !== undefined)
      expect(recorded.result).toMatchObject({
        checks: [{ expected: 1 }, {}, { pixel: { x: 100, y: 400 }, expected: [64, 128, 77] }],
      });
    const answer = await call({
      action: "report",
      path: PATH,
      watch: [{ expression: "at" }, { expression: "speed" }, { expression: "mood" }],
      shots: 6,
    });
    expect(answer).toMatchObject({
      summary: expect.stringMatching(/^Frame 100: at is .* The report is in .*walk\.html\.$/),
      result: { isSame: false, frames: 120, pictures: displayGodot === undefined ? 0 : 6, errors: 1 },
    });
    const { report } = answer.result as { report: string };
    const page = readFileSync(report, "utf8");
    for (const heading of [
      "Errors",
      "What was seen",
      "Values over time",
      "Inputs",
      "Frame times",
      "Checks",
      "Output",
    ])
      expect(page).toContain(`<h2>${heading}</h2>`);
    expect(page.match(/<img [^>]*src="data:image\/png;base64,/g)?.length ?? 0).toBe(
      displayGodot === undefined ? 0 : 6,
    );
    // Two members of a vector, a number, and the times of the frames.
    expect(page.match(/<path class="line/g)).toHaveLength(4);
    expect(page).toContain("main.gd:25");
    // All it needs is in it, and what the game says stays text.
    expect(page).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(page).toContain("ready &lt;script&gt;");
    expect(page).not.toContain("<script");
  });
});
