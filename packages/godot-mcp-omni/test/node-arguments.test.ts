import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

describe.each(["files", ...(realGodot === undefined ? [] : ["engine"])])("a new node, by %s", (mode) => {
  const ends: (() => void | Promise<void>)[] = [];
  let server: TestServer;

  beforeAll(() => {
    server = openTestServer({
      flags: mode === "engine" ? { godot: realGodot ?? "" } : {},
      later: (end) => void ends.unshift(end),
    });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const edit = async (scene: string, tool: string, args: JsonObject) => {
    const made = { action: "new", scene, type: "Node2D", name: "Root" };
    expect(await server.call("godot_scene", made)).toMatchObject({ ok: true });
    const answer = await server.call(tool, { scene, mode, ...args });
    expect(answer, `${answer.summary} ${JSON.stringify(answer.error)}`).toMatchObject({ ok: true });
    const { added } = Object(answer.result).difference as { added: string[] };
    return { added, text: server.read(scene.replace("res://", "")), warnings: answer.warnings };
  };

  test("that is a collision shape or a mesh itself gets the primitive, not a child with it", async () => {
    const { added, text } = await edit("res://shapes.tscn", "godot_batch", {
      edits: [
        {
          kind: "create",
          type: "Area2D",
          name: "Zone",
          children: [
            {
              type: "CollisionShape2D",
              name: "Reach",
              primitive: "circle",
              properties: { "shape:radius": 24 },
            },
          ],
        },
        { kind: "create", type: "CollisionShape3D", name: "Box", primitive: "box" },
        { kind: "create", type: "MeshInstance3D", name: "Ball", primitive: "sphere" },
      ],
    });
    expect(added).toEqual(["Zone", "Zone/Reach", "Box", "Ball"]);
    expect(text).toMatch(/type="CircleShape2D"[^[]*\nradius = 24\.0/);
    expect(text).toMatch(/type="BoxShape3D"/);
    expect(text).toMatch(/name="Ball" type="MeshInstance3D"[^[]*\nmesh = SubResource/);
  }, 120_000);

  test("and a changed one have a unique name if unique_name_in_owner is among their properties", async () => {
    const unique_name_in_owner = true;
    const { text } = await edit("res://unique.tscn", "godot_batch", {
      edits: [
        {
          kind: "create",
          type: "CanvasLayer",
          name: "Hud",
          children: [{ type: "Label", name: "Points", properties: { text: "0", unique_name_in_owner } }],
        },
        { kind: "instance", source: "res://enemy.tscn", name: "Foe", properties: { unique_name_in_owner } },
        { kind: "update", node: "Hud", properties: { unique_name_in_owner } },
      ],
    });
    for (const name of ["Points", "Foe", "Hud"])
      expect(text).toMatch(new RegExp(`name="${name}"[^[]*\\nunique_name_in_owner = true`));
    const update = { action: "update", scene: "res://unique.tscn", mode, node: "Hud" };
    await server.call("godot_scene", { ...update, properties: { unique_name_in_owner: false } });
    expect(server.read("unique.tscn")).not.toMatch(/name="Hud"[^[]*\nunique_name_in_owner/);
    expect(
      await server.call("godot_scene", { ...update, properties: { unique_name_in_owner: "yes" } }),
    ).toMatchObject({ ok: false, error: { message: expect.stringContaining("set_unique_name") } });
  }, 120_000);

  test("of a UI can have elements inside it, each with its layout", async () => {
    const { added, text } = await edit("res://menu.tscn", "godot_scene", {
      action: "create_ui",
      name: "Menu",
      elements: [
        {
          type: "PanelContainer",
          name: "Box",
          layout: "center",
          children: [{ type: "VBoxContainer", name: "List", children: [{ type: "Button", name: "Play" }] }],
        },
      ],
    });
    expect(added).toEqual(
      ["", "/UIRoot", "/UIRoot/Box", "/UIRoot/Box/List", "/UIRoot/Box/List/Play"].map(
        (path) => `Menu${path}`,
      ),
    );
    expect(text).toMatch(/name="Box"[^[]*\nanchor_left = 0\.5/);
  }, 120_000);
});
