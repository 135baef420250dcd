import { describe, expect, test } from "vitest";
import { ONE_SCENE } from "./one-scene.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const MAIN = `extends Node2D

var count := 0
var fails_at := -1
var fails_much_at := -1


func _process(_delta: float) -> void:
	count += 1
	if count == fails_at:
		fail_now()
	if count == fails_much_at:
		fail_much()


func fail_now() -> void:
	push_warning("getting warm")
	var nothing: Node = null
	nothing.queue_free()


func fail_much() -> void:
	push_error("first\\nline %s" % "x".repeat(9000))
	for number: int in 8:
		push_error("number %d" % number)
`;

const COUNTER = { ...ONE_SCENE, "main.gd": MAIN };

async function runningGame(files: Readonly<Record<string, string>>) {
  const server = openTestServer({
    files,
    flags: { godot: realGodot ?? "" },
    env: { ALLOW_GAME_CODE: "true" },
  });
  const game = (action: string, args: Record<string, unknown> = {}) =>
    server.call("godot_game", { action, ...args } as never);
  expect(await game("run", { display: "none" })).toMatchObject({ ok: true });
  const evaluate = async (expression: string, args = {}) => {
    const { result, error } = await game("evaluate", { expression, ...args });
    return result === null ? error : result.value;
  };
  return { ...server, game, evaluate };
}

describe.skipIf(realGodot === undefined)("an error in a running game", () => {
  test("is reported once, with the next answer of any tool", async () => {
    const { call, game, evaluate } = await runningGame(COUNTER);
    await evaluate("set('fails_at', count + 200)");
    // A refused call is an answer too.
    const read = async () => {
      const { ok, warnings = [] } = await call("godot_code", { action: "script.read", path: "res://no.gd" });
      expect(ok).toBe(false);
      return warnings;
    };
    let news: readonly string[] = [];
    while (news.length < 2) news = [...news, ...(await read())];
    expect(news).toEqual([
      "game-1: new warning at res://main.gd:17: getting warm",
      expect.stringMatching(/^game-1: new error at res:\/\/main\.gd:19: .*null/),
    ]);
    expect(await read()).toEqual([]);
    expect((await game("status")).warnings).toBeUndefined();

    // Texts are short, and many are counted.
    await game("pause");
    await evaluate("set('fails_much_at', count + 2)");
    const { warnings: many = [] } = await game("step", { frames: 10 });
    expect(many).toEqual([
      expect.stringMatching(/^game-1: new error at res:\/\/main\.gd:23: first line x+$/),
      "game-1: new error at res://main.gd:25: number 0",
      "game-1: new error at res://main.gd:25: number 1",
      "game-1: 6 more; godot_game errors lists them",
    ]);
    expect(String(many).length).toBeLessThan(600);
  });
});

describe.skipIf(realGodot === undefined)("the live tree of a big game", () => {
  test("comes in pages of at most 8 kB, each node once, unless more is asked for", async () => {
    const { game, evaluate } = await runningGame(COUNTER);
    const made = await evaluate("for index in 600:\n\tadd_child(Node2D.new())\nreturn get_child_count()");
    expect(made).toBe(600);
    const paths: string[] = [];
    let pages = 0;
    for (let after: number | undefined = 0; after !== undefined; pages++) {
      const answer = await game("tree", { after });
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(8_000);
      const page = answer.result as unknown as { nodes: { path: string }[]; next?: number };
      paths.push(...page.nodes.map(({ path }) => path));
      after = page.next;
    }
    expect(pages).toBeGreaterThan(2);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(602);
    const more = await game("tree", { limit: 500 });
    expect(more).toMatchObject({ result: { total: 602, next: 500 } });
  });
});

const LIVE = {
  ...ONE_SCENE,
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://main.gd" id="1"]
[ext_resource type="Shader" path="res://glow.gdshader" id="2"]
[ext_resource type="PackedScene" path="res://coin.tscn" id="3"]

[sub_resource type="ShaderMaterial" id="glow"]
shader = ExtResource("2")

[node name="Main" type="Node2D"]
script = ExtResource("1")

[node name="Lamp" type="Sprite2D" parent="."]
material = SubResource("glow")

[node name="Coin" parent="." instance=ExtResource("3")]
position = Vector2(5, 5)

[node name="Other" parent="." instance=ExtResource("3")]
`,
  "coin.tscn": '[gd_scene format=3]\n\n[node name="Coin" type="Node2D"]\n',
  "main.gd": `extends Node2D

var count := 0
var step := 1


func _process(_delta: float) -> void:
	count += step


func version() -> int:
	return 1
`,
  "glow.gdshader": "shader_type canvas_item;\nuniform float glow = 0.5;\n",
} as const;

describe.skipIf(realGodot === undefined)("an edit while the game runs", () => {
  test("of a script by any program reaches it with its values kept, or is reported with a reason", async () => {
    const { call, game, evaluate, write, read } = await runningGame(LIVE);
    await evaluate("set('count', 100000)");
    const edited = await call("godot_code", {
      action: "file.write",
      path: "res://main.gd",
      overwrite: true,
      content: read("main.gd")
        .replace("return 1", "return 2")
        .replace("var step := 1", "var step := 1\nvar lives := 3\nvar list := [3 - 2, 2]"),
    } as never);
    expect(edited).toMatchObject({
      ok: true,
      warnings: ["game-1: reloaded res://main.gd; values are kept."],
    });
    expect(await evaluate("[version(), count >= 100000, lives, list[1]]")).toEqual([2, true, 3, 2]);

    // Somebody else's editor.
    write("main.gd", read("main.gd").replace("return 2", "return 3"));
    expect((await game("status")).warnings).toEqual(["game-1: reloaded res://main.gd; values are kept."]);
    expect(await evaluate("version()")).toBe(3);

    const broken = await call("godot_code", {
      action: "file.edit",
      path: "res://main.gd",
      find: "return 3",
      replace: "return 3 +",
    } as never);
    expect(broken.warnings).toContainEqual(
      expect.stringMatching(
        /^game-1: res:\/\/main\.gd was not reloaded: line 1\d: .*Objects that use it keep/,
      ),
    );
    expect(await call("godot_scene", { action: "undo" })).toMatchObject({
      ok: true,
      warnings: ["game-1: reloaded res://main.gd; values are kept."],
    });
    expect(await evaluate("[version(), count >= 100000, lives]")).toEqual([3, true, 3]);

    write("main.gd", `${read("main.gd")}\n\nvar late := 1\n\n\nfunc _init() -> void:\n\tprint("made")\n`);
    expect((await game("status")).warnings).toEqual([
      "game-1: reloaded res://main.gd; values are kept.",
      "game-1: the new variable late of res://main.gd is null in objects that exist already.",
    ]);
  });

  test.each(["files", "engine"])("of a scene reaches its live instances (%s)", async (mode) => {
    const { call, evaluate } = await runningGame(LIVE);
    await evaluate("set('count', 100000)");
    const set = await call("godot_scene", {
      action: "update",
      scene: "res://main.tscn",
      node: "Lamp",
      properties: { position: { x: 7, y: 8 } },
      mode,
    } as never);
    expect(set).toMatchObject({
      ok: true,
      warnings: ["game-1: reloaded res://main.tscn; in its live instance: set Lamp.position."],
    });
    expect(await evaluate("[get_node('Lamp').position.x, count >= 100000]")).toEqual([7, true]);
    const coin = { scene: "res://coin.tscn", mode };
    expect(
      await call("godot_scene", { action: "create", ...coin, type: "Node2D", name: "Shine" } as never),
    ).toMatchObject({
      warnings: ["game-1: reloaded res://coin.tscn; in 2 live instances: added Shine."],
    });
    expect(await evaluate("get_node('Other/Shine').owner == get_node('Other')")).toBe(true);
    // The scene around it places one of the two.
    await call("godot_scene", {
      action: "update",
      ...coin,
      node: ".",
      properties: { position: { x: 1, y: 1 } },
    } as never);
    expect(await evaluate("[get_node('Coin').position.x, get_node('Other').position.x]")).toEqual([5, 1]);
    await call("godot_scene", { action: "remove", ...coin, node: "Shine" } as never);
    expect(await evaluate("has_node('Other/Shine')")).toBe(false);
  });

  test("of a shader reaches the materials that use it, and settings wait for the next start", async () => {
    const { call, evaluate } = await runningGame(LIVE);
    const code = () => evaluate("get_node('Lamp').material.shader.code.contains('0.9')");
    expect(await code()).toBe(false);
    expect(
      await call("godot_code", {
        action: "file.edit",
        path: "res://glow.gdshader",
        find: "0.5",
        replace: "0.9",
      } as never),
    ).toMatchObject({ warnings: ["game-1: reloaded res://glow.gdshader; values are kept."] });
    expect(await code()).toBe(true);
    expect(
      await call("godot_project", {
        action: "project_setting.set",
        settings: { "display/window/size/viewport_width": 300 },
      } as never),
    ).toMatchObject({
      ok: true,
      warnings: [
        expect.stringMatching(/^game-1: res:\/\/project\.godot was not reloaded: .* Run it again\.$/),
      ],
    });
  });

  test("of a scene reaches what inherits it, but not what is set there; also while the game is paused", async () => {
    const heir = (position: string) =>
      `[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://coin.tscn" id="1"]\n\n[node name="Heir" instance=ExtResource("1")]\n${position}`;
    const { call, game, evaluate } = await runningGame({
      ...LIVE,
      "free.tscn": heir(""),
      "bound.tscn": heir("position = Vector2(6, 6)\n"),
      "unread.gd": "extends Node\n",
      "main.tscn": `${LIVE["main.tscn"].replace(
        'id="3"]',
        'id="3"]\n[ext_resource type="PackedScene" path="res://free.tscn" id="4"]\n[ext_resource type="PackedScene" path="res://bound.tscn" id="5"]',
      )}
[node name="Free" parent="." instance=ExtResource("4")]

[node name="Bound" parent="." instance=ExtResource("5")]
`,
    });
    await game("pause");
    const coin = { action: "update", scene: "res://coin.tscn", node: ".", mode: "files" };
    expect(
      await call("godot_scene", { ...coin, properties: { position: { x: 2, y: 2 } } } as never),
    ).toMatchObject({
      warnings: ["game-1: reloaded res://coin.tscn; in 4 live instances: set Other.position, Free.position."],
    });
    expect(await evaluate("[$Coin, $Other, $Free, $Bound].map(func(each): return each.position.x)")).toEqual([
      5, 2, 2, 6,
    ]);
    const edit = { action: "file.edit", path: "res://main.gd", find: "return 1", replace: "return 2" };
    expect(await call("godot_code", edit)).toMatchObject({
      warnings: ["game-1: reloaded res://main.gd; values are kept."],
    });
    expect(await evaluate("version()")).toBe(2);
    expect(
      await call("godot_code", { ...edit, path: "res://unread.gd", find: "Node", replace: "Node2D" }),
    ).toMatchObject({
      warnings: ["game-1: has not loaded res://unread.gd, and reads the new content when it does."],
    });
  });

  test("waits for a game that is stopped at a breakpoint", async () => {
    const { call, game, evaluate } = await runningGame(LIVE);
    await game("breakpoint", { breakpoints: ["res://main.gd:8"] });
    await game("wait");
    const edit = { action: "file.edit", path: "res://main.gd", find: "return 1", replace: "return 2" };
    expect(await call("godot_code", edit as never)).toMatchObject({
      warnings: ["game-1: is stopped and takes res://main.gd when it continues."],
    });
    expect((await game("stack")).warnings).toBeUndefined();
    await game("breakpoint", { breakpoints: ["res://main.gd:8"], on: false });
    expect(await game("resume")).toMatchObject({
      warnings: ["game-1: reloaded res://main.gd; values are kept."],
    });
    expect(await evaluate("version()")).toBe(2);
  });
});
