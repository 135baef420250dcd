import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject, ok } from "@toolpact/outcome";
import { type Result, unknownName } from "../errors.ts";
import type { SceneEdit } from "../operations/scene-edit.ts";
import { PRESETS, type Preset } from "./presets.ts";

const MARK = "preset:";

/** Replaces presets in edits by their classes and values. */
export function withPresets(
  edits: readonly SceneEdit[],
): Result<readonly SceneEdit[], "E_SCHEMA_VALIDATION"> {
  const expanded: SceneEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    const preset = edit.kind === "add" ? presetOf(edit.type) : ok(undefined);
    if (!preset.ok) return preset;
    const nodes =
      edit.kind === "add" && preset.value !== undefined
        ? nodesOf(edit, preset.value, edit.as ?? `preset${index}`)
        : [edit];
    for (const node of nodes) {
      if (!("properties" in node) || node.properties === undefined) {
        expanded.push(node);
        continue;
      }
      const properties = valuesOf(node.properties);
      if (!properties.ok) return properties;
      expanded.push({ ...node, properties: properties.value });
    }
  }
  return ok(expanded);
}

/** A resource with the class and values of its preset, overridden by the given values. */
export function resourceOf(
  type: string,
  given: JsonObject,
): Result<{ readonly type: string; readonly properties: JsonObject }, "E_SCHEMA_VALIDATION"> {
  const preset = presetOf(type);
  if (!preset.ok) return preset;
  const properties = valuesOf({ ...preset.value?.properties, ...given });
  return properties.ok ? ok({ type: preset.value?.type ?? type, properties: properties.value }) : properties;
}

function presetOf(type: string): Result<Preset | undefined, "E_SCHEMA_VALIDATION"> {
  if (!type.startsWith(MARK)) return ok(undefined);
  const name = type.slice(MARK.length);
  const names = Object.keys(PRESETS);
  const message = `There is no preset "${name.slice(0, 40)}": ${names.join(", ")}.`;
  return names.includes(name) ? ok(PRESETS[name]) : unknownName("E_SCHEMA_VALIDATION", message, name, names);
}

type Add = Extract<SceneEdit, { kind: "add" }>;

function nodesOf(
  edit: Add,
  { type, properties, children = [] }: Preset,
  label: string,
): readonly SceneEdit[] {
  return [
    {
      ...edit,
      name: edit.name ?? pascal(edit.type.slice(MARK.length)),
      type,
      properties: { ...properties, ...edit.properties },
      ...(children.length > 0 && { as: label }),
    },
    ...children.map((child): SceneEdit => ({ kind: "add", parent: `$${label}`, ...child })),
  ];
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Replaces each `{"resource": "preset:…"}` in values by its resource. */
function valuesOf(given: JsonObject): Result<JsonObject, "E_SCHEMA_VALIDATION"> {
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const read = withResource(value ?? null);
    if (!read.ok) return read;
    values[name] = read.value;
  }
  return ok(values);
}

function withResource(value: Json): Result<Json, "E_SCHEMA_VALIDATION"> {
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const read = withResource(item);
      if (!read.ok) return read;
      items.push(read.value);
    }
    return ok(items);
  }
  if (!isJsonObject(value)) return ok(value);
  const { resource, properties } = value;
  if (typeof resource !== "string" || !resource.startsWith(MARK)) return valuesOf(value);
  const made = resourceOf(resource, isJsonObject(properties) ? properties : {});
  return made.ok ? ok({ ...value, resource: made.value.type, properties: made.value.properties }) : made;
}
