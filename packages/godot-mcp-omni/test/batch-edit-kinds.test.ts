import type { JsonObject } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inspectorTool } from "../src/tools/inspector/inspector.ts";
import { sceneTool } from "../src/tools/scene/scene.ts";
import { openTestServer } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

const FILES = {
  "project.godot": "config_version=5\n",
  "hero.gd": "extends Node2D\n\n\nfunc grab() -> void:\n\tpass\n",
  "coin.tscn":
    '[gd_scene format=3]\n\n[node name="Coin" type="Node2D"]\n\n[node name="Shine" type="Node2D" parent="."]\n',
  "main.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://coin.tscn" id="1"]
[ext_resource type="Script" path="res://hero.gd" id="2"]

[node name="Main" type="Node2D"]

[node name="Hero" type="Area2D" parent="." groups=["old"]]

[node name="Taker" type="Node2D" parent="."]
unique_name_in_owner = true
script = ExtResource("2")

[node name="Coin" parent="." instance=ExtResource("1")]

[node name="Map" type="TileMapLayer" parent="."]

[connection signal="area_exited" from="Hero" to="Taker" method="grab"]
`,
};

const node = "Hero";
const end = { node, to: "Taker", method: "grab" };

/** A call of each action that does one edit. */
const EDITS: readonly (readonly [tool: string, action: string, args: JsonObject])[] = [
  [
    "godot_scene",
    "create",
    {
      type: "Sprite2D",
      name: "New",
      parent: node,
      properties: { position: [1, 2] },
      groups: ["a"],
      index: 0,
    },
  ],
  ["godot_scene", "update", { node, properties: { rotation_degrees: 90, collision_layer: "layer1|layer3" } }],
  ["godot_scene", "instance", { source: "res://coin.tscn", parent: node, name: "Second" }],
  ["godot_scene", "rename", { node, newName: "Heroine" }],
  ["godot_scene", "move", { node, index: 2 }],
  ["godot_scene", "duplicate", { node, name: "Copy" }],
  ["godot_scene", "reparent", { node, parent: "Taker", keepGlobalTransform: false }],
  ["godot_scene", "remove", { node }],
  ["godot_scene", "attach_script", { node: "Map", script: "res://hero.gd" }],
  ["godot_scene", "attach_script", { node: "Taker" }],
  ["godot_scene", "set_unique_name", { node }],
  ["godot_scene", "set_unique_name", { node: "Taker", on: false }],
  ["godot_scene", "set_editable", { node: "Coin", on: true }],
  ["godot_scene", "set_tiles", { node: "Map", tiles: [{ x: 1, y: 2, source: 0 }] }],
  ["godot_inspector", "set_property", { node, property: "modulate", value: "red" }],
  ["godot_inspector", "connect_signal", { ...end, signal: "area_entered", flags: ["deferred"] }],
  ["godot_inspector", "disconnect_signal", { ...end, signal: "area_exited" }],
  ["godot_inspector", "groups.add", { node, group: "new" }],
  ["godot_inspector", "groups.remove", { node, group: "old" }],
];

/** Only Godot writes animations. */
const ANIMATION: JsonObject = {
  kind: "animation.create_simple",
  player: "Anim",
  animation: "walk",
  node,
  property: "position",
  keys: [{ time: 0, value: [1, 2] }],
};

/** They make several edits, which a batch lists separately, or read. */
const NOT_ONE_EDIT = [
  "look",
  "place",
  "new",
  "create_tilemap",
  "create_ui",
  "undo",
  "redo",
  "history",
  "set_collision_layer",
  "shader.set_param",
  "animation.create_simple",
];

describe("an edit in a batch", () => {
  it.each(EDITS)("accepts the same arguments as the single action: %s %s", async (tool, action, args) => {
    const written = async (name: string, call: JsonObject) => {
      const server = openTestServer({ files: FILES, flags: { godot: "" } });
      const answer = await server.call(name, { scene: "res://main.tscn", ...call });
      expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
      expect(server.read("main.tscn")).not.toBe(FILES["main.tscn"]);
      return server.read("main.tscn").replaceAll(/ unique_id=\d+|"\w+_\w{5}"/g, "");
    };
    const single = await written(tool, { action, ...args });
    expect(await written("godot_batch", { edits: [{ kind: action, ...args }] })).toBe(single);
  });

  it("has a kind for every action that does one edit, and the schema lists them", () => {
    const actions = [...sceneTool.actions, ...inspectorTool.actions]
      .filter(({ effect }) => effect !== "none")
      .map(({ name }) => name);
    const words = new Set(EDITS.map(([, action]) => action));
    expect([...words, ...NOT_ONE_EDIT].sort()).toEqual([...new Set([...actions, "history"])].sort());
  });

  it("is accepted in every form that the schema lists", async () => {
    const { client } = await startStdioServer({ files: FILES });
    const batch = (await client.listTools()).tools.find(({ name }) => name === "godot_batch");
    const items = (batch?.inputSchema.properties?.edits as { items: JsonObject } | undefined)?.items ?? {};
    const listed = items.properties as JsonObject;
    const schema = z.fromJSONSchema(items);
    const samples = [...EDITS.map(([, kind, args]) => ({ kind, ...args })), ANIMATION];
    const { enum: words } = listed.kind as { enum: string[] };
    // It is understood, and not listed: update does the same.
    const others = samples.filter(({ kind }) => kind !== "set_property");
    expect(new Set(words)).toEqual(new Set(others.map(({ kind }) => kind)));
    for (const sample of others) {
      // With nothing but what a reader of the schema can know.
      const edit = Object.fromEntries(Object.entries(sample).filter(([name]) => name in listed));
      expect(schema.safeParse(edit), JSON.stringify(edit)).toMatchObject({ success: true });
      const { call } = openTestServer({ files: FILES, flags: { godot: "" } });
      const answer = await call("godot_batch", { scene: "res://main.tscn", edits: [edit] });
      if (sample === ANIMATION) expect(answer.error).toMatchObject({ code: "E_UNSUPPORTED" });
      else expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
    }
  });

  it("that is none is refused with the nearest word, and one with other arguments with those it takes", async () => {
    const { call } = openTestServer({ files: FILES, flags: { godot: "" } });
    const batch = (edit: JsonObject) => call("godot_batch", { scene: "res://main.tscn", edits: [edit] });
    expect(await batch({ kind: "updat", node, properties: {} })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", suggestedFix: "Did you mean update?" },
    });
    expect(await batch({ kind: "rename", node })).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", message: "Edit 1: rename needs newName." },
    });
    expect(await batch({ kind: "update", node, value: 1 })).toMatchObject({
      error: { message: "Edit 1: update needs properties and does not take value." },
    });
  });
});
