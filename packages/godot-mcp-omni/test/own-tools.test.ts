import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolFunctionsOf } from "../src/formats/tool-functions.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const SPAWN = `extends RefCounted
## Fills levels.

## Puts coins into a row,
## from left to right.
static func coins(row: Node2D, count: int, spacing := 32.0, at: Vector2 = Vector2(1, 2)) -> Dictionary:
	var edits := []
	for index: int in count:
		edits.append({
			"kind": "create", "type": "Sprite2D", "parent": ".",
			"name": "Coin%d" % index, "properties": {"position": at + Vector2(spacing * index, row.position.y)},
		})
	return {"edits": edits, "made": count}


## Adds numbers.
static func sum(numbers: Array[int], names: Dictionary = {}) -> int:
	return numbers.reduce(func(all: int, one: int) -> int: return all + one, names.size())


static func broken() -> int:
	var nothing: Node = null
	return nothing.get_child_count()


static func refused() -> Dictionary:
	return {"error": "There is no level yet."}


static func changes(root: Node) -> String:
	root.name = "Changed"
	return root.name


static func _private() -> void:
	pass


func instance() -> void:
	pass
`;

const FILES = { ...GAME, "mcp_tools/spawn.gd": SPAWN };

const calls =
  (server: TestServer) =>
  (tool: string, args: JsonObject = {}, more: JsonObject = {}) =>
    server.call("godot_workflow", { action: "tools.call", tool, args, ...more });

describe("the tools of a project", () => {
  test("are its static functions with their comments, types and defaults", async () => {
    expect(toolFunctionsOf(SPAWN).map(({ name }) => name)).toEqual([
      "coins",
      "sum",
      "broken",
      "refused",
      "changes",
    ]);
    const server = openTestServer({ files: FILES });
    const { result } = await server.call("godot_workflow", { action: "tools.list" });
    expect((result as { tools: unknown[] }).tools[0]).toEqual({
      tool: "spawn.coins",
      description: "Puts coins into a row, from left to right.",
      parameters: [
        { name: "row", type: "Node2D" },
        { name: "count", type: "int" },
        { name: "spacing", type: "Variant", default: "32.0" },
        { name: "at", type: "Vector2", default: "Vector2( 1, 2)" },
      ],
      path: "res://mcp_tools/spawn.gd",
      line: 6,
    });
  });

  test("are found by what they do", async () => {
    const server = openTestServer({ files: FILES });
    const query = "put coins into a row";
    const { result } = await server.call("godot_meta", { action: "tool_search", query });
    expect((result as { candidates: unknown[] }).candidates[0]).toMatchObject({
      ...{ tool: "godot_workflow", action: "tools.call" },
      describe: expect.stringContaining("spawn.coins: coins(row: Node2D, count: int"),
    });
  });

  test("are offered from the start where a project has some, unless the operator named the toolsets", async () => {
    const list = (flags: Readonly<Record<string, string | undefined>>, files = FILES) =>
      openTestServer({ files, flags }).call("godot_workflow", { action: "tools.list" });
    expect(await list({ toolsets: undefined })).toMatchObject({ ok: true });
    expect(await list({ toolsets: undefined }, GAME as typeof FILES)).toMatchObject({
      error: { code: "E_UNSUPPORTED" },
    });
    expect(await list({ toolsets: "default" })).toMatchObject({ error: { code: "E_UNSUPPORTED" } });
  });

  test("are refused by name and arguments before Godot is asked", async () => {
    const call = calls(openTestServer({ files: FILES }));
    expect(await call("spawn.coin")).toMatchObject({
      error: { code: "E_NOT_FOUND", suggestedFix: "Did you mean spawn.coins?" },
    });
    expect(await call("spawn.coins", { row: "." })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: "count: is missing." },
    });
    expect(await call("spawn.sum", { numbers: [1], more: 2 })).toMatchObject({
      error: {
        message: "more: is no parameter.",
        suggestedFix: expect.stringContaining("sum(numbers: Array[int]"),
      },
    });
  });

  test("do not run in a project that is not trusted, nor from a read-only server", async () => {
    const godot = realGodot ?? "/none";
    const untrusted = calls(openTestServer({ files: FILES, flags: { trust: false, godot } }));
    expect(await untrusted("spawn.refused")).toMatchObject({ error: { code: "E_PERMISSION_DENIED" } });
    const reading = calls(openTestServer({ files: FILES, flags: { "read-only": true, godot } }));
    expect(await reading("spawn.refused")).toMatchObject({ error: { code: "E_PERMISSION_DENIED" } });
  });
});

describe.skipIf(realGodot === undefined)("a tool of the project", () => {
  const ends: (() => void | Promise<void>)[] = [];
  let server: TestServer;
  let call: ReturnType<typeof calls>;

  beforeAll(() => {
    server = openTestServer({
      files: FILES,
      flags: { godot: realGodot ?? "" },
      later: (end) => ends.unshift(end),
    });
    call = calls(server);
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  test("edits a scene by the edits that it returns, which one undo takes back", async () => {
    const before = server.read("main.tscn");
    const answer = await call("spawn.coins", { row: "Player", count: 3 }, { scene: "res://main.tscn" });
    expect(answer, JSON.stringify(answer.error)).toMatchObject({
      ok: true,
      result: {
        value: { made: 3 },
        edited: { difference: { added: ["Coin0", "Coin1", "Coin2"] }, saved: true },
      },
    });
    expect(server.read("main.tscn")).toContain("position = Vector2(65, 6)");
    expect(await server.call("godot_scene", { action: "undo" })).toMatchObject({ ok: true });
    expect(server.read("main.tscn")).toBe(before);
  });

  test("gets its arguments as their types, and returns a value", async () => {
    expect(await call("spawn.sum", { numbers: [1, 2, 3], names: { a: 1 } })).toMatchObject({
      ok: true,
      result: { value: 7 },
      execution: { mode: "engine" },
    });
    expect(await call("spawn.sum", { numbers: ["one"] })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("numbers") },
    });
    expect(
      await call("spawn.coins", { row: "Nobody", count: 1 }, { scene: "res://main.tscn" }),
    ).toMatchObject({
      error: { message: expect.stringContaining("Nobody") },
    });
  });

  test("fails with its own words or with Godot's error, and changes nothing", async () => {
    const before = server.read("main.tscn");
    expect(await call("spawn.refused")).toMatchObject({
      error: { code: "E_UNSUPPORTED", message: "There is no level yet." },
    });
    expect(await call("spawn.broken")).toMatchObject({
      error: { message: expect.stringMatching(/spawn\.gd:\d+/) },
    });
    const changed = await call("spawn.changes", {}, { scene: "res://main.tscn" });
    expect(changed).toMatchObject({ ok: true, result: { value: "Changed" } });
    expect(server.read("main.tscn")).toBe(before);
    // The copy that the function changed is not what is edited afterwards.
    const set = { action: "update", scene: "res://main.tscn", node: "Player", properties: { z_index: 1 } };
    const answer = await server.call("godot_scene", set);
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(server.read("main.tscn")).toContain('[node name="Main"');
  });

  test("is called as it is on the disk now", async () => {
    server.write("mcp_tools/spawn.gd", SPAWN.replace("no level yet", "nothing left"));
    expect(await call("spawn.refused")).toMatchObject({ error: { message: "There is nothing left." } });
    server.write("mcp_tools/spawn.gd", `${SPAWN}\nvar = 1\n`);
    expect(await call("spawn.refused")).toMatchObject({
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("does not compile") },
    });
    server.write("mcp_tools/spawn.gd", SPAWN);
    expect(await call("spawn.refused")).toMatchObject({ error: { message: "There is no level yet." } });
  });
});
