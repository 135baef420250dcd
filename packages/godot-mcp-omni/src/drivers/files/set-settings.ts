import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { at, errors, type Result, unknownName } from "../../errors.ts";
import type { SettingsText } from "../../formats/settings-text.ts";
import { parseVariant, writeVariant } from "../../formats/variant.ts";
import type { ClassTable } from "../../godot/class-table.ts";
import type { PropertyChange } from "../../operations/results.ts";
import { type ResourceHost, variantOf } from "../../scene-model/json-to-variant.ts";
import { settingValue } from "../../scene-model/known-properties.ts";

type SettingCode = "E_SCHEMA_VALIDATION" | "E_UNSUPPORTED" | "E_NOT_FOUND";

/** Sections whose names the project chooses. */
const FREE_SECTIONS = new Set([
  "global",
  "addons",
  "autoload",
  "editor_plugins",
  "shader_globals",
  "global_group",
]);

/** Changes settings with their proper types; null resets one to its default. */
export function changeSettings(
  text: SettingsText,
  settings: JsonObject,
  classes: ClassTable,
): Result<PropertyChange[], SettingCode> {
  if (Object.keys(settings).length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", '"settings" is an object of names and values.');
  const changes: PropertyChange[] = [];
  for (const [name, json = null] of Object.entries(settings)) {
    const refused = checkName(name, text, classes);
    if (refused !== undefined) return refused;
    const known = classes.setting(name);
    const old = settingValue(text, name, classes) ?? null;
    if (json === null) text.unset(name);
    else {
      const type = known?.type ?? typeNow(text.get(name));
      const value = variantOf(json, type, NO_RESOURCES, known);
      if (!value.ok) return at(name, value);
      text.set(name, writeVariant(value.value));
    }
    changes.push({
      name,
      type: known?.type ?? "Variant",
      old,
      new: settingValue(text, name, classes) ?? null,
    });
  }
  return ok(changes);
}

function checkName(name: string, text: SettingsText, classes: ClassTable) {
  if (name.startsWith("input/"))
    return errors.fail("E_SCHEMA_VALIDATION", `"${name}" belongs to the input map.`, {
      suggestedFix: "Use input_map.setup.",
    });
  const [section = "", key = ""] = name.split("/");
  if (key === "" || section === "" || /[[\]\n"=]/.test(name))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `"${name.slice(0, 80)}" is not a setting: names look like section/name.`,
    );
  if (text.get(name) !== undefined || classes.setting(name) !== undefined || FREE_SECTIONS.has(section))
    return undefined;
  // A new name in one of Godot's own sections is usually a typo.
  if (!classes.settings.some((known) => known.startsWith(`${section}/`))) return undefined;
  return unknownName(
    "E_SCHEMA_VALIDATION",
    `There is no setting "${name.slice(0, 80)}".`,
    name,
    classes.settings,
  );
}

/** A setting that is not in the class table keeps its kind of number. */
function typeNow(held: string | undefined): string {
  const parsed = held === undefined ? undefined : parseVariant(held);
  if (!parsed?.ok || parsed.value.kind !== "number") return "Variant";
  return /[.e]/.test(parsed.value.text) ? "float" : "int";
}

/** Settings refer to files by path, not to a resource inside a file. */
const NO_RESOURCES: ResourceHost = {
  isNodeClass: () => false,
  external: (res) => ok({ kind: "string", value: res }),
  internal: () => errors.fail("E_UNSUPPORTED", "A setting cannot hold a resource."),
  node: () => errors.fail("E_UNSUPPORTED", "A setting cannot hold a node."),
};
