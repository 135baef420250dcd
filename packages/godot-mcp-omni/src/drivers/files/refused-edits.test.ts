import { describe, expect, it } from "vitest";
import { edit } from "../../../test/scene-to-edit.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";

describe("an edit is refused", () => {
  const refusals: [string, SceneEdit, string, string][] = [
    [
      "an unknown node",
      { kind: "remove", node: "Playr" },
      "E_NOT_FOUND",
      'There is no node "Playr" in res://main.tscn.',
    ],
    ["an unknown class", { kind: "add", type: "Sprit2D" }, "E_NOT_FOUND", 'no class "Sprit2D"'],
    ["an abstract class", { kind: "add", type: "CollisionObject2D" }, "E_SCHEMA_VALIDATION", "abstract"],
    ["a resource as node", { kind: "add", type: "BoxShape3D" }, "E_SCHEMA_VALIDATION", "is not a node"],
    [
      "an unknown property",
      { kind: "set", node: "Player", properties: { positon: { x: 1, y: 1 } } },
      "E_SCHEMA_VALIDATION",
      'has no property "positon"',
    ],
    [
      "a value of the wrong type",
      { kind: "set", node: "Player", properties: { position: "up" } },
      "E_SCHEMA_VALIDATION",
      "Vector2 is expected as {x, y}",
    ],
    [
      "an unknown choice",
      { kind: "set", node: "Player", properties: { process_mode: "Alwys" } },
      "E_SCHEMA_VALIDATION",
      "Did you mean Always?",
    ],
    [
      "a resource of the wrong class",
      { kind: "set", node: "Player/Shape", properties: { shape: { resource: "BoxShape3D" } } },
      "E_SCHEMA_VALIDATION",
      "A BoxShape3D is not a Shape2D",
    ],
    [
      "a file that is not there",
      { kind: "instance", source: "res://none.tscn" },
      "E_NOT_FOUND",
      "There is no file",
    ],
    [
      "a scene inside itself",
      { kind: "instance", source: "res://main.tscn" },
      "E_SCHEMA_VALIDATION",
      "cannot be put into it",
    ],
    [
      "a node inside itself",
      { kind: "reparent", node: "World", parent: "World/Enemy" },
      "E_SCHEMA_VALIDATION",
      "into itself",
    ],
    ["the root moved", { kind: "reparent", node: ".", parent: "World" }, "E_UNSUPPORTED", "root of a scene"],
    [
      "an inherited node removed",
      { kind: "remove", node: "World/Enemy/Sprite" },
      "E_UNSUPPORTED",
      "comes from res://enemy.tscn",
    ],
    ["a taken name", { kind: "rename", node: "World", name: "Player" }, "E_SCHEMA_VALIDATION", "already"],
    [
      "a name with a slash",
      { kind: "rename", node: "World", name: "a/b" },
      "E_SCHEMA_VALIDATION",
      "cannot be a node's name",
    ],
    ["an index too high", { kind: "move", node: "World", index: 9 }, "E_SCHEMA_VALIDATION", "from 0 to 1"],
    [
      "a path out of the scene",
      { kind: "remove", node: "../x" },
      "E_SCHEMA_VALIDATION",
      "leads out of the scene",
    ],
    [
      "an unknown signal",
      { kind: "connect", node: "Player", signal: "died", to: ".", method: "x" },
      "E_NOT_FOUND",
      'no signal "died"',
    ],
    [
      "an unknown connection",
      { kind: "disconnect", node: "Player", signal: "ready", to: ".", method: "x" },
      "E_NOT_FOUND",
      "is not connected",
    ],
    [
      "a script that does not fit",
      { kind: "script", node: "World", script: "res://player.gd" },
      "E_SCHEMA_VALIDATION",
      "extends CharacterBody2D",
    ],
    ["tiles elsewhere", { kind: "tiles", node: "World", cells: [] }, "E_SCHEMA_VALIDATION", "TileMapLayer"],
  ];
  it.each(refusals)("for %s", async (_, edit, code, message) => {
    const refused = await failure([edit]);
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(message);
  });

  it("and the error suggests the nearest name", async () => {
    expect(await failure([{ kind: "remove", node: "Playr" }])).toMatchObject({
      suggestedFix: "Did you mean Player?",
    });
    expect(await failure([{ kind: "set", node: "Player", properties: { positon: 1 } }])).toMatchObject({
      suggestedFix: "Did you mean position?",
    });
  });

  it("together with every other edit of its batch", async () => {
    expect(
      await failure([
        { kind: "remove", node: "World" },
        { kind: "remove", node: "World" },
      ]),
    ).toMatchObject({ message: expect.stringContaining("Edit 2:"), details: { edit: 1 } });
  });
});

async function failure(edits: SceneEdit[]) {
  const outcome = await edit(edits);
  if (outcome.ok) throw new Error("It was not refused.");
  return outcome.failure;
}
