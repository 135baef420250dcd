import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

interface Row {
  readonly type: string;
  readonly set: JsonObject;
  /** The lines that every mode makes of it, in a single edit and in a batch. */
  readonly lines: readonly string[];
  /** Lines that the node has before. */
  readonly before?: string;
  /** The class and lines of its parent. */
  readonly parent?: string;
}

/** Values as people write them. */
const ACCEPTED: readonly Row[] = [
  { type: "Node2D", set: { position: [3, 4.5] }, lines: ["position = Vector2(3, 4.5)"] },
  { type: "Node2D", set: { position: { x: 3, y: 4.5 } }, lines: ["position = Vector2(3, 4.5)"] },
  {
    type: "Node3D",
    parent: "Node3D",
    set: { position: [1, 2, 3] },
    lines: ["transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3)"],
  },
  { type: "Node2D", set: { modulate: "red" }, lines: ["modulate = Color(1, 0, 0, 1)"] },
  { type: "Node2D", set: { modulate: "Rebecca Purple" }, lines: ["modulate = Color(0.4, 0.2, 0.6, 1)"] },
  { type: "Node2D", set: { modulate: "DARK_ORANGE" }, lines: ["modulate = Color(1, 0.54901963, 0, 1)"] },
  { type: "Node2D", set: { modulate: "#ff0000" }, lines: ["modulate = Color(1, 0, 0, 1)"] },
  { type: "Node2D", set: { modulate: [1, 0.5, 0] }, lines: ["modulate = Color(1, 0.5, 0, 1)"] },
  { type: "Node2D", set: { modulate: [1, 0.5, 0, 0.25] }, lines: ["modulate = Color(1, 0.5, 0, 0.25)"] },
  {
    type: "Sprite2D",
    set: { region_rect: { x: 1, y: 2, width: 30, height: 40 } },
    lines: ["region_rect = Rect2(1, 2, 30, 40)"],
  },
  { type: "Sprite2D", set: { region_rect: [1, 2, 30, 40] }, lines: ["region_rect = Rect2(1, 2, 30, 40)"] },
  { type: "Label", set: { horizontal_alignment: "CENTER" }, lines: ["horizontal_alignment = 1"] },
  {
    type: "Label",
    set: { horizontal_alignment: "HORIZONTAL_ALIGNMENT_RIGHT" },
    lines: ["horizontal_alignment = 2"],
  },
  { type: "TextureRect", set: { stretch_mode: "keep_aspect_centered" }, lines: ["stretch_mode = 5"] },
  { type: "TextureRect", set: { stretch_mode: "STRETCH_KEEP_ASPECT" }, lines: ["stretch_mode = 4"] },
  { type: "Control", set: { mouse_filter: "pass" }, lines: ["mouse_filter = 1"] },
  {
    type: "Polygon2D",
    set: { polygon: [[0, 0], { x: 5, y: 6 }] as never },
    lines: ["polygon = PackedVector2Array(0, 0, 5, 6)"],
  },
  { type: "Area2D", set: { collision_layer: "layer1|layer3" }, lines: ["collision_layer = 5"] },
  { type: "Area2D", set: { collision_mask: "Layer 2 | layer_32" }, lines: ["collision_mask = 2147483650"] },
  {
    type: "Control",
    set: { size_flags_horizontal: "SIZE_EXPAND|SIZE_FILL" },
    lines: ["size_flags_horizontal = 3"],
  },
  { type: "Control", set: { size_flags_vertical: "SIZE_EXPAND_FILL" }, lines: ["size_flags_vertical = 3"] },
  { type: "Control", set: { size_flags_vertical: "shrink center" }, lines: ["size_flags_vertical = 4"] },
  { type: "Node2D", set: { rotation_degrees: 90 }, lines: ["rotation = 1.5707964"] },
  { type: "Control", set: { rotation_degrees: -45 }, lines: ["rotation = -0.7853982"] },
  {
    type: "Node3D",
    parent: "Node3D",
    set: { rotation_degrees: { x: 0, y: 0, z: 90 } },
    lines: ["transform = Transform3D(0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0)"],
  },
  {
    type: "Node2D",
    parent: "Node2D\nposition = Vector2(100, 50)\nscale = Vector2(2, 2)",
    set: { global_position: [110, 70] },
    lines: ["position = Vector2(5, 10)"],
  },
  {
    type: "Node3D",
    parent: "Node3D\ntransform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3)",
    set: { global_position: [1, 1, 1] },
    lines: ["transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, -2)"],
  },
  {
    type: "Panel",
    parent: "Control",
    before: "offset_left = 10.0\noffset_right = 110.0\noffset_bottom = 50.0\n",
    set: { anchors_preset: "full_rect" },
    lines: [
      "layout_mode = 1",
      "anchors_preset = 15",
      "anchor_right = 1.0",
      "anchor_bottom = 1.0",
      "grow_horizontal = 2",
      "grow_vertical = 2",
    ],
  },
  {
    type: "Panel",
    parent: "Control",
    before: "offset_left = 10.0\noffset_right = 110.0\noffset_bottom = 50.0\n",
    set: { anchors_preset: "PRESET_CENTER" },
    lines: [
      "layout_mode = 1",
      "anchors_preset = 8",
      "anchor_left = 0.5",
      "anchor_top = 0.5",
      "anchor_right = 0.5",
      "anchor_bottom = 0.5",
      "offset_left = -50.0",
      "offset_top = -25.0",
      "offset_right = 50.0",
      "offset_bottom = 25.0",
      "grow_horizontal = 2",
      "grow_vertical = 2",
    ],
  },
  {
    type: "Label",
    parent: "Control",
    set: { anchors_preset: 10 },
    lines: ["layout_mode = 1", "anchors_preset = 10", "anchor_right = 1.0", "grow_horizontal = 2"],
  },
  {
    type: "Panel",
    parent: "Control",
    before: `layout_mode = 1
anchors_preset = 15
anchor_right = 1.0
anchor_bottom = 1.0
grow_horizontal = 2
grow_vertical = 2
`,
    set: { anchors_preset: "Top Left" },
    lines: ["layout_mode = 1"],
  },
];

/** Cases in which every mode answers alike, and nothing is written. */
const REFUSED: readonly (Omit<Row, "lines" | "before"> & {
  readonly message: RegExp;
  readonly code?: string;
})[] = [
  { type: "Node2D", set: { position: [1] }, message: /Vector2 is expected/ },
  { type: "Node2D", set: { position: [1, 2, 3] }, message: /Vector2 is expected/ },
  { type: "Node2D", set: { modulate: "reddish" }, message: /Color is expected/ },
  { type: "Node2D", set: { modulate: [1, 2] }, message: /Color is expected/ },
  { type: "Sprite2D", set: { region_rect: { x: 1, y: 2, width: 30 } }, message: /Rect2 is expected/ },
  { type: "Label", set: { horizontal_alignment: "centre" }, message: /no choice/ },
  { type: "Label", set: { horizontal_alignment: "NOT_CENTER" }, message: /no choice/ },
  { type: "Area2D", set: { collision_layer: "layer0" }, message: /no choice/ },
  { type: "Area2D", set: { collision_layer: "layer1|" }, message: /no choice/ },
  { type: "Node2D", set: { z_index: "layer1" }, message: /int is expected/ },
  { type: "Control", set: { size_flags_horizontal: "SIZE_EXPANDS" }, message: /no choice/ },
  { type: "Node2D", set: { rotation_degrees: "90" }, message: /float is expected/ },
  { type: "Node2D", set: { global_position: [1, 2, 3] }, message: /Vector2 is expected/ },
  {
    type: "Node2D",
    parent: "Node2D\nscale = Vector2(0, 0)",
    set: { global_position: [1, 2] },
    message: /no size/,
    code: "E_UNSUPPORTED",
  },
  { type: "Panel", parent: "Control", set: { anchors_preset: "full" }, message: /no anchor preset/ },
  {
    type: "Panel",
    parent: "VBoxContainer",
    set: { anchors_preset: 15 },
    message: /places its children/,
    code: "E_UNSUPPORTED",
  },
  { type: "Node2D", set: { anchors_preset: 15 }, message: /no property/ },
];

/** A scene with one node for a single edit and one for a batch. */
function sceneOf({ type, parent = "Node2D", before = "" }: Omit<Row, "lines" | "set">): string {
  const [root, ...lines] = parent.split("\n");
  const nodes = ["Single", "Batch"].map(
    (name) => `[node name="${name}" type="${type}" parent="."]\n${before}`,
  );
  return [
    `[gd_scene format=3]\n`,
    `[node name="Root" type="${root}"]\n${lines.map((line) => `${line}\n`).join("")}`,
    ...nodes,
  ].join("\n");
}

const KEYS: readonly (readonly [written: string, code: number, modifier?: string])[] = [
  ["space", 32],
  ["KEY_SPACE", 32],
  ["a", 65],
  ["esc", 4194305],
  ["return", 4194309],
  ["page_up", 4194323],
  ["left arrow", 4194319],
  ["ctrl+s", 83, "ctrl"],
  ["Control+Shift+s", 83, "shift"],
];

describe.each(["files", ...(realGodot === undefined ? [] : ["engine", "editor"])])("in mode %s", (mode) => {
  let server: TestServer;
  const undo: (() => void | Promise<void>)[] = [];

  beforeAll(async () => {
    const scenes = [...ACCEPTED, ...REFUSED].map((row, index) => [`row${index}.tscn`, sceneOf(row)]);
    server = openTestServer({
      files: { ...GAME, ...Object.fromEntries(scenes) },
      flags: { godot: mode === "files" ? "" : realGodot },
      later: (step) => undo.unshift(step),
    });
    if (mode !== "editor") return;
    await installAddon(new Project(server.root, () => 0));
    const launch = { action: "launch", headless: true, timeoutMs: 100_000 };
    expect(await server.call("godot_workspace", launch)).toMatchObject({ ok: true });
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  const single = (scene: string, set: JsonObject) => {
    const [property = "", ...more] = Object.keys(set);
    const value = set[property] ?? null;
    return Array.isArray(value) || more.length > 0
      ? server.call("godot_scene", { action: "update", scene, node: "Single", properties: set, mode })
      : server.call("godot_inspector", {
          action: "set_property",
          scene,
          node: "Single",
          property,
          value,
          mode,
        });
  };
  const batch = (scene: string, properties: JsonObject) =>
    server.call("godot_batch", {
      scene,
      mode,
      edits: [{ kind: "set", node: "/root/Root/Batch", properties }],
    });
  const linesOf = (file: string, node: string) => {
    const block = server.read(file).split(`[node name="${node}"`)[1]?.split("\n[")[0] ?? "";
    return (
      block
        .split("\n")
        .slice(1)
        // A right angle in 32 bits.
        .map((line) => line.replace(/-?\d(?:\.\d+)?e-0?[78]/g, "0"))
        .filter((line) => line !== "" && !/^(?:layout_mode = [023]|anchors_preset = 0)$/.test(line))
    );
  };

  it(
    "values are taken as people write them, single and in a batch, with the same lines",
    async () => {
      for (const [index, { set, lines }] of ACCEPTED.entries()) {
        const file = `row${index}.tscn`;
        for (const [node, edit] of [
          ["Single", single],
          ["Batch", batch],
        ] as const) {
          const answer = await edit(`res://${file}`, set);
          expect(answer, `${JSON.stringify(set)}: ${answer.summary}`).toMatchObject({ ok: true });
          expect(answer.execution, JSON.stringify(answer.warnings)).toMatchObject({ mode });
          expect(linesOf(file, node).sort(), JSON.stringify(set)).toEqual([...lines].sort());
        }
      }
    },
    START_MS * 2,
  );

  it(
    "values that fit nothing are refused alike, and nothing is written",
    async () => {
      for (const [index, { set, message, code = "E_SCHEMA_VALIDATION" }] of REFUSED.entries()) {
        const file = `row${ACCEPTED.length + index}.tscn`;
        for (const edit of [single, batch]) {
          const { error } = await edit(`res://${file}`, set);
          expect(error, JSON.stringify(set)).toMatchObject({ code, message: expect.stringMatching(message) });
        }
        expect(linesOf(file, "Single")).toEqual([]);
      }
    },
    START_MS * 2,
  );

  it("paths of the running game lead to the same nodes, and to no other", async () => {
    const tree = (node: string) =>
      server.call("godot_inspector", {
        action: "get_property",
        scene: "res://main.tscn",
        node,
        property: "position",
        mode,
      });
    expect(await tree("/root/Main/Player")).toMatchObject({ ok: true, result: { value: { x: 3, y: 4 } } });
    expect(await tree("/root/Main")).toMatchObject({ ok: true, result: { value: { x: 0, y: 0 } } });
    // An autoload of this name would be there, not the node.
    expect(await tree("/root/Player")).toMatchObject({ error: { code: "E_SCHEMA_VALIDATION" } });
  });

  it("a class is inspected: what a new object of it has", async () => {
    const inspect = { action: "inspect", class: "Timer", mode };
    expect(await server.call("godot_inspector", inspect)).toMatchObject({
      ok: true,
      result: { type: "Timer", properties: { wait_time: 1, one_shot: false, autostart: false } },
    });
    expect(await server.call("godot_inspector", { ...inspect, fields: ["wait_time"] })).toMatchObject({
      ok: true,
      result: { type: "Timer", properties: { wait_time: 1 } },
    });
    expect(await server.call("godot_inspector", { ...inspect, class: "Timr" })).toMatchObject({
      error: { code: "E_NOT_FOUND", details: { nearest: expect.arrayContaining(["Timer"]) } },
    });
  });

  it.skipIf(mode === "editor")(
    "keys are taken as people write them",
    async () => {
      const { call, read } = server;
      for (const [index, [key, code, modifier]] of KEYS.entries()) {
        const actions = [{ name: `act${index}`, events: [{ type: "key", key }] }];
        const answer = await call("godot_project", { action: "input_map.setup", actions, mode });
        expect(answer, `${key}: ${answer.summary}`).toMatchObject({ ok: true });
        const text = read("project.godot").split(`act${index}=`)[1];
        expect(text, key).toContain(`"physical_keycode":${code},`);
        if (modifier !== undefined) expect(text).toContain(`"${modifier}_pressed":true`);
      }
      const actions = [{ name: "no", events: [{ type: "key", key: "spacebars" }] }];
      expect(await call("godot_project", { action: "input_map.setup", actions, mode })).toMatchObject({
        error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("spacebars") },
      });
    },
    START_MS * 2,
  );
});
