import type { Json } from "@toolpact/contract";
import type * as z from "zod";
import { gameInput } from "../../game/input-shapes.ts";
import { animationKey, tile } from "../../operations/scene-edit.ts";
import { presetForms } from "../../scene-model/presets.ts";
import { editForms } from "../batch/batch.ts";
import { formsOf } from "../params.ts";
import { element, nodeSpec } from "../scene/parts.ts";
import { where } from "../scene/placement.ts";

interface ItemHelp {
  /** The members of an item, for each kind. */
  readonly forms: readonly string[];
  readonly example: Json;
}

/** Parameters with a vague schema, by tool: lists of plain objects, and names of presets. */
const ITEMS: Readonly<Record<string, ItemHelp>> = {
  "godot_game events": of(gameInput, [
    { kind: "action", name: "right", at: 0, hold: 60 },
    { kind: "key", key: "Space", at: 20 },
    { kind: "click", text: "Play", at: 90 },
  ]),
  "godot_scene tiles": of(tile, [{ x: 0, y: 3, atlas: [1, 0] }]),
  "godot_scene children": of(nodeSpec, [{ type: "CollisionShape2D", name: "Shape", properties: {} }]),
  "godot_scene elements": of(element, [
    { type: "VBoxContainer", layout: "center", children: [{ type: "Button", name: "Play", properties: {} }] },
  ]),
  "godot_scene where": of(where, [
    { on: "Table" },
    { beside: "Door", side: "left", gap: 0.5 },
    { along: "Path", count: 5 },
  ]),
  "godot_scene type": { forms: presetForms, example: "preset:fire_2d" },
  "godot_asset type": { forms: presetForms, example: "preset:audio_buses" },
  "godot_inspector keys": of(animationKey, [
    { time: 0, value: [0, 0] },
    { time: 1, value: [64, 0] },
  ]),
  "godot_batch edits": {
    forms: editForms,
    example: [
      { kind: "create", type: "Area2D", name: "Coin", as: "coin", primitive: "circle" },
      { kind: "update", node: "$coin", properties: { position: [64, 32] } },
    ],
  },
};

function of(schema: z.ZodType, example: Json): ItemHelp {
  return { forms: formsOf(schema), example };
}

/** Help for the parameters of a tool, or of one of its actions. */
export function itemHelp(tool: string, parameters: readonly string[]): Record<string, ItemHelp> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const help = ITEMS[`${tool} ${parameter}`];
      return help === undefined ? [] : [[parameter, help]];
    }),
  );
}
