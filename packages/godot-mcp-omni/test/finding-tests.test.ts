import { describe, expect, it } from "vitest";
import { outlineOf } from "../src/formats/script-outline.ts";
import { reportOf, type TestResult } from "../src/testing/test-results.ts";
import { GUT_STAND_IN } from "./framework-stand-ins.ts";
import { knownClass } from "./known-class.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const TEST = "\n\nfunc test_a():\n\tassert_eq(1, 1)\n";

describe("a test script", () => {
  it.each([
    "extends GutTest",
    'extends "res://addons/gut/test.gd"',
    "extends 'res://addons/gut/test.gd'",
    "extends '../addons/gut/test.gd'",
    "class_name TestA extends 'res://addons/gut/test.gd'",
    "extends  'res://addons/gut/test.gd' # as in the examples of GUT",
    "@icon('res://icon.svg') class_name TestA extends GutTest",
    "@tool extends GutTest",
  ])("is found that begins with %s", async (first) => {
    const { call } = openTestServer({ files: { ...GAME, ...GUT_STAND_IN, "test/test_a.gd": first + TEST } });
    expect(await call("godot_test", { action: "list" })).toMatchObject({
      ok: true,
      result: { framework: "gut", tests: [{ file: "res://test/test_a.gd", test: "test_a" }] },
    });
  });

  it("names its base class in any of these ways for scenes too", () => {
    expect(outlineOf("extends 'res://a.gd'\n").extends).toBe("res://a.gd");
    expect(outlineOf("@tool extends Label\n").extends).toBe("Label");
    expect(outlineOf("@tool class_name A extends Label\n")).toMatchObject({
      className: "A",
      extends: "Label",
    });
    expect(outlineOf("@export var a := 'x'\n").exports.get("a")?.type).toBe("String");
  });
});

describe.skipIf(realGodot === undefined)("a script with a class_name", { timeout: 180_000 }, () => {
  it("that was moved is imported anew before tests run", async () => {
    const { call } = openTestServer({
      files: {
        ...GAME,
        // Its path when Godot last scanned the project.
        ...knownClass("Hero", "res://hero.gd"),
        "actors/hero.gd": "class_name Hero\nextends Node\n\nvar health := 3\n",
        "test_hero.gd": "extends Node\n\nfunc test_health(check):\n\tcheck.equal(Hero.new().health, 3)\n",
      },
      flags: { godot: realGodot ?? "" },
    });
    expect(await call("godot_test", { action: "run" })).toMatchObject({
      ok: true,
      result: { total: 1, passed: 1 },
    });
  });
});

describe("the report of a test run", () => {
  const result = (test: string, verdict: TestResult["verdict"], more = {}): TestResult => ({
    suite: "res://test/test_a.gd",
    case: test,
    file: "res://test/test_a.gd",
    line: 3,
    verdict,
    durationMs: 1,
    ...more,
  });
  const many = Array.from({ length: 500 }, (_, index) => result(`test_${index}`, "passed"));

  it("lists failed tests and counts passed ones", () => {
    const failed = result("test_bad", "failed", { failures: [{ message: "1 is not 2" }] });
    const skipped = result("test_later", "skipped", { skipped: "later" });
    const noisy = result("test_noisy", "passed", { errors: ["warning: careful (res://a.gd:1)"] });
    const report = reportOf([...many, skipped, noisy, failed]);
    expect(report.results.map((each) => each.case)).toEqual(["test_bad", "test_later", "test_noisy"]);
    expect(report).toMatchObject({
      total: 503,
      passed: 501,
      passedIn: { "res://test/test_a.gd": 501 },
    });
    expect(JSON.stringify(report).length).toBeLessThan(2_000);
  });

  it("lists every test on request", () => {
    expect(reportOf(many, true).results).toHaveLength(500);
  });
});
