import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, editorFor, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { classCache, sampleFiles } from "./godot-sample.ts";
import { realGodot } from "./real-godot.ts";

interface Case {
  readonly name: string;
  readonly scene?: string;
  readonly edits: readonly SceneEdit[];
}

const LEVEL = "res://level.tscn";

/** Every kind of edit, and the places where scenes are easily harmed. */
const CASES: readonly Case[] = [
  { name: "add", edits: [{ kind: "add", type: "Sprite2D", name: "New", parent: "Hero", index: 1 }] },
  {
    name: "add with properties, groups, script and a name that is taken",
    edits: [
      {
        kind: "add",
        type: "CharacterBody2D",
        name: "Hero",
        script: "res://hero.gd",
        groups: ["actors", "foes"],
        properties: {
          position: { x: 1.5, y: -2 },
          modulate: { r: 1, g: 0.5, b: 0, a: 1 },
          speed: 7,
          mood: "Angry",
          names: ["a", "b"],
          loot: { gold: 3, at: { $type: "Vector2", x: 1, y: 2 } },
        },
      },
    ],
  },
  { name: "add by class_name", edits: [{ kind: "add", type: "Hero", name: "Twin" }] },
  {
    name: "a body with its shape in one batch",
    edits: [
      { kind: "add", type: "StaticBody2D", name: "Wall", as: "wall" },
      {
        kind: "add",
        type: "CollisionShape2D",
        parent: "$wall",
        properties: { shape: { resource: "CircleShape2D", properties: { radius: 12 } } },
      },
    ],
  },
  {
    name: "add into a container",
    edits: [
      { kind: "add", type: "Label", parent: "UI/Box", properties: { text: "Hello" } },
      {
        kind: "add",
        type: "Control",
        parent: "UI",
        name: "Free",
        properties: { custom_minimum_size: { x: 9, y: 8 } },
      },
    ],
  },
  {
    name: "instance",
    edits: [
      {
        kind: "instance",
        source: "res://coin.tscn",
        parent: "Items",
        properties: { position: { x: 7, y: 8 } },
      },
    ],
  },
  { name: "remove with children and connections", edits: [{ kind: "remove", node: "Hero" }] },
  { name: "rename", edits: [{ kind: "rename", node: "Hero", name: "Player" }] },
  { name: "rename the root", edits: [{ kind: "rename", node: ".", name: "Stage" }] },
  { name: "move", edits: [{ kind: "move", node: "UI", index: 0 }] },
  { name: "duplicate with children", edits: [{ kind: "duplicate", node: "Hero" }] },
  { name: "duplicate an instance", edits: [{ kind: "duplicate", node: "Coin", name: "Second" }] },
  { name: "reparent with children", edits: [{ kind: "reparent", node: "Hero", parent: "Items" }] },
  {
    name: "reparent without keeping its place, to an index",
    edits: [{ kind: "reparent", node: "Hero/Arm", parent: ".", index: 0, keepGlobalTransform: false }],
  },
  {
    name: "reparent in 3D",
    scene: "res://world.tscn",
    edits: [{ kind: "reparent", node: "Pivot/Box", parent: "." }],
  },
  {
    name: "reparent a control out of its container",
    edits: [{ kind: "reparent", node: "UI/Box/Start", parent: "UI" }],
  },
  {
    name: "set many",
    edits: [
      {
        kind: "set",
        node: "Hero",
        properties: {
          position: { x: 3, y: 4 },
          rotation: 0.1,
          speed: 5,
          target: "Items",
          look_at_path: "../Items",
          z_index: 2,
          "position:x": 9,
        },
      },
      { kind: "set", node: "Hero/Body", properties: { "shape:size": { x: 4, y: 5 } } },
    ],
  },
  {
    name: "set on a control",
    edits: [
      { kind: "set", node: "UI/Box", properties: { offset_right: 50, anchor_right: 1, offset_bottom: 60 } },
    ],
  },
  { name: "attach a script", edits: [{ kind: "script", node: "Coin", script: "res://coin.gd" }] },
  { name: "take a script away", edits: [{ kind: "script", node: "Hero", script: null }] },
  {
    name: "groups",
    edits: [
      { kind: "group", node: "Coin", group: "loot", member: true },
      { kind: "group", node: "Hero", group: "actors", member: false },
    ],
  },
  { name: "unique name", edits: [{ kind: "unique_name", node: "Hero/Arm/Hand", unique: true }] },
  {
    name: "a change inside an instance",
    edits: [
      { kind: "editable", node: "Coin", editable: true },
      { kind: "set", node: "Coin/Sprite", properties: { flip_h: true } },
    ],
  },
  {
    name: "connect",
    edits: [
      {
        kind: "connect",
        node: "Coin",
        signal: "body_entered",
        to: "Hero",
        method: "on_hit",
        flags: ["deferred"],
        unbinds: 1,
        binds: [4],
      },
    ],
  },
  {
    name: "disconnect",
    edits: [{ kind: "disconnect", node: "UI/Box/Start", signal: "pressed", to: "Hero", method: "on_hit" }],
  },
  {
    name: "tiles",
    edits: [
      { kind: "add", type: "TileMapLayer", name: "Ground", as: "ground" },
      {
        kind: "tiles",
        node: "$ground",
        cells: [
          { x: 0, y: 0, source: 0, atlas: { x: 1, y: 0 } },
          { x: 2, y: -1, source: 0, atlas: { x: 0, y: 1 } },
        ],
      },
    ],
  },
  {
    name: "animation, and a rename that its track follows",
    edits: [
      { kind: "add", type: "AnimationPlayer", name: "Player", as: "player" },
      {
        kind: "animation",
        player: "$player",
        animation: "walk",
        node: "Hero",
        property: "position",
        keys: [
          { time: 0, value: { x: 0, y: 0 } },
          { time: 1.5, value: { x: 9, y: 0 } },
        ],
      },
      { kind: "rename", node: "Hero", name: "Champion" },
    ],
  },
  {
    name: "a whole animation in a library",
    edits: [
      { kind: "add", type: "AnimationPlayer", name: "Player", as: "player" },
      {
        kind: "animate",
        player: "$player",
        library: "moves",
        animation: "hop",
        properties: {
          length: 2,
          loop_mode: 1,
          "tracks/0/type": "method",
          "tracks/0/path": "Hero",
          "tracks/0/keys": {
            $type: "Dictionary",
            entries: [
              ["times", { $type: "PackedFloat32Array", value: [0.5] }],
              ["transitions", { $type: "PackedFloat32Array", value: [1] }],
              ["values", [{ args: [], method: { $type: "StringName", value: "hide" } }]],
            ],
          },
        },
      },
    ],
  },
  {
    name: "baked navigation",
    edits: [
      {
        kind: "add",
        type: "NavigationRegion2D",
        name: "Walk",
        as: "walk",
        properties: {
          navigation_polygon: {
            resource: "NavigationPolygon",
            properties: {
              outlines: [
                [
                  { x: 0, y: 0 },
                  { x: 200, y: 0 },
                  { x: 200, y: 100 },
                  { x: 0, y: 100 },
                ],
              ],
            },
          },
        },
      },
      { kind: "bake", node: "$walk" },
    ],
  },
  {
    name: "an inherited scene keeps its base",
    scene: "res://hard_level.tscn",
    edits: [
      { kind: "add", type: "Node2D", name: "Extra", parent: "Hero" },
      { kind: "set", node: "Items", properties: { position: { x: 1, y: 1 } } },
      { kind: "rename", node: "Boss", name: "BigBoss" },
    ],
  },
];

const KINDS = {
  add: true,
  instance: true,
  remove: true,
  rename: true,
  move: true,
  duplicate: true,
  reparent: true,
  set: true,
  script: true,
  group: true,
  unique_name: true,
  editable: true,
  connect: true,
  disconnect: true,
  tiles: true,
  animation: true,
  animate: true,
  bake: true,
} satisfies Record<SceneEdit["kind"], true>;

test("no kind of edit is left out", () => {
  const covered = new Set(CASES.flatMap(({ edits }) => edits.map(({ kind }) => kind)));
  expect([...covered].sort()).toEqual(Object.keys(KINDS).sort());
});

describe.skipIf(!realGodot)("the same edit by engine and by editor gives the same scene", () => {
  let engine: { project: TestProject; driver: RawGodotDriver };
  let editor: { project: TestProject; driver: RawGodotDriver };
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);

  beforeAll(async () => {
    const files = { ...sampleFiles, ".godot/global_script_class_cache.cfg": classCache };
    const binary = binaryAt(realGodot);
    const a = makeProject(files, later);
    engine = { project: a, driver: engineFor(a, binary, later) };
    const b = makeProject(files, later);
    editor = { project: b, driver: (await editorFor(b, binary, later)).editor };
    for (const { driver } of [engine, editor])
      for (const scene of new Set(CASES.map((row) => row.scene ?? LEVEL)))
        expect(await driver.request("scene.save", { scene })).toMatchObject({ ok: true });
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  test.each(CASES)("$name", async ({ scene = LEVEL, edits }) => {
    const file = scene.slice("res://".length);
    const saved: string[] = [];
    const changes: unknown[] = [];
    for (const { driver, project } of [engine, editor]) {
      const before = readFileSync(project.path(file), "utf8");
      const edited = await driver.request("scene.edit", { scene, edits });
      const place =
        driver.mode === "editor" ? { position: expect.any(Number), step: expect.any(String) } : {};
      expect(edited).toEqual({
        ok: true,
        value: { scene, changes: expect.any(Array), saved: true, ...place },
      });
      if (edited.ok) changes.push(edited.value.changes);
      saved.push(canonical(readFileSync(project.path(file), "utf8")));
      expect(saved.at(-1)).not.toBe(canonical(before));
      expect(await driver.request("scene.undo", { scene })).toMatchObject({
        ok: true,
        value: { saved: true },
      });
      expect(readFileSync(project.path(file), "utf8")).toBe(before);
    }
    expect(saved[0]).toBe(saved[1]);
    expect(changes[0]).toEqual(changes[1]);
  });
});

/** A scene's text with Godot's random numbers replaced by counts: equal scenes become equal texts. */
function canonical(text: string): string {
  const names = new Map<string, string>();
  const name = (id: string) => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id) ?? id;
  };
  return text
    .replace(/ unique_id=\d+/g, "")
    .replace(
      /(\b(?:id|ExtResource|SubResource)[=(])"([^"]+)"/g,
      (_, head: string, id: string) => `${head}"${name(id)}"`,
    );
}
