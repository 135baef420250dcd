import { describe, expect, test } from "vitest";
import { gameProject } from "./game-project.ts";
import { PLATFORMER } from "./platformer.ts";
import { realGodot } from "./real-godot.ts";
import { startStdioServer } from "./stdio-server.ts";

const RIGHT = { kind: "action", name: "ui_right" };
const JUMP = { kind: "action", name: "ui_accept" };

async function platformer(files: Readonly<Record<string, string>> = {}) {
  const { folder } = gameProject(realGodot, { ...PLATFORMER, ...files });
  const server = await startStdioServer({ root: folder, env: { GODOT_PATH: realGodot ?? "" } });
  const play = (args: object) => server.call("godot_game", { ...args });
  return { ...server, play };
}

describe.skipIf(realGodot === undefined)("a game that is played in steps", () => {
  test("proves jump, coin and game over of a platformer in five calls with the gates closed", async () => {
    const { play } = await platformer();
    expect(await play({ action: "run", paused: true, display: "none" })).toMatchObject({
      ok: true,
      result: { state: "paused" },
    });
    const jumped = await play({
      action: "step",
      node: "Hero",
      frames: 90,
      events: [{ ...JUMP, at: 40 }],
      expressions: ["position.y"],
    });
    expect(jumped).toMatchObject({
      ok: true,
      result: { passed: 90, frame: 90, events: [{ event: 0, frame: 41 }] },
    });
    const [height] = (jumped.result as { watched: { min: number; last: number }[] }).watched;
    expect(height?.min).toBeLessThan((height?.last ?? 0) - 60);

    const coin = await play({
      action: "step",
      until: "$Hero.coins == 1",
      events: [{ ...RIGHT, at: 0, hold: 300 }],
    });
    expect(coin).toMatchObject({
      ok: true,
      result: {
        met: true,
        changed: {
          removed: ["/root/Level/Coin"],
          values: expect.arrayContaining([
            { node: "/root/Level/Hero", property: "coins", old: 0, new: 1 },
            { node: "/root/Level/Hud/Coins", property: "text", old: "Coins: 0", new: "Coins: 1" },
          ]),
        },
        signals: expect.arrayContaining([
          expect.objectContaining({
            node: "/root/Level/Coin",
            signal: "body_entered",
            to: ["Level._on_coin_body_entered"],
          }),
        ]),
      },
    });
    const over = await play({
      action: "step",
      until: "is_over",
      events: [
        { ...RIGHT, at: 0, hold: 300 },
        { ...JUMP, at: 20 },
      ],
    });
    expect(over).toMatchObject({
      ok: true,
      result: {
        met: true,
        events: [{ event: 0 }, { event: 1 }],
        changed: {
          values: expect.arrayContaining([
            { node: "/root/Level/Hud/Over", property: "visible", old: false, new: true },
          ]),
        },
      },
    });
    expect(await play({ action: "stop" })).toMatchObject({
      ok: true,
      logs: expect.arrayContaining(["game over"]),
    });
  });

  test("gives the same game for the same inputs, from its first frame on", async () => {
    const { play } = await platformer();
    const once = async () => {
      await play({ action: "run", paused: true, display: "none" });
      const { result } = await play({
        action: "step",
        frames: 120,
        node: "Hero",
        events: [
          { ...RIGHT, at: 3, hold: 80 },
          { ...JUMP, at: 50 },
        ],
        expressions: ["position", "velocity"],
      });
      await play({ action: "stop" });
      const { game: _, ...same } = result ?? {};
      return same;
    };
    expect(await once()).toEqual(await once());
  });

  test("reports a variable whose node was freed as null, once and without an error", async () => {
    const { play } = await platformer({
      "level.gd": `extends Node2D
var frames := 0
var target: Node
func _ready() -> void:
	target = Node2D.new()
	target.name = "Target"
	add_child(target)
func _physics_process(_delta: float) -> void:
	frames += 1
	if frames == 15:
		target.free()
`,
    });
    await play({ action: "run", paused: true, display: "none" });
    const targets: unknown[] = [];
    for (const _ of [0, 1, 2]) {
      const { result, error, warnings } = await play({ action: "step", frames: 10 });
      expect({ error, warnings }).toEqual({ error: null, warnings: undefined });
      const { values = [] } = Object(result).changed as { values?: { property: string }[] };
      targets.push(values.filter(({ property }) => property === "target"));
    }
    expect(targets).toEqual([
      [],
      [{ node: "/root/Level", property: "target", old: "/root/Level/Target", new: null }],
      [],
    ]);
  });

  test("leaves out changes of numbers that are too small to be shown", async () => {
    const { play } = await platformer({
      "level.gd": `extends Node2D
var tiny := 0.0
var list := []
func _physics_process(_delta: float) -> void:
	tiny += 0.00001
	list.append(1)
`,
    });
    await play({ action: "run", paused: true, display: "none" });
    await play({ action: "step", frames: 200 });
    const { result } = await play({ action: "step", frames: 5 });
    const { values } = Object(result).changed as { values: { node: string; property: string }[] };
    const ofLevel = values.filter(({ node }) => node === "/root/Level");
    // The shown beginnings of the list are equal, but the list is not.
    expect(ofLevel.map(({ property }) => property)).toEqual(["list"]);
  });

  test("is not met in time: says what was seen, and the paused game stands still", async () => {
    const { play } = await platformer();
    await play({ action: "run", paused: true, display: "none" });
    expect(await play({ action: "step", until: "$Hero.coins == 5", maxFrames: 20 })).toMatchObject({
      ok: false,
      error: {
        code: "E_TIMEOUT",
        message: "$Hero.coins == 5 did not become true in 20 frames. Last seen: $Hero.coins is 0.",
        details: { frame: 20, met: false, changed: { values: expect.anything() } },
      },
    });
    const frame = async () => (await play({ action: "tree", limit: 1 })).result?.frame;
    expect(await frame()).toBe(20);
    expect(await play({ action: "wait", expression: "$Hero.velocity.y == 0" })).toMatchObject({ ok: true });
    const waited = await frame();
    expect(await frame()).toBe(waited);
    expect(await play({ action: "watch", expressions: ["$Hero.position.y"], frames: 5 })).toMatchObject({
      ok: true,
      result: { frame: Number(waited) + 5 },
    });
    expect(await frame()).toBe(Number(waited) + 5);
    expect(await play({ action: "wait", expression: "is_over", node: "Hero", timeoutMs: 300 })).toMatchObject(
      { ok: false },
    );
    expect(await play({ action: "step", until: "nope > 1" })).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION" },
    });
    const still = await frame();
    expect(await frame()).toBe(still);
    expect(
      await play({ action: "step", frames: 2, events: [{ kind: "action", name: "jmp" }] }),
    ).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND", message: expect.stringContaining("events[0]") },
    });
  });

  test("clicks at coordinates and reports the signals that fired", async () => {
    const { play } = await platformer();
    await play({ action: "run", paused: true, display: "none", size: [640, 360] });
    expect(await play({ action: "step", events: [{ kind: "click", x: 550, y: 25 }] })).toMatchObject({
      ok: true,
      result: {
        acts: [{ kind: "click", node: "/root/Level/Hud/Again", x: 550, y: 25 }],
        signals: expect.arrayContaining([
          expect.objectContaining({
            node: "/root/Level/Hud/Again",
            signal: "pressed",
            to: ["Level._on_again_pressed"],
          }),
        ]),
      },
    });
    await play({ action: "resume" });
    expect(await play({ action: "input", events: [{ kind: "click", text: "Again" }] })).toMatchObject({
      result: {
        signals: expect.arrayContaining([expect.objectContaining({ signal: "pressed" })]),
      },
    });
    expect(await play({ action: "input", events: [{ kind: "click", x: 4 }] })).toMatchObject({
      error: { message: expect.stringContaining("needs text, node, or x and y") },
    });
  });

  test("is verified in one call, with every error of the run", async () => {
    const { play } = await platformer();
    expect(await play({ action: "verify", display: "none", frames: 30 })).toMatchObject({
      ok: true,
      result: { isClean: true, errors: [], played: { passed: 30 } },
    });
    const broken = await platformer({
      "level.gd": (PLATFORMER["level.gd"] ?? "").replace(
        "\n\nfunc _physics",
        "\n\nfunc _ready() -> void:\n\t$Nope.queue_free()\n\n\nfunc _physics",
      ),
    });
    const answer = await broken.play({ action: "verify", display: "none" });
    expect(answer).toMatchObject({
      ok: true,
      result: {
        isClean: false,
        errors: expect.arrayContaining([
          expect.objectContaining({ path: "res://level.gd", severity: "error" }),
        ]),
      },
    });
    expect(JSON.stringify(answer).length).toBeLessThan(4_000);
    expect(await broken.play({ action: "status" })).toMatchObject({
      result: { games: [{ state: "ended" }] },
    });
  });

  test("steps instances that were started together by one clock, also when a condition ends the step early", async () => {
    const { play } = await platformer({
      "level.gd":
        "extends Node2D\nvar is_over := false\nvar frames := 0\nfunc _process(_delta: float) -> void:\n\tframes += 1\n",
    });
    await play({ action: "run", display: "none", paused: true, instances: ["--host", "--join"] });
    const frames = async (game: string) =>
      (await play({ action: "inspect", game, node: ".", fields: ["frames"] })).result?.properties;
    const step = (game: string, args: object) => play({ action: "step", game, ...args });
    expect(await step("game-1", { frames: 12 })).toMatchObject({ ok: true, result: { passed: 12 } });
    expect([await frames("game-1"), await frames("game-2")]).toEqual([{ frames: 12 }, { frames: 12 }]);
    expect(await step("game-2", { until: "frames == 15" })).toMatchObject({
      result: { met: true, passed: 3 },
    });
    expect([await frames("game-1"), await frames("game-2")]).toEqual([{ frames: 15 }, { frames: 15 }]);
    // Inputs of the other one are queued, and sent in its frames.
    await play({
      action: "input",
      game: "game-2",
      events: [{ kind: "action", name: "ui_right", pressed: true, frames: 2 }],
    });
    await step("game-1", { frames: 10 });
    expect(
      await play({ action: "inspect", game: "game-2", node: "Hero", fields: ["velocity"] }),
    ).toMatchObject({
      result: { properties: { velocity: { x: 200 } } },
    });
    // One that has ended holds nobody up.
    await play({ action: "stop", game: "game-2" });
    expect(await step("game-1", { frames: 5 })).toMatchObject({ ok: true, result: { frame: 30 } });
    await play({ action: "stop" });
    expect(await play({ action: "status" })).toMatchObject({
      result: { games: [{ state: "ended" }, { state: "ended" }] },
    });
  });

  test("runs several instances, each with its arguments", async () => {
    const { play } = await platformer({
      "level.gd": "extends Node2D\nvar mine := OS.get_cmdline_user_args()\nvar is_over := false\n",
    });
    expect(
      await play({ action: "run", display: "none", paused: true, instances: ["--host", "--join a"] }),
    ).toMatchObject({ ok: true, result: { games: ["game-1", "game-2"] } });
    expect(await play({ action: "inspect", game: "game-1", node: ".", fields: ["mine"] })).toMatchObject({
      result: { properties: { mine: ["--host"] } },
    });
    expect(await play({ action: "inspect", game: "game-2", node: ".", fields: ["mine"] })).toMatchObject({
      result: { properties: { mine: ["--join", "a"] } },
    });
  });
});
