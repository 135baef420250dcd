import { existsSync, readFileSync } from "node:fs";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DriverContext } from "../src/drivers/ask.ts";
import { commitEdit } from "../src/drivers/commit/commit-edit.ts";
import { FilesDriver } from "../src/drivers/files/files-driver.ts";
import { loadClassTable } from "../src/godot/class-table.ts";
import type { Driver, RawGodotDriver } from "../src/operations/driver.ts";
import { Project } from "../src/project/project.ts";
import { binaryAt, editorFor, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";

type Case = readonly [name: string, type: string, properties: JsonObject];

/** Properties that a class makes as they are set. Each driver writes the same file. */
const SET: readonly Case[] = [
  ["a source of tiles", "TileSet", { "sources/0": { resource: "TileSetAtlasSource" } }],
  ["a state", "AnimationNodeStateMachine", { "states/idle/node": { resource: "AnimationNodeAnimation" } }],
  ["a state's place", "AnimationNodeStateMachine", { "states/Start/position": { x: 1, y: 2 } }],
  ["a point of a curve", "Curve2D", { point_count: 1, "point_0/position": { x: 1, y: 2 } }],
  ["points that nothing is said of", "Curve2D", { point_count: 2 }],
  [
    "points of a curve in space",
    "Curve3D",
    {
      point_count: 2,
      "point_1/position": { x: 1, y: 2, z: 3 },
      "point_1/tilt": 0.5,
      "point_0/out": { x: 1, y: 0, z: 0 },
    },
  ],
  ["a point's handle", "Curve2D", { point_count: 2, "point_1/in": { x: -1, y: 0.5 } }],
  ["colours of a theme", "Theme", { "Button/colors/font_color": "#ff0000" }],
  ["numbers of a theme", "Theme", { "Button/constants/outline_size": 3, "Label/font_sizes/font_size": 20 }],
  ["a style of a theme", "Theme", { "Button/styles/normal": { resource: "StyleBoxEmpty" } }],
  ["an audio bus", "AudioBusLayout", { "bus/1/name": "Music", "bus/1/volume_db": -6.5, "bus/1/mute": true }],
  [
    "a replicated property",
    "SceneReplicationConfig",
    { "properties/0/path": ".:position", "properties/0/spawn": true, "properties/0/replication_mode": 1 },
  ],
  [
    "animations of sprites",
    "SpriteFrames",
    {
      animations: [
        { name: "walk", speed: 5, loop: true, frames: [{ texture: "res://icon.tres", duration: 1 }] },
      ],
    },
  ],
  ["a bone", "Skeleton3D", { "bones/0/name": "Hip", "bones/0/parent": -1 }],
  ["a theme override", "Button", { "theme_override_colors/font_color": "#00ff00" }],
  ["metadata", "Node", { "metadata/who": "me" }],
  ["a time", "Timer", { wait_time: 5 }],
];

/** Values that no driver sets: each refuses them with the same code and leaves no file, or the old one. */
const REFUSED: readonly Case[] = [
  ["a source that is none", "TileSet", { "sources/0": { resource: "Gradient" } }],
  ["a point that is not there", "Curve2D", { point_count: 1, "point_1/position": { x: 1, y: 2 } }],
  ["another class's property", "Gradient", { "sources/0": 1 }],
  ["a made-up property", "Gradient", { "states/idle/node": 1 }],
  ["a time that is not positive", "Timer", { wait_time: -5 }],
  ["a number that is raised to what it was", "AudioStreamRandomizer", { random_pitch: 0.25 }],
  ["a stand-in for an unknown class", "MissingResource", { resource_name: "word" }],
  ["a property of another class", "Sprite2D", { "bones/0/name": "Hip" }],
];

describe.skipIf(realGodot === undefined)(
  "a property is set or refused alike by files, engine and editor",
  () => {
    const sides: { readonly name: string; readonly files: TestProject; readonly driver: Driver }[] = [];
    let count = 0;
    const undo: (() => void | Promise<void>)[] = [];
    const later = (step: () => void | Promise<void>) => undo.unshift(step);

    beforeAll(async () => {
      const icon = { "icon.tres": '[gd_resource type="PlaceholderTexture2D" format=3]\n\n[resource]\n' };
      const [text, godot, open] = [
        makeProject(icon, later),
        makeProject(icon, later),
        makeProject(icon, later),
      ];
      const engine: RawGodotDriver = engineFor(godot, binaryAt(realGodot), later);
      sides.push({ name: "files", files: text, driver: new FilesDriver(new Project(text.folder, () => 0)) });
      sides.push({ name: "engine", files: godot, driver: engine });
      const { editor } = await editorFor(open, binaryAt(realGodot), later);
      sides.push({ name: "editor", files: open, driver: editor });
      expect(await engine.request("settings.get", {})).toMatchObject({ ok: true });
    }, START_MS);

    afterAll(async () => {
      for (const step of undo) await step();
    });

    /** The result for a resource or the root of a scene: the lines of its file, or the code of the refusal. */
    async function outcomes(type: string, properties: JsonObject): Promise<(string[] | string)[]> {
      const { inherits } = await loadClassTable();
      const isNode = inherits(type, "Node");
      const file = `made_${count++}.${isNode ? "tscn" : "tres"}`;
      const empty = `[gd_scene format=3]\n\n[node name="Root" type="${type}"]\n`;
      const results = [];
      for (const { files, driver } of sides) {
        if (isNode) files.write(file, empty);
        const project = new Project(files.folder, () => 0);
        const place = await project.resolve(`res://${file}`);
        if (!place.ok) throw new Error(place.failure.message);
        const path = place.value;
        // An edit asks the drivers for no other one.
        const context = { project, signal: new AbortController().signal } as DriverContext;
        const edits = [{ kind: "set", node: ".", properties } as const];
        const made = isNode
          ? await commitEdit(context, driver, {
              operation: "scene.edit",
              params: { scene: path.res, edits },
              path,
              label: "test",
            })
          : await commitEdit(context, driver, {
              operation: "resource.create",
              params: { path: path.res, type, properties },
              path,
              label: "test",
            });
        const held = existsSync(files.path(file)) ? readFileSync(files.path(file), "utf8") : undefined;
        // A refusal leaves the file as it was.
        if (!made.ok) expect(held, `${type}, ${driver.mode}`).toBe(isNode ? empty : undefined);
        results.push(made.ok ? canonical(held ?? "") : made.failure.code);
      }
      return results;
    }

    test.each(SET)("%s is set: %s", async (_, type, properties) => {
      const [text, godot, open] = await outcomes(type, properties);
      expect(godot).toEqual(expect.any(Array));
      expect(open).toEqual(godot);
      expect(text).toEqual(godot);
    });

    test.each(REFUSED)("%s is refused: %s", async (_, type, properties) => {
      const codes = await outcomes(type, properties);
      expect(new Set(codes).size, JSON.stringify(codes)).toBe(1);
      expect(codes[0]).toMatch(/^E_(?:SCHEMA_VALIDATION|NOT_FOUND)$/);
    });
  },
);

/** The lines without the identifiers that are rolled, in an order that means nothing. */
function canonical(text: string): string[] {
  return text
    .replaceAll(/ (?:uid|unique_id|load_steps|id)=(?:"[^"]*"|\d+)/g, "")
    .replaceAll(/(SubResource|ExtResource)\("[^"]*"\)/g, "$1")
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}
