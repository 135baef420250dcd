import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { png } from "./png.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, GAME, openTestServer, type TestServer } from "./server-project.ts";

/** Properties of a tile set whose source is named before the layers that its tiles use. */
const tileSet = (shape: string): JsonObject => ({
  "sources/2": {
    resource: "TileSetAtlasSource",
    properties: {
      texture: "res://tiles.png",
      "0:0/0": 0,
      "1:0/0": 0,
      "1:0/0/terrain_set": 0,
      [`1:0/0/physics_layer_0/${shape}`]: [
        { x: -8, y: -8 },
        { x: 8, y: -8 },
        { x: 8, y: 8 },
      ],
    },
  },
  "terrain_set_0/mode": 1,
  "physics_layer_0/collision_layer": 1,
});

const POLYGON = "polygon_0/points";

describe.skipIf(realGodot === undefined)("a new tile set with nested physics", () => {
  const ends: (() => void | Promise<void>)[] = [];
  let server: TestServer;

  beforeAll(() => {
    server = openTestServer({
      files: { ...GAME, "map.tscn": '[gd_scene format=3]\n\n[node name="Level" type="Node2D"]\n' },
      flags: { godot: realGodot ?? "" },
      later: (end) => ends.unshift(end),
    });
    writeFileSync(
      join(server.root, "tiles.png"),
      png(32, 16, () => [255, 0, 0, 255]),
    );
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  const create = (name: string, mode: string, properties: JsonObject) =>
    server.call("godot_asset", {
      action: "resource.create",
      path: `res://${name}.tres`,
      type: "TileSet",
      properties,
      mode,
    });

  test("has its polygons, as a file and inside a scene, whichever mode made it", async () => {
    const made: string[] = [];
    for (const mode of ["files", "engine"]) {
      const resource = await create(mode, mode, tileSet(POLYGON));
      expect(resource, JSON.stringify(resource.error)).toMatchObject({ ok: true, execution: { mode } });
      const scene = `res://${mode}.tscn`;
      server.write(`${mode}.tscn`, server.read("map.tscn"));
      const node = await server.call("godot_scene", {
        action: "create",
        scene,
        type: "TileMapLayer",
        name: "Map",
        properties: { tile_set: { resource: "TileSet", properties: tileSet(POLYGON) } },
        mode,
      });
      expect(node, JSON.stringify(node.error)).toMatchObject({ ok: true, execution: { mode } });
      made.push(`res://${mode}.tres`, scene);
    }
    const script = join(import.meta.dirname, "tile-set-oracle.gd");
    const printed = execFileSync(
      realGodot ?? "",
      ["--headless", "--path", server.root, "--script", script, "--", ...made],
      { env: childEnvironment(join(server.root, "..")), encoding: "utf8" },
    );
    const seen = JSON.parse(/^ORACLE(.*)$/m.exec(printed)?.[1] ?? "{}");
    const whole = { layers: 1, polygons: 1, points: 3, terrain: 0 };
    expect(seen).toEqual(Object.fromEntries(made.map((path) => [path, whole])));
  }, 120_000);

  test("is refused with the name of a property that tiles do not have, and makes no file", async () => {
    const answer = await create("wrong", "engine", tileSet("polygons/0"));
    expect(answer).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
    expect(JSON.stringify(answer.error)).toContain("polygons/0");
    expect(() => server.read("wrong.tres")).toThrow("ENOENT");
  }, 60_000);
});
