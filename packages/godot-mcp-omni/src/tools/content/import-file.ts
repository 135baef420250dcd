import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { at, errors, type Result, unknownName } from "../../errors.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { typeOfText, writeVariant } from "../../formats/variant.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { plainValuesOnly, variantOf } from "../../scene-model/json-to-variant.ts";
import { jsonOfText } from "../../scene-model/variant-to-json.ts";

/** The import settings that Godot wrote next to an asset. */
export interface ImportFile {
  readonly path: ProjectPath;
  readonly was: string;
  readonly text: SettingsText;
  /** Such as `texture`; `keep` for a file that is not imported. */
  readonly importer: string;
  /** The class it is imported as. */
  readonly type: string | undefined;
  readonly uid: string | undefined;
  /** False if the last import failed. */
  readonly isValid: boolean;
  readonly settings: JsonObject;
}

const PARAMS = "params/";

/** Undefined if the asset was not imported yet. */
export async function readImportFile(project: Project, asset: string): Promise<ImportFile | undefined> {
  const read = await project.readText(`${asset}.import`);
  if (!read.ok) return undefined;
  const text = SettingsText.parse(read.value.text);
  if (!text.ok) return undefined;
  const member = (name: string) => {
    const held = text.value.get(`remap/${name}`);
    return held === undefined ? undefined : String(jsonOf(held));
  };
  return {
    path: read.value.path,
    was: read.value.text,
    text: text.value,
    importer: member("importer") ?? "keep",
    type: member("type"),
    uid: member("uid"),
    isValid: member("valid") !== "false",
    settings: Object.fromEntries(
      text.value
        .entries()
        .filter(([name]) => name.startsWith(PARAMS))
        .map(([name, held]) => [name.slice(PARAMS.length), jsonOf(held)]),
    ),
  };
}

/** The file with changed settings, each with its existing type. */
export function withSettings(file: ImportFile, settings: JsonObject): Result<string> {
  for (const [name, value = null] of Object.entries(settings)) {
    const held = settingText(file, name);
    if (held === undefined)
      return unknownName(
        "E_SCHEMA_VALIDATION",
        `The importer ${file.importer} has no setting "${name.slice(0, 80)}".`,
        name,
        Object.keys(file.settings),
      );
    const made = variantOf(value, typeOfText(held) ?? "Variant", NO_RESOURCES);
    if (!made.ok) return at(name, made);
    file.text.set(PARAMS + name, writeVariant(made.value));
  }
  return ok(file.text.write());
}

export function settingText({ text }: ImportFile, name: string): string | undefined {
  return text.get(PARAMS + name);
}

function jsonOf(text: string): Json {
  return jsonOfText(text, SceneText.empty("gd_resource"), true);
}

const NO_RESOURCES = plainValuesOnly(() =>
  errors.fail("E_UNSUPPORTED", "Settings of an import have no resources."),
);
