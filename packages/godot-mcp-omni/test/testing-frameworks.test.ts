import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TestReport } from "../src/testing/test-results.ts";
import { GDUNIT4_STAND_IN, GUT_STAND_IN } from "./framework-stand-ins.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const HERO = (base: string) => `extends ${base}

func test_stands() -> void:
	pass

func test_is_hurt() -> String:
	return "[2] expected to equal [3]"

func test_is_hurt_again() -> void:
	pass
`;

function open(files: Readonly<Record<string, string>>): TestServer {
  return openTestServer({ files: { ...GAME, ...files }, flags: { godot: realGodot ?? "" } });
}

async function run(
  server: TestServer,
  args: Record<string, string | number | boolean> = {},
): Promise<TestReport> {
  const answer = await server.call("godot_test", { action: "run", ...args });
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The answer of this action is a report.
  return answer.result as unknown as TestReport;
}

describe.skipIf(realGodot === undefined)("a project's own framework", { timeout: 180_000 }, () => {
  it("is GUT where its addon is: all, one file, one test", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_hero.gd": HERO("GutTest"),
      "test/test_more.gd": "extends GutTest\n\nfunc test_more() -> void:\n\tpass\n",
    });
    const report = await run(server);
    expect(report).toMatchObject({ framework: "gut", total: 4, passed: 3, failed: 1 });
    expect(report.results[0]).toEqual({
      suite: "test/test_hero.gd",
      case: "test_is_hurt",
      file: "res://test/test_hero.gd",
      line: 6,
      verdict: "failed",
      durationMs: 250,
      failures: [{ message: "[2] expected to equal [3]", file: "res://test/test_hero.gd", line: 7 }],
    });
    expect(await run(server, { path: "res://test/test_more.gd" })).toMatchObject({ total: 1, passed: 1 });
    expect(await run(server, { test: "test_is_hurt" })).toMatchObject({ total: 1, failed: 1 });
    server.write(".gutconfig.json", '{"tests": ["res://test/test_more.gd"]}');
    expect(await run(server)).toMatchObject({ total: 1, passed: 1 });
    expect(await run(server, { path: "res://test" })).toMatchObject({ total: 4 });
  });

  it("is gdUnit4 where its addon is, whose report stays out of the project", async () => {
    const server = open({ ...GDUNIT4_STAND_IN, "test/HeroTest.gd": HERO("GdUnitTestSuite") });
    const report = await run(server);
    expect(report).toMatchObject({ framework: "gdunit4", total: 3, passed: 2, failed: 1 });
    expect(report.results[0]).toMatchObject({
      suite: "HeroTest",
      case: "test_is_hurt",
      file: "res://test/HeroTest.gd",
      line: 6,
      durationMs: 2,
      failures: [{ message: "[2] expected to equal [3]", file: "res://test/HeroTest.gd", line: 7 }],
    });
    expect(report.results[1]).toMatchObject({ case: "test_stands", file: "res://test/HeroTest.gd", line: 3 });
    expect(await run(server, { test: "test_is_hurt" })).toMatchObject({ total: 1, failed: 1 });
    expect(readdirSync(server.root)).not.toContain("reports");
  });

  it("that takes Godot down in one file tells of the others when isolated", async () => {
    const server = open({
      ...GUT_STAND_IN,
      "test/test_a.gd": "extends GutTest\n\nfunc test_a() -> void:\n\tpass\n",
      "test/test_b.gd": 'extends GutTest\n\nfunc test_b() -> void:\n\tOS.crash("on purpose")\n',
      "test/test_c.gd": "extends GutTest\n\nfunc test_c() -> void:\n\tpass\n",
    });
    expect(await run(server, { isolate: true })).toMatchObject({
      total: 3,
      passed: 2,
      crashed: 1,
      results: [{ suite: "res://test/test_b.gd", verdict: "crashed" }, {}, {}],
    });
    expect(await server.call("godot_test", { action: "run" })).toMatchObject({
      ok: false,
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("without a report") },
    });
  });

  it("is not asked for where it is not", async () => {
    const server = open({ "test/test_hero.gd": HERO("Node") });
    expect(await server.call("godot_test", { action: "run", framework: "gut" })).toMatchObject({
      ok: false,
      error: { code: "E_NOT_FOUND", suggestedFix: expect.stringContaining("framework own") },
    });
  });
});
