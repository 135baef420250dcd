import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";
import { STRICT } from "./strict-rules.ts";

const MAIN = `extends Node2D

var count := 0
var speed := 2.5
var inside := Vector2(1, 2)


func _ready() -> void:
	print("hello")
	printerr("oops")
	push_error("pushed")
	push_warning("warned")
	fail(null)
	print("after")


func fail(thing: Variant) -> void:
	var local := 5
	thing.foo(local)


func _process(_delta: float) -> void:
	count += 1
`;

describe.skipIf(realGodot === undefined)("a game", () => {
  test("is run with nothing written into its project, and tells what it printed and where it failed", async () => {
    const project = gameProject(realGodot, { "main.gd": MAIN });
    const before = project.files();
    const game = value(await project.start());
    expect(game.started).toMatchObject({
      scene: "res://main.tscn",
      display: "none",
      godot: expect.stringMatching(/^4\./),
    });
    expect(game.output().lines.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["hello", "oops", "after"]),
    );
    expect(game.output().lines.find(({ text }) => text === "oops")).toMatchObject({ isError: true });
    const { errors } = game.errors();
    expect(errors).toContainEqual(
      expect.objectContaining({ severity: "error", message: "pushed", path: "res://main.gd", line: 11 }),
    );
    expect(errors).toContainEqual(
      expect.objectContaining({ severity: "warning", message: "warned", path: "res://main.gd", line: 12 }),
    );
    expect(errors).toContainEqual({
      severity: "error",
      message: "Invalid call. Nonexistent function 'foo' in base 'Nil'.",
      path: "res://main.gd",
      line: 19,
      function: "fail",
      stack: [
        { path: "res://main.gd", line: 19, function: "fail" },
        { path: "res://main.gd", line: 13, function: "_ready" },
      ],
      locals: expect.arrayContaining([
        { name: "thing", kind: "local", value: null },
        { name: "local", kind: "local", value: 5 },
        { name: "speed", kind: "member", value: 2.5 },
        {
          name: "self",
          kind: "member",
          value: { object: expect.stringMatching(/^#\d+$/), type: "Node2D", path: "/root/Main" },
        },
      ]),
      times: 1,
    });

    expect(await game.end()).toMatchObject({ ended: true });
    expect(game.status()).toMatchObject({ state: "ended", errors: 2 });
    expect(game.output().lines.map(({ text }) => text)).toContain("after");
    expect(await game.tree()).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
    expect(project.files()).toEqual(before);
  });

  test("shows its tree in pages, and its nodes' values, those no inspector shows too", async () => {
    const project = gameProject(realGodot, { "main.gd": MANY });
    const game = value(await project.start());
    const first = value(await game.tree({ limit: 3 }));
    expect(first).toMatchObject({
      total: 10_003,
      next: 3,
      nodes: [
        { path: "/root", type: "Window", children: 2 },
        { path: "/root/Auto", type: "Node", script: "res://auto.gd" },
        { path: "/root/Main", type: "Node2D", script: "res://main.gd", children: 100 },
      ],
    });
    const seen = new Set<string>();
    let after: number | undefined;
    do {
      const page = value(await game.tree({ limit: 2_500, ...(after !== undefined && { after }) }));
      for (const node of page.nodes) seen.add(String(node.path));
      after = page.next;
    } while (after !== undefined);
    expect(seen.size).toBe(10_003);
    expect(value(await game.tree({ node: "Row7", depth: 1, nameContains: "cell9" })).nodes).toHaveLength(10);
    expect(value(await game.tree({ group: "even", limit: 1 })).total).toBe(50);
    expect(await game.tree({ node: "Rows7" })).toMatchObject({
      failure: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("Row") },
    });

    expect(value(await game.inspect("."))).toMatchObject({
      path: "/root/Main",
      type: "Node2D",
      properties: { count: expect.any(Number), inside: { x: 1, y: 2 }, big: "9007199254740993" },
    });
    const fields = ["least", "many", "mixed"];
    const whole = {
      least: "-9223372036854775808",
      many: ["9007199254740993"],
      mixed: [{ $type: "int", value: "9007199254740993" }, 7],
    };
    expect(value(await game.inspect(".", { fields })).properties).toEqual(whole);
    for (const [name, json] of Object.entries(whole)) {
      value(await game.set(".", name, name === "least" ? 0 : []));
      value(await game.set(".", name, json));
    }
    expect(value(await game.inspect(".", { fields })).properties).toEqual(whole);
    expect(value(await game.evaluate("mixed[0] == big"))).toBe(true);
    expect(await game.set(".", "least", "9223372036854775808")).toMatchObject({
      failure: { code: "E_SCHEMA_VALIDATION" },
    });
    const id = String(value(await game.inspect("Row3")).id);
    expect(value(await game.inspect(`#${id}`))).toMatchObject({ path: "/root/Main/Row3", children: 99 });
    expect(value(await game.inspect("Row3", { fields: ["position"] })).properties).toEqual({
      position: { x: 30, y: 0 },
    });
  });

  test("runs under rules that make every warning an error", async () => {
    const project = gameProject(realGodot, {
      "main.gd": "extends Node2D\n\n\nfunc _ready() -> void:\n\tvar untyped = 1\n\tprint(untyped)\n",
      "auto.gd": "extends Node\n",
    });
    appendFileSync(join(project.folder, "project.godot"), STRICT);
    const game = value(await project.start());
    expect(value(await game.tree()).total).toBe(3);
    expect(game.errors().errors).toMatchObject([
      { path: "res://main.gd", line: 5, message: expect.stringContaining("untyped") },
      { message: expect.stringContaining("Failed to load script") },
    ]);
  });

  test("takes values that fit and says why others do not", async () => {
    const project = gameProject(realGodot, { "main.gd": MANY });
    const game = value(await project.start());
    expect(value(await game.set("Row1", "position", { x: 5, y: 6 }))).toMatchObject({
      old: { x: 10, y: 0 },
      value: { x: 5, y: 6 },
    });
    expect(value(await game.set("Row1", "position:x", 9))).toMatchObject({ value: 9 });
    expect(value(await game.set(".", "inside", { x: 3, y: 4 }))).toMatchObject({ value: { x: 3, y: 4 } });
    expect(value(await game.evaluate("inside.x + Auto.score"))).toBe(10);
    expect(value(await game.evaluate("name", { node: "Row1" }))).toBe("Row1");
    expect(await game.set(".", "insied", 1)).toMatchObject({ failure: { code: "E_SCHEMA_VALIDATION" } });
    expect(await game.set("Row1", "position", "here")).toMatchObject({
      failure: { code: "E_SCHEMA_VALIDATION", details: { expected: "Vector2" } },
    });
    expect(await game.evaluate("nothing + 1")).toMatchObject({ failure: { code: "E_SCHEMA_VALIDATION" } });
    expect(await game.evaluate("1 +")).toMatchObject({ failure: { code: "E_SCHEMA_VALIDATION" } });
  });

  test("is driven by keys, actions, the mouse and text", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": HEARS }).start());
    const heard = () => game.evaluate("heard").then(value);
    const { frames } = value(
      await game.input([
        { kind: "key", key: "Space" },
        { kind: "action", name: "jump", pressed: true, frames: 3 },
        { kind: "action", name: "jump", pressed: false, frames: 2 },
      ]),
    );
    expect(frames).toHaveLength(4);
    expect(frames[2]).toBe((frames[1] ?? 0) + 3);
    expect(frames[3]).toBe((frames[2] ?? 0) + 2);
    // An action comes as the key that it is mapped to.
    const jump = ["key Space", "jumped", "jump in a tick"];
    expect(await heard()).toEqual([...jump, ...jump]);
    value(await game.evaluate("heard.clear()"));
    value(
      await game.input([
        { kind: "key", key: "Ctrl+S" },
        { kind: "key", key: "Shift+1" },
        { kind: "button", x: 40, y: 50, button: "right" },
        { kind: "move", x: 60, y: 70 },
        { kind: "text", text: "Hé" },
      ]),
    );
    expect(await heard()).toEqual([
      "key Ctrl+S",
      "key Shift+1",
      "wrote !",
      "button 2 (40.0, 50.0)",
      "moved to (60.0, 70.0)",
      "key H",
      "wrote H",
      "key (unset)",
      "wrote é",
    ]);
    const given = game.input([{ kind: "key", key: "Space", hold: 30_000 }], {
      signal: AbortSignal.timeout(200),
    });
    expect(await given).toMatchObject({ failure: { code: "E_TIMEOUT", message: "The caller cancelled." } });
    value(await game.waitUntil({ expression: 'not Input.is_action_pressed("jump")' }));
    expect(await game.input([{ kind: "action", name: "jumpp" }])).toMatchObject({
      failure: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("jump") },
    });
    expect(await game.input([{ kind: "key", key: "Spcae" }])).toMatchObject({
      failure: { code: "E_SCHEMA_VALIDATION" },
    });
  });

  test("does not count as hanging while a condition stays false", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MANY }).start());
    const late = await game.waitUntil({ expression: "count < 0" }, { timeoutMs: 300 });
    expect(late).toMatchObject({
      failure: {
        code: "E_TIMEOUT",
        message: expect.stringMatching(
          /^count < 0 did not become true within 300 ms\. The game runs on, at frame \d+/,
        ),
      },
    });
    expect(JSON.stringify(late)).not.toMatch(/hang/);
  });

  test("is paused between two frames and goes on by as many as asked", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MANY }).start());
    const count = async () => Number(value(await game.evaluate("count")));
    const { frame } = value(await game.pause());
    const before = await count();
    expect(game.status().state).toBe("paused");
    expect(value(await game.frames(1)).frame).toBe(frame + 1);
    expect(await count()).toBe(before + 1);
    expect(value(await game.frames(25)).frame).toBe(frame + 26);
    expect(await count()).toBe(before + 26);
    expect(await count()).toBe(before + 26);
    expect(value(await game.evaluate("get_tree().paused"))).toBe(false);
    const passed = value(await game.waitUntil({ expression: "true" })).frame;
    expect(value(await game.waitUntil({ frames: 3 })).frame).toBe(passed + 3);
    expect(game.status().state).toBe("paused");
    const isJumping = async () => value(await game.evaluate('Input.is_action_pressed("jump")'));
    expect(value(await game.input([{ kind: "key", key: "Space", pressed: true }])).frames).toEqual([]);
    expect(await isJumping()).toBe(false);
    value(await game.frames(1));
    expect(await isJumping()).toBe(true);
    value(await game.resume());
    value(await game.input([{ kind: "key", key: "Space", pressed: false }]));
    expect(await isJumping()).toBe(false);
    expect(value(await game.waitUntil({ expression: `count >= ${before + 40}` })).value).toBe(true);
    value(await game.pause());
    const again = await count();
    value(await game.frames(2));
    expect(await count()).toBe(again + 2);
  });

  test("is waited for until a condition is true, the time is up or the caller gives up", async () => {
    const game = value(await gameProject(realGodot, { "main.gd": MANY }).start());
    expect(value(await game.waitUntil({ expression: "count > 20" })).frame).toBeGreaterThan(20);
    expect(await game.waitUntil({ expression: "count < 0" }, { timeoutMs: 50 })).toMatchObject({
      failure: { code: "E_TIMEOUT" },
    });
    expect(
      await game.waitUntil({ expression: "count < 0" }, { signal: AbortSignal.timeout(50) }),
    ).toMatchObject({
      failure: { code: "E_TIMEOUT", message: "The caller cancelled." },
    });
    expect(await game.waitUntil({ expression: "nothing" })).toMatchObject({
      failure: { code: "E_SCHEMA_VALIDATION" },
    });
  });
});

const HEARS = `extends Node2D

var heard := []


func _input(event: InputEvent) -> void:
	if event is InputEventKey and event.pressed:
		heard.append("key " + event.as_text_keycode())
		if event.unicode > 32:
			heard.append("wrote " + char(event.unicode))
	if event is InputEventMouseButton and event.pressed:
		heard.append("button %d %s" % [event.button_index, event.position])
	if event is InputEventMouseMotion and event.position.x == 60:
		heard.append("moved to %s" % get_viewport().get_mouse_position())


func _physics_process(_delta: float) -> void:
	if Input.is_action_just_pressed("jump"):
		heard.append("jump in a tick")


func _process(_delta: float) -> void:
	if Input.is_action_just_pressed("jump"):
		heard.append("jumped")
`;

const MANY = `extends Node2D

var count := 0
var inside := Vector2(1, 2)
var big := 9007199254740993
var least: int = -9223372036854775807 - 1
var many: Array[int] = [9007199254740993]
var mixed: Array = [9007199254740993, 7]


func _ready() -> void:
	for row: int in 100:
		var node := Node2D.new()
		node.name = "Row%d" % row
		node.position.x = row * 10
		if row % 2 == 0:
			node.add_to_group("even")
		for cell: int in 99:
			var child := Node2D.new()
			child.name = "cell%d" % cell
			node.add_child(child)
		add_child(node)


func _process(_delta: float) -> void:
	count += 1
`;
