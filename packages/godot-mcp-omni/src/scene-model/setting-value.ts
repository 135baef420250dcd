import type { Json } from "@toolpact/contract";
import { SceneText } from "../formats/scene-text.ts";
import type { SettingsText } from "../formats/settings-text.ts";
import type { ClassTable } from "../godot/class-table.ts";
import { defaultJson } from "./property-defaults.ts";
import { jsonOfText } from "./variant-to-json.ts";

/** Returns the value of a setting in `project.godot`, or its default; undefined if neither is known. */
export function settingValue(text: SettingsText, name: string, classes: ClassTable): Json | undefined {
  const held = text.get(name);
  const known = classes.setting(name);
  if (held !== undefined) return jsonOfText(held, NO_FILE, known !== undefined && known.type !== "Variant");
  return known === undefined ? undefined : defaultJson(known, NO_FILE);
}

const NO_FILE = SceneText.empty("gd_scene format=3");
