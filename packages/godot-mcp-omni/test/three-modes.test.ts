import type { Json, JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  classesToTry,
  oddity,
  type PropertyResult,
  runProperties,
  verdictOf,
} from "../bench/property-run.ts";
import { SceneText } from "../src/formats/scene-text.ts";
import { Project } from "../src/project/project.ts";
import { modelOf } from "../src/scene-model/scene-model.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const MODES = ["files", "engine", "editor"] as const;

const ENEMY = `[gd_scene format=3]

[node name="Enemy" type="Node2D"]

[node name="Body" type="Node2D" parent="."]

[node name="Eye" type="Sprite2D" parent="Body"]
`;

/** Opens one of its two instances, and puts a node into it. */
const BASE = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1"]

[node name="Base" type="Node2D"]

[node name="Enemy" parent="." instance=ExtResource("1")]

[node name="Body" parent="Enemy" index="0"]
position = Vector2(7, 7)

[node name="Extra" type="Node2D" parent="Enemy/Body" index="1"]

[node name="Closed" parent="." instance=ExtResource("1")]

[node name="Last" type="Node2D" parent="."]

[editable path="Enemy"]
`;

const HEIR = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://base.tscn" id="1"]

[node name="Heir" instance=ExtResource("1")]
`;

const FULL_HEIR = `${HEIR}
[node name="Body" parent="Enemy" index="0"]
position = Vector2(9, 9)

[node name="Mine" type="Node2D" parent="Enemy/Body" index="2"]

[node name="Own" type="Node2D" parent="." index="3"]

[editable path="Enemy"]
`;

const LEVEL = `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://heir.tscn" id="1"]

[node name="Level" type="Node2D"]

[node name="Heir" parent="." instance=ExtResource("1")]

[editable path="Heir"]
`;

const set = (node: string, properties: JsonObject) => ({ kind: "set", node, properties });
const add = (parent: string, more: JsonObject = {}) => ({
  kind: "add",
  type: "Node2D",
  name: "New",
  parent,
  ...more,
});

/** Each with a line that the file must have then. */
const DONE: readonly (readonly [what: string, scene: string, edits: readonly JsonObject[], line: string])[] =
  [
    ["sets a node inside", HEIR, [set("Enemy/Body", { position: { x: 1, y: 2 } })], "Vector2(1, 2)"],
    ["sets it to what the instance says", HEIR, [set("Enemy/Body", { position: [0, 0] })], "Vector2(0, 0)"],
    ["sets a node that the base put inside", HEIR, [set("Enemy/Body/Extra", { z_index: 3 })], "z_index = 3"],
    [
      "sets two, of which one has lines",
      FULL_HEIR,
      [set("Enemy/Body", { position: [3, 3] }), set("Enemy/Body/Eye", { z_index: 1 })],
      "z_index = 1",
    ],
    ["takes a value back to the base's", FULL_HEIR, [set("Enemy/Body", { position: [7, 7] })], 'name="Own"'],
    ["adds inside", HEIR, [add("Enemy/Body")], 'name="New"'],
    ["adds inside, first", HEIR, [add("Enemy/Body", { index: 0 })], 'index="0"'],
    ["adds below a node that the base put inside", HEIR, [add("Enemy/Body/Extra")], 'name="New"'],
    ["adds to the closed instance", HEIR, [add("Closed")], 'parent="Closed"'],
    ["removes its own node inside", FULL_HEIR, [{ kind: "remove", node: "Enemy/Body/Mine" }], 'name="Own"'],
    [
      "opens the closed instance and sets a node inside",
      HEIR,
      [{ kind: "editable", node: "Closed", editable: true }, set("Closed/Body", { z_index: 4 })],
      '[editable path="Closed"]',
    ],
    [
      "joins a group",
      HEIR,
      [{ kind: "group", node: "Enemy/Body", group: "foes", member: true }],
      'groups=["foes"]',
    ],
    [
      "connects a signal",
      HEIR,
      [{ kind: "connect", node: "Enemy/Body", signal: "tree_entered", to: "Last", method: "hide" }],
      'from="Enemy/Body"',
    ],
    [
      "puts an instance inside",
      HEIR,
      [{ kind: "instance", source: "res://enemy.tscn", parent: "Enemy/Body" }],
      'parent="Enemy/Body"',
    ],
    [
      "moves its own node in",
      FULL_HEIR,
      [{ kind: "reparent", node: "Own", parent: "Enemy/Body" }],
      'name="Own"',
    ],
    ["sets in an instance of it", LEVEL, [set("Heir/Enemy/Body", { position: [1, 2] })], "Vector2(1, 2)"],
    ["adds in an instance of it", LEVEL, [add("Heir/Enemy/Body")], 'name="New"'],
  ];

const REFUSED: readonly (readonly [what: string, scene: string, edits: readonly JsonObject[]])[] = [
  ["removes what the base put inside", HEIR, [{ kind: "remove", node: "Enemy/Body/Extra" }]],
  ["renames what the base put inside", HEIR, [{ kind: "rename", node: "Enemy/Body/Extra", name: "Other" }]],
  ["sets a node in the closed instance", HEIR, [set("Closed/Body", { z_index: 4 })]],
  ["closes what the base opened", HEIR, [{ kind: "editable", node: "Enemy", editable: false }]],
  ["closes what the base opened too", FULL_HEIR, [{ kind: "editable", node: "Enemy", editable: false }]],
];

/** Values that Godot rewrites when it saves, and a property that it loses. */
const LOSSY = `[gd_scene format=3]

[ext_resource type="Script" path="res://player.gd" id="1"]
[ext_resource type="PackedScene" path="res://base.tscn" id="2"]

[node name="Level" type="Node2D"]
rotation = 0.0

[node name="Hero" type="CharacterBody2D" parent="."]
script = ExtResource("1")
speed_of_old = 7

[node name="Base" parent="." instance=ExtResource("2")]
position = Vector2(0, 0)

[node name="Edited" type="Node2D" parent="."]
`;

const WATER = `[gd_scene format=3]

[ext_resource type="Shader" path="res://tint.gdshader" id="1"]
[ext_resource type="Material" path="res://tint.tres" id="2"]

[sub_resource type="ShaderMaterial" id="Mat"]
shader = ExtResource("1")

[node name="Water" type="Sprite2D"]
material = SubResource("Mat")

[node name="Shared" type="Sprite2D" parent="."]
material = ExtResource("2")
`;

const FILES: Readonly<Record<string, string>> = {
  ...GAME,
  "enemy.tscn": ENEMY,
  "base.tscn": BASE,
  "heir.tscn": FULL_HEIR,
  "tint.gdshader":
    "shader_type canvas_item;\nuniform vec4 tint : source_color;\nuniform vec2 flow;\nuniform int steps;\n",
  "tint.tres":
    '[gd_resource type="ShaderMaterial" format=3]\n\n[ext_resource type="Shader" path="res://tint.gdshader" id="1"]\n\n[resource]\nshader = ExtResource("1")\n',
};

describe.skipIf(realGodot === undefined)("files, engine and editor alike", () => {
  let server: TestServer;
  let count = 0;
  const undo: (() => void | Promise<void>)[] = [];

  beforeAll(async () => {
    const flags = { godot: realGodot ?? "" };
    server = openTestServer({ files: FILES, flags, later: (step) => undo.unshift(step) });
    await installAddon(new Project(server.root, () => 0));
    const launch = { action: "launch", headless: true, timeoutMs: 100_000 };
    expect(await server.call("godot_workspace", launch)).toMatchObject({ ok: true });
  }, 120_000);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  /** The same call in each mode, on separate scenes. */
  async function inEachMode(text: string, tool: string, args: JsonObject) {
    const answers = [];
    for (const mode of MODES) {
      const file = `made_${count++}.tscn`;
      server.write(file, text);
      const answer = await server.call(tool, { ...args, scene: `res://${file}`, mode });
      answers.push({ mode, answer, file, text: server.read(file) });
    }
    return answers;
  }

  describe("a scene whose base made an instance's children editable", () => {
    test.each(DONE)(
      "%s",
      async (_, text, edits, line) => {
        const answers = await inEachMode(text, "godot_batch", { edits: edits as Json[] });
        for (const { mode, answer, text: saved } of answers) {
          expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode } });
          expect(saved).toContain(line);
        }
        const [byFiles, byEngine, byEditor] = answers.map(({ text: saved }) => meaning(saved));
        expect(byEditor).toEqual(byEngine);
        expect(byFiles).toEqual(byEngine);
        const [changes, ...others] = answers.map(({ answer }) => answer.result?.changes);
        expect(others).toEqual([changes, changes]);
      },
      60_000,
    );

    test.each(REFUSED)(
      "never %s",
      async (_, text, edits) => {
        const answers = await inEachMode(text, "godot_batch", { edits: edits as Json[] });
        const [error] = answers.map(({ answer }) => answer.error);
        for (const { answer, text: saved } of answers) {
          expect(answer.error).toMatchObject({ code: "E_UNSUPPORTED", message: error?.message });
          expect(saved).toBe(text);
        }
      },
      60_000,
    );
  });

  test.each([
    ["tint", "#00ff00", "Color(0, 1, 0, 1)", { r: 0, g: 1, b: 0, a: 1 }],
    ["flow", [1, 2], "Vector2(1, 2)", { x: 1, y: 2 }],
    ["steps", 4, "4", 4],
  ] satisfies [string, Json, string, Json][])(
    "shader.set_param sets %s, and says what the file holds",
    async (param, value, text, json) => {
      const call = { action: "shader.set_param", node: ".", param, value };
      for (const { mode, answer, file, text: saved } of await inEachMode(WATER, "godot_inspector", call)) {
        expect(answer, JSON.stringify(answer.error)).toMatchObject({
          ok: true,
          execution: { mode },
          summary: expect.not.stringContaining("Nothing changed"),
          result: { saved: true, changes: [{ properties: [{ new: json }] }] },
        });
        expect(answer.warnings ?? []).toEqual([]);
        expect(saved).toContain(`shader_parameter/${param} = ${text}\n`);
        const property = `material:shader_parameter/${param}`;
        const read = { action: "get_property", scene: `res://${file}`, node: ".", property, mode };
        expect(await server.call("godot_inspector", read)).toMatchObject({ result: { value: json } });
      }
    },
    60_000,
  );

  test.each([
    ["an unknown uniform", ".", "tnit", "#00ff00", "E_SCHEMA_VALIDATION"],
    ["another type", ".", "flow", "fast", "E_SCHEMA_VALIDATION"],
    ["a material in a separate file", "Shared", "steps", 3, "E_UNSUPPORTED"],
  ] satisfies [string, string, string, Json, string][])(
    "shader.set_param refuses %s",
    async (_, node, param, value, code) => {
      const call = { action: "shader.set_param", node, param, value };
      for (const { mode, answer, text } of await inEachMode(WATER, "godot_inspector", call)) {
        expect(answer, mode).toMatchObject({ ok: false, error: { code } });
        expect(text, mode).toBe(WATER);
      }
    },
    60_000,
  );

  test("every property of a class is set or refused alike, with the same file", async () => {
    const { call, root } = server;
    // A part of the classes. `npm run bench -- godot-properties` takes all.
    const every = Number(process.env.PROPERTY_EVERY ?? 60);
    const classes = (await classesToTry()).filter((_, index) => index % every === 0);
    const results = await runProperties({ root, call, classes, everyValue: false, say: () => {} });
    expect(results.filter((result) => verdictOf(result) === "other").map(oddity)).toEqual([]);
    // A value that all refuse shows little.
    const isSet = (result: PropertyResult) => /^(?:set|more)/.test(verdictOf(result));
    expect(results.filter(isSet).length).toBeGreaterThan(results.length * 0.8);
  }, 300_000);

  test.each(["editor", "engine"])(
    "an edit that the %s would save with a loss is refused each time, and no byte of the file changes",
    async (mode) => {
      const file = `lossy_${mode}.tscn`;
      server.write(file, LOSSY);
      const scene = `res://${file}`;
      const call = (action: string, args: JsonObject) =>
        server.call("godot_inspector", { action, scene, node: "Edited", property: "z_index", ...args });
      for (const _again of [1, 2, 3]) {
        expect(await call("set_property", { value: 7, mode })).toMatchObject({
          ok: false,
          error: {
            code: "E_UNSUPPORTED",
            message: expect.stringContaining("speed_of_old"),
            details: { restored: true },
          },
        });
        expect(server.read(file)).toBe(LOSSY);
        expect(await call("get_property", { mode })).toMatchObject({ result: { value: 0 } });
      }
      expect(await server.call("godot_workspace", { action: "save_all" })).toMatchObject({
        result: { saved: [] },
      });
      expect(server.read(file)).toBe(LOSSY);
      // Nothing is lost where the caller leaves the driver to the server.
      expect(await call("set_property", { value: 7 })).toMatchObject({
        ok: true,
        execution: { mode: "files" },
      });
      expect(server.read(file)).toBe(`${LOSSY}z_index = 7\n`);
    },
    60_000,
  );
});

/** The meaning of a scene. Godot repeats what the base says of editable children. */
function meaning(text: string): object {
  const scene = SceneText.parse(text);
  if (!scene.ok) throw new Error(scene.failure.message);
  const { nodes, connections, editable } = modelOf(scene.value);
  return {
    nodes: [...nodes].map(([path, { name, type, instance, groups, properties }]) => [
      path,
      { name, type, instance, groups },
      Object.fromEntries(properties),
    ]),
    connections: [...connections].sort(),
    editable: [...editable].filter((path) => !/^(?:Heir\/)?Enemy$/.test(path)).sort(),
  };
}
