import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { assignmentsOf, type SceneText, textField } from "../../formats/scene-text.ts";
import { MEMBERS } from "../../formats/variant-types.ts";
import type { ClassProperty } from "../../godot/class-table.ts";
import type { PropertyChange, SceneChange } from "../../operations/results.ts";
import type { SceneEdit } from "../../operations/scene-edit.ts";
import { defaultJson, exportsOf } from "../../scene-model/known-properties.ts";
import type { SceneModel } from "../../scene-model/scene-model.ts";
import { propertyPath } from "../../scene-model/scene-tree.ts";
import type { SceneWorld } from "../../scene-model/scene-world.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";
import { standardOf } from "./rewritten.ts";

/** Whether any change sets a value inside a resource. */
export function setsInside(changes: readonly SceneChange[]): boolean {
  return changes.some(({ properties = [] }) =>
    properties.some(({ name, new: set }) => name.includes(":") || isMade(set)),
  );
}

/** Values inside resources of a scene that were requested, and that the file lacks. */
export function lostInside(
  now: SceneModel,
  file: SceneText,
  edits: readonly SceneEdit[],
  changes: readonly SceneChange[],
  world: SceneWorld,
): string[] {
  const setLater = new Set<string>();
  const lost: string[] = [];
  for (const [index, { node, properties = [], notSaved = [] }] of [...changes.entries()].toReversed()) {
    const held = now.nodes.get(node)?.properties;
    const edit = edits[index];
    const asked = edit !== undefined && "properties" in edit ? edit.properties : {};
    for (const { name, old, new: set } of properties.toReversed()) {
      const path = propertyPath(name);
      const isReplaced = path.some((_, at) => setLater.has(`${node}:${path.slice(0, at + 1).join(":")}`));
      setLater.add(`${node}:${path.join(":")}`);
      const [first = "", ...rest] = path;
      if (held === undefined || isReplaced || notSaved.includes(name) || notSaved.includes(first)) continue;
      const text = held.get(first);
      const isInside = rest.length > 0 ? !ALL_MEMBERS.has(rest[0] ?? "") : isMade(set);
      const stored = text === undefined ? undefined : partOf(jsonOfText(text, file, true), rest, file, world);
      const isThere =
        text === undefined
          ? !isInside || isSame(old, set)
          : isHeld(set, stored, file, world) && isHeld(madeBy(asked?.[name]), stored, file, world);
      if (!isThere) lost.push(`${name} of ${node} is not what was set`);
    }
  }
  return lost.reverse();
}

/** Requested properties that are missing in a resource file. */
export function lostValues(
  file: SceneText,
  asked: Readonly<Record<string, Json | undefined>>,
  changed: readonly PropertyChange[],
  world: SceneWorld,
): string[] {
  const type = (file.head && textField(file.head, "type")) ?? "Resource";
  const held = new Map(
    file
      .tagged("resource")
      .flatMap(assignmentsOf)
      .map((row) => [row.name, row.value]),
  );
  const script = jsonOfText(held.get("script") ?? "null", file, true);
  return Object.entries(asked).flatMap(([name, wanted = null]) => {
    const [first = "", ...rest] = propertyPath(name);
    const text = held.get(first);
    const property = declaredIn(type, script, first, world);
    if (text === undefined && (property === undefined || rest.length > 0)) return [];
    // Godot stores it in another property.
    if (property?.stored === false) return [];
    const whole =
      text !== undefined
        ? jsonOfText(text, file, property !== undefined && property.type !== "Variant")
        : property && defaultOf(property, file);
    const stored = partOf(whole, rest, file, world);
    const set = changed.find((row) => row.name === name)?.new ?? null;
    const isThere =
      !isLost(wanted, stored) &&
      isHeld(set, stored, file, world) &&
      isHeld(madeBy(wanted), stored, file, world);
    return isThere ? [] : [`${name} is not what was set`];
  });
}

const ALL_MEMBERS: ReadonlySet<string> = new Set(
  Object.values(MEMBERS).flatMap((members) => members.map(([name]) => name)),
);

/** A resource inside the file, not a reference to another one. */
function isMade(value: Json): value is JsonObject {
  return isJsonObject(value) && typeof value.resource === "string" && value.path === undefined;
}

/** A requested resource: a driver reports only those of its properties that Godot saves. */
function madeBy(wanted: Json | undefined): Json {
  return wanted !== undefined && isMade(wanted) ? wanted : null;
}

/** The value at `gradient:offsets` inside a value. */
function partOf(
  whole: Json | undefined,
  path: readonly string[],
  file: SceneText,
  world: SceneWorld,
): Json | undefined {
  return path.reduce<Json | undefined>((value, name) => {
    if (value === undefined || !isJsonObject(value)) return undefined;
    return isMade(value) ? propertyOf(value, name, file, world) : value[name];
  }, whole);
}

/** The value of a resource inside the file, or its default; undefined if only Godot knows that. */
function propertyOf(
  resource: JsonObject,
  name: string,
  file: SceneText,
  world: SceneWorld,
): Json | undefined {
  const properties = isJsonObject(resource.properties) ? resource.properties : {};
  if (name in properties) return properties[name] ?? null;
  const declared = declaredIn(String(resource.resource), properties.script, name, world);
  return declared === undefined || declared.stored === false ? undefined : defaultOf(declared, file);
}

function declaredIn(type: string, script: Json | undefined, name: string, world: SceneWorld) {
  const path = script !== undefined && isJsonObject(script) ? script.path : undefined;
  return (
    world.classes.properties(type).get(name) ??
    exportsOf(typeof path === "string" ? path : undefined, world).get(name)
  );
}

/** Undefined if only Godot can compute it. */
function defaultOf(declared: ClassProperty, file: SceneText): Json | undefined {
  return standardOf(declared) === undefined ? undefined : defaultJson(declared, file);
}

/** Whether the file lacks some part of a requested value. */
function isLost(wanted: Json, stored: Json | undefined): boolean {
  if (wanted === null || wanted === "" || stored === undefined) return false;
  if (stored === null) return true;
  return pairs(wanted, stored).some(([part, held]) => isLost(part, held));
}

/** Whether a value is not known to differ from the stored one, also inside resources. */
function isHeld(set: Json, stored: Json | undefined, file: SceneText, world: SceneWorld): boolean {
  if (stored === undefined) return true;
  if (isMade(set)) {
    if (stored === null) return false;
    const wanted = isJsonObject(set.properties) ? set.properties : {};
    return (
      !isMade(stored) ||
      Object.entries(wanted).every(([name, value = null]) =>
        isHeld(value, partOf(stored, propertyPath(name), file, world), file, world),
      )
    );
  }
  const parts = pairs(set, stored);
  if (parts.length === 0) return !differs(set, stored);
  return parts.every(([part, held]) => isHeld(part, held, file, world));
}

/** Whether two values are known to differ. Another notation of the same value does not count. */
export function differs(set: Json, stored: Json | undefined): boolean {
  if (typeof set === "number" && typeof stored === "number") return !isSame(set, stored);
  if (typeof set === "boolean" && typeof stored === "boolean") return set !== stored;
  if (stored === undefined) return false;
  return pairs(set, stored).some(([part, held]) => differs(part, held));
}

function isSame(one: Json, other: Json): boolean {
  if (typeof one === "number" && typeof other === "number")
    return Math.abs(one - other) <= 1e-4 * Math.max(1, Math.abs(one));
  return one === other;
}

function pairs(one: Json, other: Json): (readonly [Json, Json | undefined])[] {
  if (Array.isArray(one))
    return Array.isArray(other) ? one.map((item, index) => [item, other[index]] as const) : [];
  if (!isJsonObject(one) || !isJsonObject(other)) return [];
  return Object.entries(one).map(([key, value]) => [value ?? null, other[key]] as const);
}
