import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { systemClock } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { runTests as runInGodot } from "../src/testing/run-tests.ts";
import type { TestReport, TestResult } from "../src/testing/test-results.ts";
import { binaryAt } from "./godot-project.ts";
import { knownClass } from "./known-class.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, GAME, openTestServer, type TestServer } from "./server-project.ts";
import { STRICT } from "./strict-rules.ts";

const TESTS: Readonly<Record<string, string>> = {
  "hero.gd": `class_name Hero
extends Node

signal died

var health := 3

func hurt(by: int) -> void:
	health -= by
	if health <= 0:
		died.emit()

func weapon_name() -> String:
	var weapon: Object = null
	return weapon.name
`,
  "score.gd": `extends Node

var points := 0
`,
  "test/test_hero.gd": `extends Node

var hero: Hero

func before_each() -> void:
	hero = Hero.new()
	add_child(hero)

func after_each() -> void:
	print("after %d" % hero.health)

func test_is_hurt(check) -> void:
	hero.hurt(1)
	check.equal(hero.health, 2)
	check.near(0.1 + 0.2, 0.3)
	check.contains([1, 2], 2)
	check.contains("hello", "ell")

func test_counts_wrong(check) -> void:
	hero.hurt(1)
	check.equal(hero.health, 3, "after one hit")
	check.equal("3", 3)

func test_meets_a_script_error(_check) -> void:
	print("looking")
	hero.weapon_name()

func test_asserts() -> void:
	assert(hero.health == 4, "four lives")

func test_dies(check) -> void:
	hero.hurt.call_deferred(5)
	await check.emits(hero.died)
	await check.until(func(): return hero.health < 0)

func test_waits_in_vain(check) -> void:
	await check.until(func(): return hero.health > 3, 5)

func test_breaks_after_waiting(check) -> void:
	await check.frames(2)
	hero.weapon_name()

func test_is_for_later(check) -> void:
	check.skip("no sword yet")
`,
  "test/test_tree.gd": `extends RefCounted

func test_leaves_things_behind(check) -> void:
	var main: Node = check.scene("res://main.tscn")
	check.is_true(main.is_inside_tree())
	var tree := main.get_tree()
	tree.paused = true
	Engine.time_scale = 4.0
	Score.points = 7
	tree.root.add_child(Node.new())
	Input.action_press("ui_accept")

func test_finds_nothing_of_it(check) -> void:
	var tree: SceneTree = Engine.get_main_loop()
	check.is_false(tree.paused)
	check.equal(Engine.time_scale, 1.0)
	check.is_null(tree.current_scene)
	check.equal(tree.root.get_children().map(func(child): return str(child.name)), ["Score"])
	check.is_false(Input.is_action_pressed("ui_accept"))

func test_finds_the_points(check) -> void:
	check.equal(Score.points, 7)
`,
};

const PROJECT: Readonly<Record<string, string>> = {
  ...GAME,
  "project.godot": `${GAME["project.godot"]}
[autoload]

Score="*res://score.gd"
`,
  ...TESTS,
};

const IMPORTED = { ...PROJECT, ...knownClass("Hero", "res://hero.gd") };

function openProject(files: Readonly<Record<string, string>> = IMPORTED): TestServer {
  return openTestServer({ files, flags: { godot: realGodot ?? "" } });
}

async function runTests(server: TestServer, args: Record<string, string | number | boolean> = {}) {
  const answer = await server.call("godot_test", { action: "run", passed: true, ...args });
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The answer of this action is a report.
  const report = answer.result as unknown as TestReport;
  const byName = new Map(report.results.map((result) => [result.case, result]));
  return { report, summary: answer.summary, of: (name: string): TestResult | undefined => byName.get(name) };
}

/** The audit log grows with every call. */
function filesOf(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return all.filter((file) => !file.startsWith(".godot_mcp")).sort();
}

/** Processes of this machine. */
function commandLines(): string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name)
        ? [readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim()]
        : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

describe.skipIf(realGodot === undefined)("tests without a framework", { timeout: 180_000 }, () => {
  it("run one by one, and each failure says where, what was expected and what came", async () => {
    const server = openProject(PROJECT);
    const { report, summary, of } = await runTests(server, { path: "res://test/test_hero.gd" });
    expect(report).toMatchObject({ total: 8, passed: 2, failed: 2, error: 3, skipped: 1, timeout: 0 });
    expect(summary).toMatch(/^8 tests: 2 passed, 3 broke off, 2 failed, 1 skipped\. First: /);
    expect(of("test_is_hurt")).toMatchObject({
      suite: "res://test/test_hero.gd",
      verdict: "passed",
      line: 12,
      durationMs: expect.any(Number),
    });
    expect(of("test_counts_wrong")?.failures).toEqual([
      {
        message: "after one hit: should be equal",
        expected: "3",
        got: "2",
        file: "res://test/test_hero.gd",
        line: 21,
        stack: [{ file: "res://test/test_hero.gd", line: 21, function: "test_counts_wrong" }],
      },
      expect.objectContaining({ expected: "3", got: '"3"', line: 22 }),
    ]);
    expect(of("test_meets_a_script_error")).toMatchObject({
      verdict: "error",
      output: ["looking", "after 3"],
      failures: [
        {
          file: "res://hero.gd",
          line: 15,
          locals: { weapon: "null" },
          stack: [
            { file: "res://hero.gd", line: 15, function: "weapon_name" },
            { file: "res://test/test_hero.gd", line: 26, function: "test_meets_a_script_error" },
          ],
        },
      ],
    });
    expect(of("test_asserts")?.failures).toMatchObject([
      { message: expect.stringContaining("four lives"), line: 29 },
    ]);
    expect(of("test_breaks_after_waiting")).toMatchObject({ verdict: "error" });
    expect(of("test_waits_in_vain")?.failures).toMatchObject([
      { message: "did not come true within 5 frames" },
    ]);
    expect(of("test_is_for_later")).toMatchObject({ verdict: "skipped", skipped: "no sword yet" });
  });

  it("leave nothing behind for the next one; isolated, not even in autoloads", async () => {
    const server = openProject();
    const path = "res://test/test_tree.gd";
    // Godot itself imports a project that is new to it.
    await runTests(server, { path, test: "test_finds_the_points" });
    const before = filesOf(server.root);
    expect((await runTests(server, { path })).report).toMatchObject({ total: 3, passed: 3 });
    const { of, report } = await runTests(server, { path, isolate: true });
    expect(report).toMatchObject({ total: 3, passed: 2 });
    expect(of("test_finds_the_points")?.failures).toMatchObject([{ expected: "7", got: "0" }]);
    expect(filesOf(server.root)).toEqual(before);
  });

  it("that never end or take Godot down do not hide the others", async () => {
    const server = openProject({
      ...GAME,
      "test_bad.gd": `extends Node

func test_first(check):
	check.is_true(true)

func test_loops():
	var rounds := 0
	while true:
		rounds += 1

func test_waits_for_ever():
	await get_tree().node_added

func test_crashes():
	OS.crash("on purpose")

func test_quits():
	get_tree().quit(3)
	await get_tree().node_added

func test_forks():
	OS.create_process("sleep", ["1234.5"])
	while true:
		pass

func test_floods(check):
	for line in 20000:
		print("line %d" % line)
	check.fail("look at the output")

func test_last(check):
	check.is_true(true)
`,
      "test_syntax.gd": "extends Node\n\nfunc test_never_runs(check):\n\tcheck.equal(1,\n",
      "test_loop.gd": "extends SceneTree\n\nfunc test_no(check):\n\tpass\n",
    });
    const { report, of } = await runTests(server, { timeoutMs: 5000 });
    expect(report).toMatchObject({ total: 10, passed: 2, timeout: 3, crashed: 2, error: 1, failed: 2 });
    expect(of("test_last")?.verdict).toBe("passed");
    expect(of("test_loops")?.failures).toMatchObject([
      {
        message: expect.stringMatching(
          /^It did not end within 5000 ms and was stopped at res:\/\/test_bad\.gd:[89]\.$/,
        ),
        stack: [{ file: "res://test_bad.gd", function: "test_loops" }],
        locals: { rounds: expect.stringMatching(/^\d+$/) },
      },
    ]);
    expect(of("test_waits_for_ever")?.failures).toEqual([
      {
        message: "It did not end within 5000 ms and was stopped while it waited.",
        file: "res://test_bad.gd",
        line: 11,
      },
    ]);
    expect(of("test_crashes")).toMatchObject({
      verdict: "crashed",
      failures: [
        {
          message: expect.stringMatching(/^Godot ended during the test \(SIG[A-Z]+\)\.$/),
          file: "res://test_bad.gd",
          line: 15,
          stack: [{ file: "res://test_bad.gd", line: 15, function: "test_crashes" }],
        },
      ],
      output: expect.arrayContaining([expect.stringContaining("on purpose")]),
    });
    expect(of("test_quits")?.failures).toMatchObject([
      { message: "Godot ended during the test (exit code 3)." },
    ]);
    expect(commandLines()).not.toContain("sleep 1234.5");
    expect(of("test_floods")?.output).toHaveLength(100);
    expect(of("test_never_runs")).toMatchObject({
      verdict: "error",
      failures: expect.arrayContaining([
        expect.objectContaining({ file: "res://test_syntax.gd", line: expect.any(Number) }),
      ]),
    });
    expect(of("test_no")?.failures?.[0]?.message).toContain("extend Node or RefCounted");
  });

  it("that cannot be called, or check after their end, have not passed; long after, it is said", async () => {
    const server = openProject({
      ...GAME,
      "test_calls.gd": `extends Node

var kept

func before_each(check):
	kept = check

func test_two(check, other):
	check.fail("never called")

func test_has_a_default(check, times := 2):
	check.equal(times, 2)

func test_does_not_await(check):
	later(check)

func later(check):
	await check.frames(3)
	check.equal(1, 2, "sum")

func test_leaves_much_to_do(check):
	much_later(check)

func much_later(check):
	await check.frames(3000)
	check.fail("never told")
`,
      "test_each.gd":
        "extends RefCounted\n\nfunc after_each(check, other):\n\tpass\n\nfunc test_fine():\n\tpass\n",
    });
    const { of } = await runTests(server);
    expect(of("test_two")).toMatchObject({
      verdict: "failed",
      failures: [{ message: "test_two wants 2 arguments, and was not called: it gets one, check." }],
    });
    expect(of("test_fine")).toMatchObject({
      verdict: "failed",
      failures: [{ message: expect.stringContaining("after_each wants 2 arguments") }],
    });
    expect(of("test_has_a_default")?.verdict).toBe("passed");
    expect(of("test_does_not_await")).toMatchObject({
      verdict: "failed",
      failures: [{ message: "After the test ended: sum: should be equal. Await the call.", line: 19 }],
    });
    expect(of("test_leaves_much_to_do")).toMatchObject({
      verdict: "passed",
      errors: [expect.stringContaining("what it checks later is not reported")],
    });
  });

  it("that fail in a loop are not called slow, and a slow one tells the errors before", async () => {
    const broken = `extends Node

func broken() -> void:
	var nothing: Object = null
	nothing.free()
`;
    const last = "\nfunc test_once():\n\tbroken()\n";
    const server = openProject({
      ...GAME,
      "test_many.gd": `${broken}
func test_many():
	for turn in 2000:
		broken()
${last}`,
      "test_waits.gd": `${broken}
func test_then_waits():
	for turn in 60:
		broken()
	await get_tree().node_added
${last}`,
    });
    const once = { failures: [{ line: 5, locals: { nothing: "null" } }] };
    const many = await runTests(server, { path: "res://test_many.gd", timeoutMs: 100_000 });
    expect(many.of("test_many")).toMatchObject({ verdict: "error" });
    expect(many.of("test_once")).toMatchObject(once);
    const waiting = await runTests(server, { path: "res://test_waits.gd", timeoutMs: 15_000 });
    expect(waiting.of("test_then_waits")).toMatchObject({
      verdict: "timeout",
      failures: [
        { message: "It did not end within 15000 ms and was stopped while it waited." },
        { message: expect.stringMatching(/^Before that: .+'free'/), file: "res://test_waits.gd", line: 5 },
      ],
    });
    expect(waiting.of("test_once")).toMatchObject(once);
  });

  it("are found where they are inherited or static, and a script without any is named", async () => {
    const server = openProject({
      ...GAME,
      ...knownClass("HeroCases", "res://base/hero_cases.gd"),
      "base/hero_cases.gd":
        "class_name HeroCases\nextends Node\n\nfunc test_base(check):\n\tcheck.is_true(true)\n",
      "base/more.gd": "extends HeroCases\n\nfunc test_more(check):\n\tcheck.is_true(true)\n",
      "test_hero.gd": 'extends "base/more.gd"\n\nstatic func test_static(check):\n\tcheck.is_true(true)\n',
      "test_nothing.gd": "extends Node\n\nfunc tests_it():\n\tpass\n",
    });
    const answer = await server.call("godot_test", { action: "run" });
    expect(answer).toMatchObject({
      ok: true,
      result: { total: 3, passed: 3 },
      warnings: ["res://test_nothing.gd is named like a test, but has no func test_…."],
    });
    expect(await server.call("godot_test", { action: "list", test: "test_base" })).toMatchObject({
      result: { tests: [{ file: "res://test_hero.gd", test: "test_base", line: 1 }] },
    });
  });

  it("stop when the caller gives up, with the Godot they ran in", async () => {
    const server = openProject({
      ...GAME,
      "test_endless.gd":
        "extends Node\n\nfunc test_first():\n\tpass\n\nfunc test_endless():\n\twhile true:\n\t\tpass\n",
    });
    const cancel = new AbortController();
    const file = "res://test_endless.gd";
    const ran = await runInGodot(
      [
        { file, test: "test_first", line: 3 },
        { file, test: "test_endless", line: 6 },
      ],
      {
        binary: binaryAt(realGodot),
        project: server.root,
        env: childEnvironment(path.dirname(server.root)),
        clock: systemClock,
        signal: cancel.signal,
        timeoutMs: 60_000,
        onOutput: () => {},
        isolate: false,
        progress: () => cancel.abort(),
      },
    );
    expect(ran).toMatchObject({ ok: false, failure: { code: "E_TIMEOUT", details: { aborted: true } } });
    expect(commandLines().filter((line) => line.includes(server.root))).toEqual([]);
  });

  it("run however strict the project is with its own scripts", async () => {
    const test =
      'extends Node\n\nfunc test_it(check: RefCounted) -> void:\n\tassert(check.call(&"equal", 1, 1))\n';
    const settings = `${GAME["project.godot"]}${STRICT}`;
    const server = openProject({ ...GAME, "project.godot": settings, "test_strict.gd": test });
    expect((await runTests(server)).report).toMatchObject({ total: 1, passed: 1 });
    server.write("test_strict.gd", test.replace(": RefCounted", ""));
    expect((await runTests(server)).report).toMatchObject({ total: 1, error: 1 });
  });

  it("are chosen by file and by name", async () => {
    const server = openProject();
    expect(await server.call("godot_test", { action: "list", path: "res://test" })).toMatchObject({
      ok: true,
      summary: "11 tests.",
      result: {
        tests: expect.arrayContaining([{ file: "res://test/test_hero.gd", test: "test_dies", line: 31 }]),
      },
    });
    const { report } = await runTests(server, { test: "test_dies" });
    expect(report).toMatchObject({ total: 1, passed: 1 });
    expect(await server.call("godot_test", { action: "run", test: "test_die" })).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean test_dies?" },
    });
    expect(await server.call("godot_test", { action: "run", path: "res://main.tscn" })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION" },
    });
  });
});
