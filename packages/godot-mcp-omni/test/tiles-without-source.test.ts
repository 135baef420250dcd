import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { START_MS } from "./godot-project.ts";
import { png } from "./png.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

/** A tile set whose sources have these numbers, with the tiles 0:0 and 1:0 each. */
const tileSet = (numbers: readonly number[]) => `[gd_resource type="TileSet" format=3]

[ext_resource type="Texture2D" path="res://tiles.png" id="1"]
${numbers
  .map(
    (number) => `
[sub_resource type="TileSetAtlasSource" id="source_${number}"]
texture = ExtResource("1")
0:0/0 = 0
1:0/0 = 0
`,
  )
  .join("")}
[resource]
${numbers.map((number) => `sources/${number} = SubResource("source_${number}")\n`).join("")}`;

const FILES = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "one.tres": tileSet([3]),
  "two.tres": tileSet([1, 4]),
  "map.tscn": `[gd_scene format=3]

[ext_resource type="TileSet" path="res://one.tres" id="1"]
[ext_resource type="TileSet" path="res://two.tres" id="2"]

[node name="Level" type="Node2D"]

[node name="One" type="TileMapLayer" parent="."]
tile_set = ExtResource("1")

[node name="Two" type="TileMapLayer" parent="."]
tile_set = ExtResource("2")

[node name="Bare" type="TileMapLayer" parent="."]
`,
};

const MODES = realGodot === undefined ? ["files"] : ["files", "engine", "editor"];

describe.each(MODES)("a tile that is named without its source, in mode %s", (mode) => {
  const undo: (() => void | Promise<void>)[] = [];
  let server: TestServer;

  beforeAll(async () => {
    server = openTestServer({
      files: FILES,
      flags: { godot: mode === "files" ? "" : (realGodot ?? "") },
      later: (end) => void undo.unshift(end),
    });
    writeFileSync(
      join(server.root, "tiles.png"),
      png(64, 64, () => [200, 30, 30, 255]),
    );
    if (mode !== "editor") return;
    await installAddon(new Project(server.root, () => 0));
    const launch = { action: "launch", headless: true, timeoutMs: 100_000 };
    expect(await server.call("godot_workspace", launch)).toMatchObject({ ok: true });
  }, START_MS);

  afterAll(async () => {
    for (const end of undo) await end();
  });

  const setTiles = (node: string, tiles: JsonObject[]) =>
    server.call("godot_scene", { action: "set_tiles", scene: "res://map.tscn", node, tiles, mode });
  const cells = async (node: string, scene = "res://map.tscn") => {
    const { result } = await server.call("godot_content", { action: "cells.read", scene, node, mode });
    const { legend, rows } = result as { legend: JsonObject; rows: string[] };
    return { legend, rows };
  };

  it("is painted from the only atlas of the tile set", async () => {
    expect(
      await setTiles("One", [
        { x: 0, y: 0, atlas: { x: 1, y: 0 } },
        { x: 1, y: 0, source: 3 },
      ]),
    ).toMatchObject({ ok: true });
    const painted = {
      legend: { a: { source: 3, atlas: [1, 0] }, b: { source: 3, atlas: [0, 0] } },
      rows: ["ab"],
    };
    expect(await cells("One")).toEqual(painted);
    // A place alone erases the cell.
    expect(await setTiles("One", [{ x: 1, y: 0 }])).toMatchObject({ ok: true });
    expect(await cells("One")).toMatchObject({ rows: ["a"] });
  });

  it.each([
    ["if the tile set has several sources", "Two", { x: 1, y: 0 }, /sources 1, 4/],
    ["if there is no tile set", "Bare", { x: 1, y: 0 }, /has no TileSet/],
    ["if the only source does not have the tile", "One", { x: 2, y: 2 }, /[Ss]ource 3 .*no tile 2, 2/],
  ])("is rejected %s, and no cell changes", async (_, node, atlas, message) => {
    const before = server.read("map.tscn");
    expect(
      await setTiles(node, [
        { x: 0, y: 0, source: 3 },
        { x: 5, y: 5, atlas },
      ]),
    ).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringMatching(message) },
    });
    expect(server.read("map.tscn")).toBe(before);
  });

  it("is painted in a tile map that is made with it", async () => {
    const scene = "res://map.tscn";
    expect(
      await server.call("godot_scene", {
        action: "create_tilemap",
        scene,
        name: "New",
        texture: "res://tiles.png",
        tiles: [{ x: 0, y: 0, atlas: { x: 2, y: 1 } }],
        mode,
      }),
    ).toMatchObject({ ok: true });
    expect(await cells("New")).toEqual({ legend: { a: { source: 0, atlas: [2, 1] } }, rows: ["a"] });
  });
});
