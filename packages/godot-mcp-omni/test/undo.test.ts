import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelOf } from "../src/files/scene-model.ts";
import { SceneText } from "../src/files/scene-text.ts";
import type { SceneEdit } from "../src/godot/operations.ts";
import type { Mode } from "../src/godots.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

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

describe("whatever was edited", () => {
  it("is taken back on disk, byte for byte, step by step, and done again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEdit, { minLength: 1, maxLength: 8 }), (edits) =>
        takeBack("files", edits),
      ),
      { numRuns: 30 },
    );
  }, 120_000);

  it.skipIf(realGodot === undefined)(
    "is taken back on disk by the engine's way too",
    async () => {
      const server = openTestServer({ flags: { godot: realGodot ?? "" } });
      await fc.assert(
        fc.asyncProperty(fc.array(anyEdit, { minLength: 1, maxLength: 6 }), (edits) =>
          takeBack("engine", edits, server),
        ),
        { numRuns: 8 },
      );
    },
    240_000,
  );
});

async function takeBack(mode: Mode, edits: readonly SceneEdit[], server = openTestServer()): Promise<void> {
  server.write("main.tscn", GAME["main.tscn"] ?? "");
  const states = [server.read("main.tscn")];
  for (const edit of edits) {
    const answer = await server.call("godot_batch", { scene, edits: [edit] as never, mode });
    const now = server.read("main.tscn");
    if (!answer.ok) {
      expect(answer.error?.code, answer.summary).not.toBe("E_INTERNAL");
      expect(now).toBe(states.at(-1));
    } else if (now !== states.at(-1)) states.push(now);
  }
  for (const before of states.slice(0, -1).reverse()) {
    expect(await server.call("godot_scene", { action: "undo", scene, mode: "files" })).toMatchObject({
      ok: true,
    });
    expect(server.read("main.tscn")).toBe(before);
  }
  for (const after of states.slice(1)) {
    await server.call("godot_scene", { action: "redo", scene, mode: "files" });
    expect(server.read("main.tscn")).toBe(after);
  }
  const parsed = SceneText.parse(server.read("main.tscn"));
  expect(parsed.ok && modelOf(parsed.value).nodes.size).toBeGreaterThan(0);
  expect(server.bugs).toEqual([]);
}
