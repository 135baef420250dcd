import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const SCRIPT = `using Godot;

// [Export] public int Hidden = 3;
public partial class Hero : CharacterBody2D
{
    [Signal] public delegate void DiedEventHandler();

    [Export] public float Speed { get; set; } = 3.5f;
    [Export(PropertyHint.Range, "0,10")]
    public int Lives = 3;
    [Export] public Vector2I Cell;
    [Export] private PackedScene Bullet;

    public override void _Ready() { }
}
`;

describe("a script in C#", () => {
  test("is made by the class it extends, in a class of its file's name", async () => {
    const server = openTestServer();
    const made = await server.call("godot_code", {
      action: "script.create",
      path: "res://Enemy.cs",
      extends: "Node2D",
    });
    expect(made).toMatchObject({ ok: true });
    expect(server.read("Enemy.cs")).toContain("public partial class Enemy : Node2D\n");
  });

  test("has exports that files read: values of their types are taken, others refused, and unknown names named", async () => {
    const server = openTestServer({ files: { ...GAME, "Hero.cs": SCRIPT } });
    const scene = "res://main.tscn";
    const attach = { action: "attach_script", scene, node: "Player", script: "res://Hero.cs" };
    expect(await server.call("godot_scene", attach)).toMatchObject({ ok: true });
    const set = (properties: Record<string, unknown>) =>
      server.call("godot_scene", {
        action: "update",
        scene,
        node: "Player",
        properties: properties as never,
      });
    expect(await set({ Speed: 4, Lives: 5, Cell: [1, 2], Bullet: "res://enemy.tscn" })).toMatchObject({
      ok: true,
    });
    expect(server.read("main.tscn")).toMatch(
      /\nSpeed = 4\.0\nLives = 5\nCell = Vector2i\(1, 2\)\nBullet = ExtResource/,
    );
    expect(await set({ Lives: "many" })).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
    // Another file may have a part of the class.
    expect(await set({ Hidden: 1 })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('"Hidden" could not be checked')],
    });
    expect(
      await server.call("godot_inspector", {
        action: "signals.list",
        scene,
        node: "Player",
        contains: "Died",
      }),
    ).toMatchObject({ result: { signals: [{ name: "Died" }] } });
  });

  test.skipIf(realGodot === undefined)("is not checked by a Godot without .NET, which is said", async () => {
    const server = openTestServer({
      files: { ...GAME, "Hero.cs": SCRIPT },
      flags: { godot: realGodot ?? "" },
    });
    expect(
      await server.call("godot_diagnostics", { action: "scripts", paths: ["res://Hero.cs"] }),
    ).toMatchObject({
      ok: false,
      error: { code: "E_UNSUPPORTED", message: expect.stringContaining("has no .NET") },
    });
    expect(
      await server.call("godot_understand", {
        action: "language",
        path: "res://Hero.cs",
        ask: "diagnostics",
      }),
    ).toMatchObject({ ok: false, error: { code: "E_UNSUPPORTED" } });
  });
});
