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

describe.skipIf(realGodot === undefined)("what a game met", () => {
  test("arrives once with the next answer of whichever tool was called", async () => {
    const { call, game, evaluate } = await runningGame(COUNTER);
    await evaluate("set('fails_at', count + 30)");
    const read = async () => {
      const { warnings = [] } = await call("godot_code", { action: "script.read", path: "res://main.gd" });
      return warnings;
    };
    let news: readonly string[] = [];
    for (let reads = 0; reads < 5000 && news.length < 2; reads++) news = [...news, ...(await read())];
    expect(news).toEqual([
      "game-1: new warning at res://main.gd:17: getting warm",
      expect.stringMatching(/^game-1: new error at res:\/\/main\.gd:19: .*null/),
    ]);
    expect(await read()).toEqual([]);
    expect((await game("status")).warnings).toBeUndefined();

    // A refused call is an answer too. Texts are short, and many are counted.
    await evaluate("set('fails_much_at', count + 30)");
    let refused: readonly string[] = [];
    for (let reads = 0; reads < 5000 && refused.length === 0; reads++) {
      const { ok, warnings = [] } = await call("godot_code", { action: "script.read", path: "res://no.gd" });
      expect(ok).toBe(false);
      refused = warnings;
    }
    expect(refused).toEqual([
      expect.stringMatching(/^game-1: new error at res:\/\/main\.gd:23: first line x+$/),
      "game-1: new error at res://main.gd:25: number 0",
      "game-1: new error at res://main.gd:25: number 1",
      "game-1: 6 more; godot_game errors lists them",
    ]);
    expect(String(refused).length).toBeLessThan(600);
  });
});
