import { ok } from "@toolpact/outcome";
import { commitFiles } from "../drivers/commit/commit-files.ts";
import { errors, type Result, unknownName } from "../errors.ts";
import { SettingsText } from "../formats/settings-text.ts";
import { quote } from "../formats/variant.ts";
import type { FileCode, Project } from "../project/project.ts";
import { PLATFORMS } from "./platforms.ts";
import { PRESETS_FILE, type Preset, presetsIn, presetsText } from "./presets.ts";

export interface NewPreset {
  readonly name: string;
  readonly platform: string;
  /** Relative to the project folder. */
  readonly exportPath: string;
}

/** Writes a preset with Godot's defaults; Godot adds the options of the platform. */
export async function addPreset(
  project: Project,
  { name, platform, exportPath }: NewPreset,
): Promise<Result<Preset, FileCode | "E_INTERNAL" | "E_TIMEOUT">> {
  if (!Object.hasOwn(PLATFORMS, platform))
    return unknownName(
      "E_SCHEMA_VALIDATION",
      `"${platform.slice(0, 80)}" is no platform: ${Object.keys(PLATFORMS).join(", ")}.`,
      platform,
      Object.keys(PLATFORMS),
    );
  const place = await project.resolve(PRESETS_FILE);
  if (!place.ok) return place;
  return project.inTurn(PRESETS_FILE, async () => {
    const text = (await project.exists(PRESETS_FILE)) ? await presetsText(project) : SettingsText.parse("");
    if (!text.ok) return text;
    const before = presetsIn(text.value);
    if (before.some((preset) => preset.name === name))
      return errors.fail("E_SCHEMA_VALIDATION", `There is a preset "${name}" already.`, {
        suggestedFix: "Give this one another name.",
      });
    const index = Math.max(-1, ...before.map((preset) => preset.index)) + 1;
    const settings: Readonly<Record<string, string>> = {
      name: quote(name),
      platform: quote(platform),
      runnable: String(!before.some((preset) => preset.platform === platform && preset.isRunnable)),
      export_filter: quote("all_resources"),
      include_filter: quote(""),
      exclude_filter: quote(""),
      export_path: quote(exportPath),
    };
    for (const [key, value] of Object.entries(settings)) text.value.set(`preset.${index}/${key}`, value);
    // Godot ignores a preset without this section.
    text.value.set(`preset.${index}.options/custom_template/debug`, quote(""));
    const written = await commitFiles(project, `add preset ${name}`, [
      { path: place.value, content: text.value.write() },
    ]);
    if (!written.ok) return written;
    const added = presetsIn(text.value).find((preset) => preset.index === index);
    if (added === undefined) throw new Error("A preset that was written is there.");
    return ok(added);
  });
}
