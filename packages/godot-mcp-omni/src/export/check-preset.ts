import { existsSync } from "node:fs";
import { extname, isAbsolute, join } from "node:path";
import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { Project } from "../project/project.ts";
import { endingsOf, PLATFORMS } from "./platforms.ts";
import type { Preset } from "./presets.ts";
import type { Template } from "./templates.ts";

export interface PresetProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix: string;
}

/** Finds reasons why an export would fail, or its build would not start. */
export async function checkPreset(
  preset: Preset,
  all: readonly Preset[],
  templates: readonly Template[],
  project: Project,
  install: string,
): Promise<readonly PresetProblem[]> {
  const problems: PresetProblem[] = [];
  const error = (message: string, fix: string) => problems.push({ severity: "error", message, fix });
  const warning = (message: string, fix: string) => problems.push({ severity: "warning", message, fix });

  if (preset.name === "") error("It has no name.", "Give it one in export_presets.cfg.");
  if (all.some((other) => other !== preset && other.name === preset.name))
    error("Another preset has the same name.", "Rename one; exports are chosen by name.");
  if (PLATFORMS[preset.platform] === undefined)
    error(`"${preset.platform}" is no platform of Godot's.`, `Use ${Object.keys(PLATFORMS).join(", ")}.`);
  else checkPath(preset, project, warning);
  for (const { kind, path, isThere, isCustom } of templates) {
    if (isThere) continue;
    const fix = isCustom ? `Put the template there, or empty custom_template/${kind}.` : install;
    warning(`There is no template for ${kind} builds at ${path}; packs can be made without.`, fix);
  }
  for (const file of preset.files)
    if (!(await project.exists(file)))
      error(`It exports ${file}, which is not there.`, "Take it out of export_files.");
  const scene = await mainScene(project);
  if (scene === undefined)
    error("The project has no main scene.", "Set application/run/main_scene, or a build shows nothing.");
  else if (scene.startsWith("res://") && !(await project.exists(scene)))
    error(`The main scene ${scene} is not there.`, "Set application/run/main_scene to one that is.");
  return problems;
}

function checkPath(preset: Preset, project: Project, warning: (message: string, fix: string) => void): void {
  const { exportPath } = preset;
  if (exportPath === "") {
    warning("It has no export_path.", "Give build a path, or set export_path.");
    return;
  }
  const endings = endingsOf(preset, "release");
  if (!endings.includes(extname(exportPath).slice(1)))
    warning(
      `${exportPath} does not end with .${endings.join(" or .")}.`,
      "Change export_path, or give build a path.",
    );
  const absolute = isAbsolute(exportPath) ? exportPath : join(project.root, exportPath);
  if (!absolute.startsWith(join(project.root, "/")))
    warning(`${exportPath} lies outside the project.`, "Give build a path inside the project.");
  else if (!existsSync(join(absolute, "..")))
    warning(`The folder of ${exportPath} is not there.`, "build makes it; the editor does not.");
}

/** The main scene of the project: a path or a `uid://`. */
export async function mainScene(project: Project): Promise<string | undefined> {
  const settings = SettingsText.parse((await project.textOf("res://project.godot")) ?? "");
  const held = settings.ok ? settings.value.get("application/run/main_scene") : undefined;
  const scene = held === undefined ? undefined : parseVariant(held);
  if (!scene?.ok || scene.value.kind !== "string") return undefined;
  return scene.value.value === "" ? undefined : scene.value.value;
}
