import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { expect } from "vitest";
import { png } from "./png.ts";
import type { TestServer } from "./server-project.ts";

/** Makes content in one mode, in a separate folder. */
export interface Making {
  readonly mode: "files" | "engine";
  /** `res://files` */
  readonly base: string;
  readonly content: Call;
  readonly scene: Call;
  readonly asset: Call;
}

type Call = (action: string, args: JsonObject) => ReturnType<TestServer["call"]>;

export function makingIn(server: TestServer, mode: Making["mode"]): Making {
  const of =
    (tool: string): Call =>
    async (action, args) => {
      const answer = await server.call(tool, { action, mode, ...args });
      expect(answer.error, `${tool} ${action}`).toBeNull();
      return answer;
    };
  return {
    mode,
    base: `res://${mode}`,
    content: of("godot_content"),
    scene: of("godot_scene"),
    asset: of("godot_asset"),
  };
}

export function writeImages(root: string): void {
  writeFileSync(
    join(root, "tiles.png"),
    png(37, 19, (x, y) => [x * 6, y * 12, (x * y) % 255, 255]),
  );
  mkdirSync(join(root, "hero"));
  for (const name of ["run_10", "run_1", "run_2", "idle"])
    writeFileSync(
      join(root, "hero", `${name}.png`),
      png(4, 4, () => [9, 9, 9, 255]),
    );
}

export async function makeTiles({ base, mode, content, scene }: Making): Promise<void> {
  await content("tile_set.create", {
    path: `${base}/ground.tres`,
    texture: "res://tiles.png",
    size: { x: 8, y: 8 },
    margins: { x: 1, y: 1 },
    separation: { x: 1, y: 1 },
    physics: [
      {
        tiles: [
          [1, 0],
          [2, 0],
        ],
        collisionLayer: 3,
      },
    ],
    terrainSets: [
      {
        mode: "sides",
        terrains: [
          {
            name: "grass",
            tiles: [
              { at: [0, 0], peering: [] },
              { at: [1, 0], peering: ["right_side"] },
              { at: [2, 0], peering: ["left_side"] },
            ],
          },
        ],
      },
    ],
  });
  await scene("create", {
    scene: `${base}/level.tscn`,
    type: "TileMapLayer",
    name: "Ground",
    properties: { tile_set: `${base}/ground.tres` },
  });
  const at = { scene: `${base}/level.tscn`, node: "Ground" };
  await content("cells.paint", {
    ...at,
    strokes: [
      { rect: { x: 0, y: 0, width: 6, height: 4 }, hollow: true, tile: { atlas: [2, 1] } },
      { flood: { x: 1, y: 1 }, tile: { atlas: [3, 0] } },
      { cells: [[1, 2]], tile: null },
      { rows: ["ab"], at: { x: -3, y: -1 }, legend: { a: { atlas: [1, 0] }, b: { alternative: 4096 } } },
    ],
  });
  const read = await content("cells.read", { ...at, region: { x: -3, y: -1, width: 9, height: 5 } });
  expect(read.result).toMatchObject({
    used: { x: -3, y: -1, width: 9, height: 5 },
    legend: { a: { source: 0, atlas: [1, 0] }, b: { source: 0, atlas: [0, 0], alternative: 4096 } },
    rows: ["ab.......", "...cccccc", "...cddddc", "...c.dddc", "...cccccc"],
  });
  // The content read can be painted elsewhere, and undone.
  const copied = await content("cells.paint", {
    ...at,
    strokes: [{ copy: { x: 0, y: 0, width: 6, height: 4 }, at: { x: 20, y: 20 } }],
  });
  expect(copied.summary).toBe("Painted 23 cells of Ground.");
  await scene("undo", { scene: at.scene });
  expect((await content("cells.read", at)).result).toMatchObject({ used: { width: 9, height: 5 } });
  if (mode === "engine")
    await content("cells.paint", {
      ...at,
      strokes: [
        {
          cells: [
            [0, 6],
            [1, 6],
          ],
          terrain: { terrain: 0 },
        },
      ],
    });
}

export async function makeGrid({ base, content, scene, asset }: Making): Promise<void> {
  await asset("resource.create", {
    path: `${base}/blocks.tres`,
    type: "MeshLibrary",
    properties: {
      "item/0/name": "box",
      "item/0/mesh": { resource: "BoxMesh" },
      "item/1/name": "ball",
      "item/1/mesh": { resource: "SphereMesh" },
    },
  });
  await scene("create", {
    scene: `${base}/rooms.tscn`,
    type: "GridMap",
    name: "Rooms",
    properties: { mesh_library: `${base}/blocks.tres` },
  });
  const at = { scene: `${base}/rooms.tscn`, node: "Rooms" };
  await content("cells.paint", {
    ...at,
    strokes: [
      { rect: { x: 0, y: 0, z: 0, width: 2, height: 1, depth: 2 }, tile: { item: 1 } },
      { cells: [[1, 0, 1]], tile: { item: 0, orientation: 10 } },
      { cells: [[-2, -1, -3]], tile: { item: 0 } },
    ],
  });
  const read = await content("cells.read", {
    ...at,
    region: { x: 0, y: 0, z: 0, width: 2, height: 1, depth: 2 },
  });
  expect(read.result).toMatchObject({
    legend: { a: { item: 1 }, b: { item: 0, orientation: 10 } },
    floors: [{ y: 0, rows: ["aa", "ab"] }],
  });
}

export async function makeSprites({ base, content }: Making): Promise<void> {
  const sheet = {
    texture: "res://tiles.png",
    size: { x: 8, y: 8 },
    margins: { x: 1, y: 1 },
    separation: { x: 1, y: 1 },
  };
  await content("sprite_frames.create", {
    path: `${base}/sheet_frames.tres`,
    ...sheet,
    animations: [
      { name: "walk", frames: "0-3", speed: 8 },
      { name: "jump", frames: [7, 6], loop: false },
    ],
  });
  const made = await content("sprite_frames.create", {
    path: `${base}/folder_frames.tres`,
    folder: "res://hero",
  });
  expect(made.result).toMatchObject({
    animations: [
      { name: "idle", frames: 1 },
      { name: "run", frames: 3 },
    ],
  });
}
