import { describe, expect, test } from "vitest";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";

const MAIN = `extends Node2D

var count := 0
var enemy: Node


func _process(_delta: float) -> void:
	count += 1
	if count % 10 == 0:
		var twice := double(count)
		enemy = self
		print("twice ", twice)


func double(number: int) -> int:
	var doubled := number * 2
	work()
	return doubled


func work() -> void:
	for _turn: int in 1000:
		rotation += 0.001
`;
const path = "res://main.gd";

describe.skipIf(realGodot === undefined)("the debugger of a game", () => {
  test("stops at a breakpoint set before the start, tells stack and locals, and goes on line by line", async () => {
    const project = gameProject(realGodot, { "main.gd": MAIN });
    const game = value(await project.start({ breakpoints: [{ path, line: 16 }] }));
    const stop = value(await game.waitForStop());
    expect(stop).toEqual({
      reason: "Breakpoint",
      isError: false,
      stack: [
        { path, line: 16, function: "double" },
        { path, line: 10, function: "_process" },
      ],
    });
    expect(game.status().state).toBe("stopped");
    expect(value(await game.locals(0))).toEqual(
      expect.arrayContaining([
        { name: "number", kind: "local", value: 10 },
        { name: "count", kind: "member", value: 10 },
      ]),
    );
    expect(value(await game.evaluate("number * 100 + count"))).toBe(1010);
    expect(value(await game.evaluate("name", { frame: 1 }))).toBe("Main");
    expect(await game.evaluate("nowhere")).toMatchObject({ failure: { code: "E_SCHEMA_VALIDATION" } });
    expect(game.errors().errors).toEqual([]);
    expect(await game.locals(2)).toMatchObject({ failure: { code: "E_NOT_FOUND" } });
    expect(await game.frames(1)).toMatchObject({
      failure: { code: "E_UNSUPPORTED", message: "The game is stopped at res://main.gd:16: Breakpoint" },
    });
    expect(value(await game.inspect(".", { fields: ["count"] })).properties).toEqual({ count: 10 });

    const at = async (how: "next" | "into" | "out") => value(await game.resumeStop(how))?.stack[0];
    expect(await at("next")).toEqual({ path, line: 17, function: "double" });
    expect(value(await game.locals(0))).toContainEqual({ name: "doubled", kind: "local", value: 20 });
    expect(await at("into")).toEqual({ path, line: 22, function: "work" });
    expect((await at("out"))?.function).toBe("double");
    expect(value(await game.resumeStop("continue"))).toBeUndefined();

    const next = value(await game.waitForStop());
    expect(next.stack[0]).toMatchObject({ line: 16 });
    game.setBreakpoint({ path, line: 16 }, false);
    expect(game.breakpoints()).toEqual([]);
    value(await game.resumeStop("continue"));
    value(await game.waitUntil({ expression: "count > 60" }));
    expect(await game.resumeStop("next")).toMatchObject({ failure: { code: "E_UNSUPPORTED" } });
  });

  test("stops at a script error when asked to, even before the first frame", async () => {
    const project = gameProject(realGodot, {
      "main.gd": "extends Node2D\n\n\nfunc _ready() -> void:\n\tvar missing: Node = null\n\tmissing.free()\n",
    });
    const game = value(await project.start({ stopAtErrors: true }));
    expect(game.stop()).toMatchObject({ isError: true, stack: [{ path, line: 6, function: "_ready" }] });
    expect(value(await game.locals(0))).toContainEqual({ name: "missing", kind: "local", value: null });
  });

  test("breaks into a loop without end and tells where it is", async () => {
    const project = gameProject(realGodot, {
      "main.gd": `extends Node2D

var turns := 0


func _process(_delta: float) -> void:
	if Engine.get_process_frames() > 30:
		while true:
			turns += 1
`,
    });
    const game = value(await project.start());
    const late = await game.waitUntil({ expression: "false" }, { timeoutMs: 1500 });
    expect(late).toMatchObject({
      failure: { code: "E_TIMEOUT", suggestedFix: expect.stringMatching(/break/) },
    });
    const stop = value(await game.break());
    expect(stop.stack[0]).toMatchObject({ path, function: "_process" });
    expect(Number(value(await game.evaluate("turns")))).toBeGreaterThan(0);
    expect(await game.end()).toMatchObject({ ended: true });
  });

  test("counts an error that comes again and again, and keeps it once", async () => {
    const project = gameProject(realGodot, {
      "main.gd": 'extends Node2D\n\n\nfunc _process(_delta: float) -> void:\n\tget_node("Gone").show()\n',
    });
    const game = value(await project.start());
    value(await game.frames(100));
    const { errors } = game.errors();
    expect(errors.map(({ message }) => message)).toEqual([
      'Node not found: "Gone" (relative to "/root/Main").',
      expect.stringContaining("on a null instance"),
    ]);
    expect(errors[1]?.times).toBeGreaterThan(50);
  });

  test("tells monitors, and where the time of scripts goes", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MAIN }).start());
    expect(value(await game.monitors())).toMatchObject({
      object_node_count: expect.any(Number),
      time_fps: expect.any(Number),
    });
    const functions = value(await game.profile(60));
    const work = functions.find((row) => row.function === "work");
    expect(work).toMatchObject({ path, calls: expect.any(Number) });
    expect(work?.calls).toBeGreaterThan(2);
    expect(work?.totalMs).toBeGreaterThan(0);
    expect(functions.every((row) => row.path.startsWith("res://"))).toBe(true);
  });
});
