import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gameProject, value } from "./game-project.ts";
import { realGodot } from "./real-godot.ts";
import { STRICT } from "./strict-rules.ts";

const FILES = {
  "main.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://main.gd" id="1"]

[node name="Main" type="Node2D"]
script = ExtResource("1")

[node name="Player" type="Node2D" parent="."]
unique_name_in_owner = true
position = Vector2(3, 4)

[node name="Left Hand" type="Node2D" parent="Player"]
position = Vector2(7, 0)
`,
  "main.gd": `extends Node2D

enum Mood { CALM, ANGRY }

var count := 10
var names: Array[String] = ["a", "b"]


func add(number: int) -> int:
	count += number
	return count


func nothing() -> void:
	count = 0
`,
};

describe.skipIf(realGodot === undefined)("GDScript that is evaluated in a game", () => {
  test("knows nodes as scripts do, from the node that is chosen", async () => {
    const game = value(await gameProject(realGodot, FILES).start());
    const evaluate = async (text: string, node?: string) =>
      value(await game.evaluate(text, node === undefined ? {} : { node }));
    expect(await evaluate("$Player.position.x + %Player.position.y")).toBe(7);
    expect(await evaluate('$"Player/Left Hand".get_index() % 4')).toBe(0);
    expect(await evaluate("count %3 + count % 4")).toBe(3);
    expect(await evaluate('"$Player 100%"')).toBe("$Player 100%");
    expect(await evaluate('$"Left Hand".position.x', "Player")).toBe(7);
    expect(await evaluate("$Player == %Player and not $Player.is_queued_for_deletion()")).toBe(true);
    expect(await game.evaluate("$Playr.position")).toMatchObject({
      failure: { code: "E_NOT_FOUND", suggestedFix: "Did you mean Player?" },
    });
    expect(value(await game.waitUntil({ expression: "$Player.position.x > 2" })).value).toBe(true);
  });

  test("may be statements, whose last value is the result", async () => {
    const game = value(await gameProject(realGodot, FILES).start({ stopAtErrors: true }));
    const evaluate = async (text: string, node?: string) =>
      value(await game.evaluate(text, node === undefined ? {} : { node }));
    expect(await evaluate("count = 5")).toBe(null);
    expect(await evaluate("count += 2; count")).toBe(7);
    expect(await evaluate("var sum := 0\nfor i in 4:\n\tsum += i\nsum")).toBe(6);
    expect(await evaluate("for i in 3:\n    add(i)\n# done\ncount")).toBe(10);
    expect(await evaluate("$Player.position.x = 9\n%Player.position.x")).toBe(9);
    expect(await evaluate("position.x = 5\n[position.x, str(name), self == $'../Player']", "Player")).toEqual(
      [5, "Player", true],
    );
    expect(await evaluate("names.map(func(count): return count.to_upper())")).toEqual(["A", "B"]);
    expect(await evaluate("1 if count > 5 else 2")).toBe(1);
    expect(await evaluate("if count > 5:\n\treturn Mood.ANGRY\nreturn -1")).toBe(1);
    expect(
      await evaluate(
        "var before = Engine.get_process_frames()\nawait tree.process_frame\nawait tree.process_frame\nEngine.get_process_frames() - before",
      ),
    ).toBe(2);
    expect(await evaluate("process_mode = PROCESS_MODE_ALWAYS\nprocess_mode")).toBe(3);
    expect(await evaluate("Auto.score += 1\nAuto.score")).toBe(8);
    expect(await evaluate("var made := Node2D.new()\nmade.free()\nNode.PROCESS_MODE_ALWAYS")).toBe(3);
    expect(await evaluate("var a = {\n\t'x': 1,\n}\nadd(\n\ta.x\n)")).toBe(11);
    for (const last of ["nothing()", "$Player.rotate(1.0)", "print(3)", "queue_redraw()"])
      expect(await evaluate(`count = 3\n${last}`)).toBe(null);
    expect(game.errors().errors).toEqual([]);
    expect(game.status().state).toBe("running");
  });

  test("knows nodes in a stack frame, and runs statements on a node while the game is stopped", async () => {
    const stopping = {
      ...FILES,
      "main.gd": `${FILES["main.gd"]}\n\nfunc _process(_delta: float) -> void:\n\tvar local := 5\n\tcount += local\n`,
    };
    const line = stopping["main.gd"].split("\n").findIndex((text) => text.includes("count += local")) + 1;
    const game = value(await gameProject(realGodot, stopping).start());
    game.setBreakpoint({ path: "res://main.gd", line }, true);
    value(await game.waitForStop());
    expect(value(await game.evaluate("$Player.position.x + %Player.position.y + local"))).toBe(12);
    expect(value(await game.evaluate("position.x += 1\nposition.x", { node: "Player" }))).toBe(4);
  });

  test("is not held to the rules of a strict project", async () => {
    const project = gameProject(realGodot, { "main.gd": "extends Node2D\n", "auto.gd": "extends Node\n" });
    appendFileSync(join(project.folder, "project.godot"), STRICT);
    const game = value(await project.start());
    expect(value(await game.evaluate("var a = 1\nvar unused = 2\na + 1"))).toBe(2);
    expect(game.errors().errors).toEqual([]);
  });

  test("tells the line of a mistake, when it is read and when it runs, and the game goes on", async () => {
    const game = value(await gameProject(realGodot, FILES).start({ stopAtErrors: true }));
    const failed = async (text: string) => {
      const answer = await game.evaluate(text);
      return answer.ok ? answer.value : answer.failure;
    };
    expect(await failed("var a = 1\nvar b = a +\nb")).toMatchObject({
      code: "E_SCHEMA_VALIDATION",
      message: expect.stringMatching(/^Line 2: .*[Ee]xpected expression/),
      details: { line: 2 },
    });
    expect(await failed("count = 1\ncount = 2\nvar gone = null\ngone.foo()\ncount = 3")).toMatchObject({
      message: expect.stringMatching(/^Line 4: .*foo/),
    });
    expect(await failed("await tree.process_frame\nvar gone = null\ngone.foo()\n4")).toMatchObject({
      message: expect.stringMatching(/^Line 3: .*foo/),
    });
    expect(await failed("1 +")).toMatchObject({ message: expect.stringMatching(/^Line 1: /) });
    expect(value(await game.evaluate("count"))).toBe(2);
    expect(game.errors().errors).toEqual([]);
    expect(game.status().state).toBe("running");
  });
});
