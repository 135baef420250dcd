import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { gameProject, value } from "./game-project.ts";
import { pixels } from "./pixels.ts";

const MAIN = `extends Node2D

var x := 100


func _ready() -> void:
	RenderingServer.set_default_clear_color(Color(0, 0, 1))


func _draw() -> void:
	draw_rect(Rect2(x, 100, 50, 50), Color(1, 0, 0))


func _process(_delta: float) -> void:
	if Input.is_action_pressed("ui_right"):
		x += 2
		queue_redraw()
`;
const RED = [255, 0, 0];
const BLUE = [0, 0, 255];

describe.skipIf(displayGodot === undefined)("a game on a virtual display", () => {
  test("is seen: the picture shows what the game drew, scaled, with a path to the whole one", async () => {
    const project = gameProject(displayGodot, { "main.gd": MAIN });
    const before = project.files();
    const game = value(await project.start({ display: "virtual" }));
    expect(game.started).toMatchObject({ display: "virtual", renderer: "gl_compatibility" });
    const shot = value(await game.screenshot({ maxSize: 288 }));
    expect(shot).toMatchObject({ width: 1152, height: 648, shown: { width: 288, height: 162 }, scale: 0.25 });
    const whole = pixels(readFileSync(shot.path));
    expect(whole.at(125, 125)).toEqual(RED);
    expect(whole.at(160, 125)).toEqual(BLUE);
    const shown = pixels(Buffer.from(shot.png, "base64"));
    expect([shown.width, shown.height]).toEqual([288, 162]);
    expect(shown.at(31, 31)).toEqual(RED);

    value(await game.input([{ kind: "key", key: "Right", hold: 50 }]));
    value(await game.pause());
    const x = Number(value(await game.evaluate("x")));
    expect(x).toBeGreaterThanOrEqual(180);
    const unasked = value(await game.screenshot());
    expect(unasked).toMatchObject({ width: 1152, height: 648, shown: { width: 960, height: 540 } });
    expect(pixels(Buffer.from(unasked.png, "base64")).width).toBe(960);
    const moved = pixels(readFileSync(unasked.path));
    expect(moved.at(125, 125)).toEqual(BLUE);
    expect(moved.at(x + 25, 125)).toEqual(RED);
    value(await game.frames(3));
    expect(project.files()).toEqual(before);
  });

  test("is seen to change: regions are marked, and a film is one animated file", async () => {
    const game = value(
      await gameProject(displayGodot, { "main.gd": MAIN }).start({ display: "virtual", fixedFps: 60 }),
    );
    const before = value(await game.screenshot());
    value(await game.input([{ kind: "key", key: "Right", hold: 20 }]));
    const x = Number(value(await game.evaluate("x")));
    const { changed, png, scale, path } = value(await game.screenshot({ since: "last" }));
    // The square has left its place for another, and covers a part of it if it did not go far.
    expect(changed?.share).toBeCloseTo((2 * Math.min(50, x - 100) * 50) / (1152 * 648), 4);
    expect(changed?.regions.every((region) => region.y === 100 && region.height === 50)).toBe(true);
    expect(Math.min(...(changed?.regions ?? []).map((region) => region.x))).toBe(100);
    const marked = pixels(Buffer.from(png, "base64"));
    expect(marked.at(Math.floor(100 * scale) - 1, Math.floor(125 * scale))).toEqual(RED);
    expect(value(await game.screenshot({ since: path })).changed).toEqual({ share: 0, regions: [] });
    expect(await game.screenshot({ since: "/etc/passwd" })).toMatchObject({
      failure: { code: "E_NOT_FOUND" },
    });
    expect(before.changed).toBeUndefined();

    const [film] = await Promise.all([
      game.film({ frames: 30, maxSize: 288 }),
      game.input([{ kind: "key", key: "Right", hold: 20 }]),
    ]);
    const { pictures, ...seen } = value(film);
    expect(seen).toMatchObject({ width: 288, height: 162 });
    expect(pictures).toHaveLength(30);
    expect(pictures.filter((picture) => picture.changed > 0).length).toBeGreaterThan(10);
    const file = readFileSync(seen.path);
    expect([file.includes("acTL"), file.toString("latin1").split("fcTL").length - 1]).toEqual([true, 30]);
    // A viewer without animation shows the first picture.
    expect(pixels(file).width).toBe(288);
    const sheet = pixels(Buffer.from(seen.sheet, "base64"));
    expect([sheet.width, sheet.height]).toEqual([864, 486]);
  });

  test("is seen where it stands at a breakpoint", async () => {
    const game = value(
      await gameProject(displayGodot, { "main.gd": MAIN }).start({
        display: "virtual",
      }),
    );
    game.setBreakpoint({ path: "res://main.gd", line: 15 }, true);
    value(await game.waitForStop());
    const picture = pixels(readFileSync(value(await game.screenshot()).path));
    expect(picture.at(125, 125)).toEqual(RED);
  });
});

test.skipIf(displayGodot === undefined)("a game without a display says why there is no picture", async () => {
  const game = value(await gameProject(displayGodot, { "main.gd": MAIN }).start());
  expect(await game.screenshot()).toMatchObject({
    failure: { code: "E_UNSUPPORTED", suggestedFix: expect.stringContaining("virtual") },
  });
});
