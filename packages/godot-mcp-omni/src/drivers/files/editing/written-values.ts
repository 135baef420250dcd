import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import presets from "../../../../addons/godot_mcp_bridge/shared/anchor_presets.json" with { type: "json" };
import { errors, type Result, unknownName } from "../../../errors.ts";
import { valueIn } from "../../../formats/scene-text.ts";
import type { PropertyChange } from "../../../operations/results.ts";
import { localPosition } from "../../../scene-model/global-transform.ts";
import { shortFloat, type ValueCode } from "../../../scene-model/json-to-variant.ts";
import { exportsOf } from "../../../scene-model/known-properties.ts";
import { propertyPath } from "../../../scene-model/scene-tree.ts";
import type { PropertyContext, PropertyHolder } from "./set-properties.ts";

type Meant = Result<JsonObject, ValueCode>;

/**
 * The stored properties behind a name that users write and Godot does not store: `rotation_degrees`,
 * `global_position`, `anchors_preset`. Other names map to themselves. Properties set here already are added to
 * `changes`. written.gd does the same in Godot.
 */
export function meantBy(
  holder: PropertyHolder,
  name: string,
  json: Json,
  context: PropertyContext,
  changes: PropertyChange[],
): Meant {
  const [first = "", ...rest] = propertyPath(name);
  const { classes } = context.world;
  const { type } = holder;
  if (type === undefined || exportsOf(holder.script, context.world).has(first)) return ok({ [name]: json });
  if (first === "rotation_degrees" && classes.properties(type).has("rotation"))
    return ok({ [["rotation", ...rest].join(":")]: inRadians(json) });
  if (first === "global_position" && (classes.inherits(type, "Node2D") || classes.inherits(type, "Node3D")))
    return localPosition(context.world, context.node, json);
  if (first === "anchors_preset" && classes.inherits(type, "Control"))
    return layout(holder, json, context, changes);
  return ok({ [name]: json });
}

function inRadians(json: Json): Json {
  if (typeof json === "number") return Number(shortFloat((json * Math.PI) / 180));
  if (Array.isArray(json)) return (json as readonly Json[]).map(inRadians);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, member]) => [key, inRadians(member ?? null)]));
}

const SIDES = ["left", "top", "right", "bottom"] as const;
const LAYOUT = [
  "layout_mode",
  "anchors_preset",
  ...SIDES.map((side) => `anchor_${side}`),
  ...SIDES.map((side) => `offset_${side}`),
  "grow_horizontal",
  "grow_vertical",
];

/** Applies an anchor preset like the editor. A side that has a size keeps it; the others get the minimum size. */
function layout(
  holder: PropertyHolder,
  json: Json,
  { scene, world, node }: PropertyContext,
  changes: PropertyChange[],
): Meant {
  const preset = presetOf(json);
  if (!preset.ok) return preset;
  const parent = node?.parent?.type;
  if (parent !== undefined && world.classes.inherits(parent, "Container"))
    return errors.fail("E_UNSUPPORTED", `A ${parent} places its children: anchors have no effect there.`, {
      suggestedFix: "Set size_flags_horizontal and size_flags_vertical instead.",
    });
  const numberOf = (property: string) =>
    Number(valueIn(holder.block, property) ?? holder.inherited.get(property)?.text ?? 0);
  const [number = 0, ...anchors] = preset.value;
  const isChild = parent !== undefined && world.classes.inherits(parent, "Control");
  const axis = (begin: 0 | 1) => {
    const [from, to] = [SIDES[begin], SIDES[begin + 2]];
    const hasSize = numberOf(`anchor_${from}`) === numberOf(`anchor_${to}`);
    const size = hasSize ? numberOf(`offset_${to}`) - numberOf(`offset_${from}`) : 0;
    const [a = 0, b = 0] = [anchors[begin], anchors[begin + 2]];
    return a === b
      ? { offsets: [-a * size + 0, (1 - a) * size], grow: a === 0.5 ? 2 : 1 - a }
      : { offsets: [0, 0], grow: 2 };
  };
  const [x, y] = [axis(0), axis(1)];
  const values: Readonly<Record<string, number>> = {
    grow_horizontal: x.grow,
    grow_vertical: y.grow,
    ...Object.fromEntries(SIDES.map((side, index) => [`anchor_${side}`, anchors[index] ?? 0])),
    offset_left: x.offsets[0] ?? 0,
    offset_right: x.offsets[1] ?? 0,
    offset_top: y.offsets[0] ?? 0,
    offset_bottom: y.offsets[1] ?? 0,
  };
  changes.push({ name: "anchors_preset", type: "int", old: numberOf("anchors_preset"), new: number });
  // Godot applies the lines in order, and the preset would change anchors that come before it.
  for (const line of LAYOUT) if (!holder.inherited.has(line)) scene.unset(holder.block, line);
  scene.set(holder.block, "layout_mode", isChild ? "1" : "3");
  if (number !== 0 || !isChild) scene.set(holder.block, "anchors_preset", String(number));
  return ok(
    Object.fromEntries(LAYOUT.flatMap((line) => (line in values ? [[line, values[line] ?? 0]] : []))),
  );
}

/** Accepts `full_rect`, `PRESET_FULL_RECT`, `Full Rect` or 15. */
function presetOf(json: Json): Result<readonly number[], ValueCode> {
  const names = Object.keys(presets);
  const rows: Readonly<Record<string, readonly number[]>> = presets;
  const folded = (name: string) =>
    name
      .toLowerCase()
      .replace(/[ _-]/g, "")
      .replace(/^preset/, "");
  const name =
    typeof json === "string"
      ? names.find((known) => folded(known) === folded(json))
      : names.find((known) => rows[known]?.[0] === json);
  const row = name === undefined ? undefined : rows[name];
  return row === undefined
    ? unknownName(
        "E_SCHEMA_VALIDATION",
        `There is no anchor preset ${JSON.stringify(json).slice(0, 60)}.`,
        typeof json === "string" ? json : "",
        names,
      )
    : ok(row);
}
