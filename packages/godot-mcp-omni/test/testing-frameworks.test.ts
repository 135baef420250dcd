import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { systemClock } from "@toolpact/contract";
import { describe, expect, it, vi } from "vitest";
import { runFramework } from "../src/testing/run-framework.ts";
import type { TestReport } from "../src/testing/test-results.ts";
import { GDUNIT4_STAND_IN, GUT_STAND_IN } from "./framework-stand-ins.ts";
import { binaryAt } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GDUNIT4_REPORT, GDUNIT4_TESTS, GUT_REPORT, GUT_TESTS, withoutTimes } from "./recorded-reports.ts";
import { childEnvironment, GAME, openTestServer, type TestServer } from "./server-project.ts";

const GUT_HERO = `extends GutTest

func test_stands() -> void:
	assert_eq(1, 1)

func test_is_hurt() -> void:
	var health := 2
	assert_eq(health, 3)

func test_is_hurt_again() -> void:
	assert_eq(1, 1)

func test_is_for_later() -> void:
	pending("no sword yet")

func test_checks_nothing() -> void:
	pass

class TestArmour extends GutTest:
	func test_is_hurt() -> void:
		assert_eq(1, 1)
`;

const GDUNIT4_HERO = `extends GdUnitTestSuite

func test_stands() -> void:
	assert_int(1).is_equal(1)

func test_is_hurt() -> void:
	assert_int(2).is_equal(3)

func testHasNoUnderscore() -> void:
	assert_int(1).is_equal(1)
`;

const passing = (base: string, test: string) =>
  `extends ${base}\n\nfunc ${test}() -> void:\n\t${base === "GutTest" ? "assert_eq(1, 1)" : "assert_int(1).is_equal(1)"}\n`;

function open(files: Readonly<Record<string, string>>): TestServer {
  return openTestServer({ files: { ...GAME, ...files }, flags: { godot: realGodot ?? "" } });
}

async function run(
  server: TestServer,
  args: Record<string, string | number | boolean> = {},
): Promise<TestReport> {
  const answer = await server.call("godot_test", { action: "run", passed: true, ...args });
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The answer of this action is a report.
  return answer.result as unknown as TestReport;
}

describe.skipIf(realGodot === undefined)("a project's own framework", { timeout: 180_000 }, () => {
  it("is GUT where its addon is: all, one file, one test, or what its configuration names", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_hero.gd": GUT_HERO,
      "test/test_more.gd": passing("GutTest", "test_more"),
      "test/test_inner.gd":
        "extends GutTest\n\nclass TestOne extends GutTest:\n\tfunc test_one():\n\t\tassert_eq(1, 1)\n",
      "test/test_other_kind.gd": "extends Node\n\nfunc test_other() -> void:\n\tpass\n",
    });
    const report = await run(server);
    expect(report).toMatchObject({ framework: "gut", total: 8, passed: 5, failed: 1, skipped: 2 });
    expect(report.results[0]).toEqual({
      suite: "test/test_hero.gd",
      case: "test_is_hurt",
      file: "res://test/test_hero.gd",
      line: 6,
      verdict: "failed",
      durationMs: 250,
      failures: [{ message: "[2] expected to equal [3]:", file: "res://test/test_hero.gd", line: 8 }],
    });
    const of = (name: string) => report.results.find((each) => each.case === name);
    expect(of("test_is_for_later")).toMatchObject({ verdict: "skipped", skipped: "no sword yet" });
    expect(of("test_checks_nothing")).toMatchObject({ verdict: "skipped", skipped: "It asserts nothing." });
    expect(report.results).toContainEqual(
      expect.objectContaining({ suite: "test/test_hero.gd.TestArmour", verdict: "passed", line: 20 }),
    );
    expect(await run(server, { path: "res://test/test_more.gd" })).toMatchObject({ total: 1, passed: 1 });
    expect(await run(server, { path: "res://test/test_hero.gd", test: "test_is_hurt" })).toMatchObject({
      total: 2,
      failed: 1,
    });
    server.write(".gutconfig.json", '{"tests": ["res://test/test_more.gd"], "should_exit": false}');
    expect(await run(server)).toMatchObject({ total: 1, passed: 1 });
    expect(await run(server, { test: "test_stands" })).toMatchObject({ total: 1, passed: 1 });
    expect(await run(server, { path: "res://test" })).toMatchObject({ total: 8 });
  });

  it.each([
    {
      name: "GUT",
      files: { ...GUT_STAND_IN, "test/test_sum.gd": GUT_TESTS },
      args: ["-s", "addons/gut/gut_cmdln.gd", "-gconfig=res://run.json"],
      report: "report.xml",
      recorded: GUT_REPORT,
    },
    {
      name: "gdUnit4",
      files: { ...GDUNIT4_STAND_IN, "test/sum_test.gd": GDUNIT4_TESTS },
      args: [
        ...["-s", "addons/gdUnit4/bin/GdUnitCmdTool.gd", "--ignoreHeadlessMode", "-c"],
        ...["-rd", "res://reports", "-a", "res://test/sum_test.gd"],
      ],
      report: "reports/report_1/results.xml",
      recorded: GDUNIT4_REPORT,
    },
  ])("has a stand-in here that writes what $name writes", async ({ files, args, report, recorded }) => {
    const options = {
      tests: ["res://test/test_sum.gd"],
      should_exit: true,
      junit_xml_file: "res://report.xml",
    };
    const server = open({ ...files, "run.json": JSON.stringify(options) });
    const ran = spawnSync(realGodot ?? "", ["--headless", "--path", server.root, ...args], {
      env: childEnvironment(path.dirname(server.root)),
      encoding: "utf8",
    });
    expect(withoutTimes(server.read(report)), ran.stdout).toBe(withoutTimes(recorded));
  });

  it("of GUT does not hide a script it did not run, nor what failed outside a test", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_other_kind.gd": "extends Node\n\nfunc test_other() -> void:\n\tpass\n",
      "test/test_skipped.gd":
        'extends GutTest\n\nvar skip_script := "later"\n\nfunc test_a() -> void:\n\tpass\n',
      "test/test_around.gd": `${passing("GutTest", "test_a")}\nfunc after_all() -> void:\n\tassert_eq(1, 2)\n`,
    });
    expect((await run(server, { path: "res://test/test_other_kind.gd" })).results).toMatchObject([
      { verdict: "error", failures: [{ message: expect.stringContaining("does it extend GutTest?") }] },
    ]);
    expect((await run(server, { path: "res://test/test_skipped.gd" })).results).toMatchObject([
      { verdict: "skipped", file: "res://test/test_skipped.gd" },
    ]);
    const around = await run(server, { path: "res://test/test_around.gd" });
    expect(around).toMatchObject({ total: 2, passed: 1, error: 1 });
    expect(around.results[0]?.failures?.[0]?.message).toContain("exit code 1");
  });

  it("is gdUnit4 where its addon is, whose report stays out of the project", async () => {
    const server = open({
      ...GDUNIT4_STAND_IN,
      "test/HeroTest.gd": GDUNIT4_HERO,
      "more/HeroTest.gd": passing("GdUnitTestSuite", "test_stands"),
      "more/named_freely.gd": "extends GdUnitTestSuite\n\nfunc test_frees_nothing() -> void:\n\tNode.new()\n",
    });
    const report = await run(server);
    expect(report).toMatchObject({ framework: "gdunit4", total: 5, passed: 4, failed: 1 });
    expect(report.results[0]).toMatchObject({
      suite: "HeroTest",
      case: "test_is_hurt",
      file: "res://test/HeroTest.gd",
      line: 6,
      durationMs: 2,
      failures: [{ message: "Expecting:\n 3\n but was\n 2", file: "res://test/HeroTest.gd", line: 7 }],
    });
    expect(report.results.filter((each) => each.case === "test_stands").map((each) => each.file)).toEqual([
      "res://more/HeroTest.gd",
      "res://test/HeroTest.gd",
    ]);
    expect(await run(server, { test: "test_is_hurt" })).toMatchObject({ total: 1, failed: 1 });
    expect(await run(server, { path: "res://more" })).toMatchObject({ total: 2, passed: 2 });
    expect(readdirSync(server.root)).not.toContain("reports");
  });

  it("of gdUnit4 runs every file, though an old one takes only the first of several", async () => {
    const tool = "addons/gdUnit4/bin/GdUnitCmdTool.gd";
    const takesOne = (GDUNIT4_STAND_IN[tool] ?? "").replace(
      "\tvar scripts:",
      "\t_files.resize(1)\n\tvar scripts:",
    );
    const server = open({
      ...GDUNIT4_STAND_IN,
      [tool]: takesOne,
      "test/a_test.gd": passing("GdUnitTestSuite", "test_a"),
      "test/b_test.gd": passing("GdUnitTestSuite", "test_b"),
    });
    expect(await run(server)).toMatchObject({ total: 2, passed: 2 });
  });

  it("of gdUnit4 has its results from what it printed, if it ends without a report", async () => {
    const tool = "addons/gdUnit4/bin/GdUnitCmdTool.gd";
    const addon = GDUNIT4_STAND_IN[tool] ?? "";
    const printing = addon
      // As gdUnit4 prints: its own colors, a line per test, and the report of a failure below it.
      .replace(
        '\t\tcases += "\\t\\t</testcase>\\n"',
        `\t\tprint("\\tRun Test: %s > %s :STARTED" % [path, method.name])
\t\tvar word := "PASSED" if test.reports.is_empty() else "FAILED"
\t\tprint("\\tRun Test: %s > %s :\\u001b[1m%s\\u001b[0m 4ms" % [path, method.name, word])
\t\tif not test.reports.is_empty():
\t\t\tprint("\\tReport:\\n\\t\\tline %d: %s\\n" % [test.reports[0].line, test.reports[0].text])
\t\tcases += "\\t\\t</testcase>\\n"`,
      )
      .replace("\t# A path that begins with a slash", "\tquit(100 if _failed > 0 else 0)\n\treturn\n\t#");
    expect(printing.split("\n").length).toBeGreaterThan(addon.split("\n").length + 4);
    const server = open({
      ...GDUNIT4_STAND_IN,
      [tool]: printing,
      "test/HeroTest.gd": GDUNIT4_HERO,
      "addons/gdUnit4/test/OwnTest.gd": passing("GdUnitTestSuite", "test_own"),
    });
    const report = await run(server);
    expect(report).toMatchObject({ framework: "gdunit4", total: 3, passed: 2, failed: 1, error: 0 });
    expect(report.results[0]).toEqual({
      suite: "res://test/HeroTest.gd",
      case: "test_is_hurt",
      file: "res://test/HeroTest.gd",
      line: 6,
      verdict: "failed",
      durationMs: 4,
      failures: [{ message: "Expecting:\n3\nbut was\n2", file: "res://test/HeroTest.gd", line: 7 }],
    });
    const own = await run(server, { path: "res://addons/gdUnit4/test" });
    expect(own).toMatchObject({ total: 1, passed: 1, results: [{ case: "test_own" }] });
  });

  it("of gdUnit4 says why it ran nothing", async () => {
    const server = open({
      ...GDUNIT4_STAND_IN,
      "test/a_test.gd": "extends GdUnitTestSuite\n\nfunc test_a() -> void:\n\tthere_is_none()\n",
      "test/b_test.gd": passing("GdUnitTestSuite", "test_b"),
    });
    const answer = await server.call("godot_test", { action: "run" });
    expect(JSON.stringify(answer)).toContain('"Script errors were detected during test discovery!"');
    expect(answer).toMatchObject({
      ok: false,
      error: {
        message: expect.stringMatching(
          /a script of the tests has an error: res:\/\/test\/a_test\.gd:4: Parse Error/,
        ),
      },
    });
    expect(await run(server, { isolate: true })).toMatchObject({ total: 2, passed: 1, error: 1 });
  });

  it.each([
    ["gut", GUT_STAND_IN, "addons/gut/gut_cmdln.gd", "GutTest"],
    ["gdunit4", GDUNIT4_STAND_IN, "addons/gdUnit4/bin/GdUnitCmdTool.gd", "GdUnitTestSuite"],
  ])("of %s that does not compile shows its compile error", async (_name, addon, tool, base) => {
    const server = open({
      ...addon,
      // A framework of another Godot uses what this one does not have.
      [tool]: `${addon[tool]}\n\nfunc _other_version() -> void:\n\tno_such_function()\n`,
      "test/test_a.gd": passing(base, "test_a"),
    });
    const answer = await server.call("godot_test", { action: "run" });
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        message: expect.stringMatching(
          /does not compile on Godot 4.*: res:\/\/addons\/.*\.gd:\d+: Parse Error: .*no_such_function/,
        ),
      },
    });
    expect(JSON.stringify(answer)).not.toContain("\\u001b");
  });

  it("carries the debugger's stack of a script error", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_broken.gd": `extends GutTest

func weapon_name() -> String:
	var weapon: Object = null
	return weapon.name

func test_has_a_weapon() -> void:
	assert_eq(weapon_name(), "sword")

func test_goes_on() -> void:
	weapon_name()
	assert_eq(1, 1)
`,
    });
    const { results } = await run(server, { path: "res://test/test_broken.gd" });
    expect(results.find((each) => each.case === "test_has_a_weapon")).toMatchObject({
      failures: expect.arrayContaining([
        expect.objectContaining({
          file: "res://test/test_broken.gd",
          line: 5,
          locals: { weapon: "null" },
          stack: expect.arrayContaining([
            { file: "res://test/test_broken.gd", line: 8, function: "test_has_a_weapon" },
          ]),
        }),
      ]),
    });
  });

  it("that never ends is asked where it is", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test_endless.gd": `extends "res://addons/gut/test.gd"

func test_endless() -> void:
	DirAccess.make_dir_absolute("res://is_running")
	while true:
		pass
`,
    });
    const file = "res://test_endless.gd";
    const timers: (() => void)[] = [];
    const ran = runFramework([{ file, test: "test_endless", line: 3 }], {
      framework: "gut",
      test: undefined,
      whole: false,
      isolate: true,
      binary: binaryAt(realGodot),
      project: server.root,
      env: childEnvironment(path.dirname(server.root)),
      // The time of the run is up when this test says so.
      clock: {
        ...systemClock,
        after(ms, callback) {
          if (ms < 60_000) return systemClock.after(ms, callback);
          timers.push(callback);
          return () => {};
        },
      },
      signal: new AbortController().signal,
      timeoutMs: 1,
      progress: () => {},
      onOutput: () => {},
    });
    await vi.waitUntil(() => existsSync(path.join(server.root, "is_running")), { timeout: 120_000 });
    for (const isUp of timers) isUp();
    expect(await ran).toMatchObject({
      ok: true,
      value: [{ verdict: "timeout", failures: [{ file, stack: [{ file, function: "test_endless" }] }] }],
    });
  });

  it("that takes Godot down in one file tells of the others when isolated", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_a.gd": passing("GutTest", "test_a"),
      "test/test_b.gd": 'extends GutTest\n\nfunc test_b() -> void:\n\tOS.crash("on purpose")\n',
      "test/test_c.gd": passing("GutTest", "test_c"),
    });
    expect(await run(server, { isolate: true })).toMatchObject({
      total: 3,
      passed: 2,
      crashed: 1,
      results: [
        {
          suite: "res://test/test_b.gd",
          verdict: "crashed",
          failures: [{ stack: [{ file: "res://test/test_b.gd", line: 4, function: "test_b" }] }],
        },
        {},
        {},
      ],
    });
    expect(await server.call("godot_test", { action: "run" })).toMatchObject({
      ok: false,
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("without a report") },
    });
  });

  it("is rejected if its addon is missing", async () => {
    const server = open({ "test/test_hero.gd": "extends Node\n\nfunc test_a() -> void:\n\tpass\n" });
    expect(await server.call("godot_test", { action: "run", framework: "gut" })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("framework own") },
    });
  });
});
