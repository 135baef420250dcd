import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const FILES = {
  ...GAME,
  "hero.gd": `class_name Hero
extends Node2D

## How fast it walks.
var speed := 3.0


func walk(steps: int) -> void:
	position.x += steps * speed
`,
  "level.gd": `extends Node2D

var hero := Hero.new()


func _ready() -> void:
	hero.walk(2)
	hero.
`,
  "wrong.gd": 'extends Node\n\nfunc _ready() -> void:\n\tvar a: int = "text"\n\tnothing()\n',
};

describe.skipIf(realGodot === undefined)("Godot's language server", { timeout: START_MS * 2 }, () => {
  let server: TestServer;
  const undo: (() => void | Promise<void>)[] = [];
  beforeAll(() => {
    server = openTestServer({
      files: FILES,
      flags: { godot: realGodot ?? "" },
      later: (step) => undo.unshift(step),
    });
  });
  afterAll(async () => {
    for (const step of undo) await step();
  });

  const ask = async (args: JsonObject) => {
    const answer = await server.call("godot_understand", { action: "language", ...args });
    expect(server.bugs).toEqual([]);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    // The output schema is checked in every call.
    return answer.result as unknown as { items: JsonObject[]; hover?: string };
  };

  it("says what is wrong with a script, and again after it was fixed", async () => {
    const { items } = await ask({ ask: "diagnostics", path: "res://wrong.gd" });
    expect(items.map(({ line, severity }) => [line, severity])).toEqual(
      expect.arrayContaining([
        [4, "error"],
        [5, "error"],
      ]),
    );
    server.write("wrong.gd", "extends Node\n\n\nfunc _ready() -> void:\n\tpass\n");
    expect((await ask({ ask: "diagnostics", path: "res://wrong.gd" })).items).toEqual([]);
  });

  it("lists symbols, completes, explains and finds definitions", async () => {
    const { items } = await ask({ ask: "symbols", path: "res://hero.gd" });
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "speed", line: 5 }),
        expect.objectContaining({ name: "walk", line: 8 }),
      ]),
    );
    const completed = await ask({
      ask: "completion",
      path: "res://level.gd",
      line: 8,
      column: 7,
      limit: 500,
    });
    expect(completed.items.map(({ name }) => name)).toEqual(expect.arrayContaining(["speed"]));
    const at = { path: "res://level.gd", line: 7, column: 8 };
    expect((await ask({ ask: "hover", ...at })).hover).toContain("walk");
    expect((await ask({ ask: "definition", ...at })).items).toEqual([{ path: "res://hero.gd", line: 8 }]);
  });
});

it.skipIf(realGodot === undefined)(
  "Godot's language server knows what other scripts say now",
  { timeout: START_MS * 3 },
  async () => {
    const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const errors = async () => {
      const answer = await server.call("godot_understand", {
        action: "language",
        ask: "diagnostics",
        path: "res://user.gd",
      });
      return (answer.result as unknown as { items: JsonObject[] }).items.map(({ line }) => line);
    };
    server.write("user.gd", "extends Node\n\n\nvar pace: float = Hero.new().speed\n");
    expect(await errors()).toEqual([]);
    server.write("hero.gd", FILES["hero.gd"].replace("3.0", '"fast"').replace("steps * speed", "steps"));
    expect(await errors()).toEqual([4]);
    server.write("foe.gd", "class_name Foe\nextends Node\n\nvar teeth := 3\n");
    server.write(
      "user.gd",
      "extends Node\n\n\nvar count: int = Foe.new().teeth\nvar name_of: String = Foe.new().teeth\n",
    );
    expect(await errors()).toEqual([5]);
  },
);

it.skipIf(realGodot === undefined)(
  "a script that is written answers with its problems once an engine runs",
  { timeout: START_MS * 2 },
  async () => {
    const { call } = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
    const create = {
      action: "script.create",
      path: "res://new.gd",
      content: "extends Node\nvar a: Hero = 1\n",
    };
    expect((await call("godot_code", create)).result).not.toHaveProperty("problems");
    await call("godot_diagnostics", { action: "scripts", paths: ["res://hero.gd"] });
    expect(await call("godot_code", { ...create, overwrite: true })).toMatchObject({
      ok: true,
      summary: expect.stringContaining("1 problem"),
      result: { problems: [{ path: "res://new.gd", line: 2, severity: "error" }] },
    });
    const fix = { action: "file.edit", path: "res://new.gd", find: "= 1", replace: "= null" };
    expect(await call("godot_code", fix)).toMatchObject({
      ok: true,
      summary: expect.stringContaining("It compiles."),
      result: { problems: [] },
    });
  },
);

it("is not started for a project that nobody has trusted", async () => {
  const { call, root } = openTestServer({
    files: FILES,
    flags: { trust: undefined, godot: realGodot ?? "" },
  });
  expect(
    await call("godot_understand", { action: "language", ask: "diagnostics", path: "res://hero.gd" }),
  ).toMatchObject({
    ok: false,
    error: { code: expect.stringMatching(/^E_(?:PERMISSION_DENIED|UNSUPPORTED)$/) },
  });
  expect(existsSync(path.join(root, ".godot"))).toBe(false);
  expect(readFileSync(path.join(root, "hero.gd"), "utf8")).toBe(FILES["hero.gd"]);
});
