import { writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { expect, it } from "vitest";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

it.skipIf(realGodot === undefined)(
  "Godot takes vectors and packed arrays as text, an animation that repeats, and tiles from an SVG",
  { timeout: START_MS },
  async () => {
    const server = openTestServer({ flags: { godot: realGodot ?? "" } });
    const scene = "res://main.tscn";
    for (const [property, value] of [
      ["position", "Vector2(7, -8.5)"],
      ["modulate", "Color(1, 0, 0, 0.5)"],
    ])
      expect(
        await server.call("godot_inspector", {
          action: "set_property",
          scene,
          node: "Player",
          property: property ?? "",
          value: value ?? "",
          mode: "engine",
        }),
      ).toMatchObject({ ok: true });
    for (const mode of ["files", "engine"]) {
      const add = (properties: JsonObject) =>
        server.call("godot_scene", {
          action: "create",
          scene,
          mode,
          type: "Polygon2D",
          name: `P_${mode}`,
          properties,
        });
      expect(await add({ polygon: "PackedVector2Array(0, 0, 1)" }), mode).toMatchObject({
        error: {
          code: "E_SCHEMA_VALIDATION",
          message: expect.stringContaining("PackedVector2Array is expected"),
        },
      });
      expect(
        await add({
          polygon: "PackedVector2Array(0, 0, 8.5, 1, 4, 9)",
          vertex_colors: "PackedColorArray(1, 0, 0, 1)",
        }),
        mode,
      ).toMatchObject({ ok: true });
      const [, block = ""] = server.read("main.tscn").split(`name="P_${mode}"`);
      expect(block, mode).toContain("polygon = PackedVector2Array(0, 0, 8.5, 1, 4, 9)");
      expect(block, mode).toContain("vertex_colors = PackedColorArray(1, 0, 0, 1)");
    }
    expect(server.read("main.tscn")).toContain("position = Vector2(7, -8.5)");
    expect(server.read("main.tscn")).toContain("modulate = Color(1, 0, 0, 0.5)");
    expect(
      await server.call("godot_inspector", {
        action: "animation.create_simple",
        scene,
        player: "Anim",
        animation: "bob",
        node: "Player",
        property: "position",
        keys: [
          { time: 0, value: [0, 0] },
          { time: 1, value: "Vector2(0, 9)" },
        ],
        loop: true,
      }),
    ).toMatchObject({ ok: true });
    expect(server.read("main.tscn")).toMatch(/type="Animation"[\s\S]*loop_mode = 1/);
    writeFileSync(
      path.join(server.root, "tiles.svg"),
      '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="16" viewBox="0 0 32 16"><rect width="16" height="16" fill="green"/></svg>',
    );
    expect(await server.call("godot_asset", { action: "scan" })).toMatchObject({ ok: true });
    const made = await server.call("godot_content", {
      action: "tile_set.create",
      path: "res://tiles.tres",
      texture: "res://tiles.svg",
      size: [16, 16],
    });
    expect(made.error).toBeNull();
    expect(server.read("tiles.tres")).toContain("1:0/0 = 0");
  },
);
