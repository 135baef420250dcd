import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SceneText } from "../src/formats/scene-text.ts";
import type { Mode } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { modelOf } from "../src/scene-model/scene-model.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

/** Edits of the test game that make sense in any order, some of which fail by then. */
const anyEdit: fc.Arbitrary<SceneEdit> = fc.oneof(
  fc.record({
    kind: fc.constant("add" as const),
    type: fc.constantFrom("Node2D", "Sprite2D"),
    parent: fc.constantFrom(".", "Player", "New"),
    name: fc.constantFrom("New", "Other"),
  }),
  fc.record({ kind: fc.constant("duplicate" as const), node: fc.constantFrom("Player", "Enemy", "New") }),
  fc.record({
    kind: fc.constant("remove" as const),
    node: fc.constantFrom("Player/Sprite", "New", "Enemy2"),
  }),
  fc.record({
    kind: fc.constant("rename" as const),
    node: fc.constantFrom("Player", "New"),
    name: fc.constantFrom("Hero", "Player"),
  }),
  fc.record({
    kind: fc.constant("reparent" as const),
    node: fc.constantFrom("Player", "New", "Player2"),
    parent: fc.constantFrom(".", "Enemy", "Player"),
  }),
  fc.record({
    kind: fc.constant("set" as const),
    node: fc.constantFrom("Player", "Hero"),
    properties: fc.record({
      position: fc.record({ x: fc.integer({ min: -9, max: 9 }), y: fc.integer({ min: -9, max: 9 }) }),
    }),
  }),
  fc.record({
    kind: fc.constant("group" as const),
    node: fc.constantFrom("Player", "Enemy"),
    group: fc.constantFrom("a", "heroes"),
    member: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("instance" as const),
    source: fc.constant("res://enemy.tscn"),
    parent: fc.constantFrom(".", "Player"),
  }),
);

describe("any edit", () => {
  it("is undone byte for byte, step by step, and redone", async () => {
    await fc.assert(
      fc.asyncProperty(edits(8), (list) => takeBack("files", list, openTestServer(), "main.tscn")),
      { numRuns: 30 },
    );
  }, 120_000);

  it.skipIf(realGodot === undefined)(
    "is undone on disk if the engine did it",
    async () => {
      const server = openTestServer({ flags: { godot: realGodot ?? "" } });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(edits(6), (list) => {
          const file = `run${run++}.tscn`;
          server.write(file, GAME["main.tscn"] ?? "");
          return takeBack("engine", list, server, file);
        }),
        { numRuns: 8 },
      );
    },
    240_000,
  );

  it.skipIf(realGodot === undefined)(
    "can be repeated by the engine after it was undone",
    async () => {
      const { call, read } = openTestServer({ flags: { godot: realGodot ?? "" } });
      const scene = "res://main.tscn";
      const move = (x: number) =>
        call("godot_scene", { action: "update", scene, node: "Player", properties: { "position:x": x } });
      for (const x of [5, 6, 7]) {
        expect(await move(x)).toMatchObject({ ok: true, execution: { mode: "engine" } });
        await call("godot_scene", { action: "undo", scene });
        expect(read("main.tscn")).toBe(GAME["main.tscn"]);
      }
    },
    120_000,
  );
});

function edits(maxLength: number): fc.Arbitrary<SceneEdit[]> {
  return fc.array(anyEdit, { minLength: 1, maxLength });
}

async function takeBack(
  mode: Mode,
  list: readonly SceneEdit[],
  server: TestServer,
  file: string,
): Promise<void> {
  const scene = `res://${file}`;
  const states = [server.read(file)];
  for (const edit of list) {
    const answer = await server.call("godot_batch", { scene, edits: [edit] as never, mode });
    const now = server.read(file);
    if (!answer.ok) {
      expect(answer.error?.code, `${answer.summary} ${JSON.stringify(answer.error?.details)}`).not.toBe(
        "E_INTERNAL",
      );
      expect(now).toBe(states.at(-1));
    } else if (now !== states.at(-1)) states.push(now);
  }
  for (const before of states.slice(0, -1).reverse()) {
    expect(await server.call("godot_scene", { action: "undo", scene, mode: "files" })).toMatchObject({
      ok: true,
    });
    expect(server.read(file)).toBe(before);
  }
  for (const after of states.slice(1)) {
    await server.call("godot_scene", { action: "redo", scene, mode: "files" });
    expect(server.read(file)).toBe(after);
  }
  const parsed = SceneText.parse(server.read(file));
  expect(parsed.ok && modelOf(parsed.value).nodes.size).toBeGreaterThan(0);
  expect(server.bugs).toEqual([]);
}
