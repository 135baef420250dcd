import { existsSync } from "node:fs";
import { extname, isAbsolute, join } from "node:path";
import { ok } from "@toolpact/outcome";
import { commitFiles } from "../drivers/commit/commit-files.ts";
import { errors, type Result, unknownName } from "../errors.ts";
import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant, quote } from "../formats/variant.ts";
import type { FileCode, Project } from "../project/project.ts";
import { endingsOf, PLATFORMS } from "./platforms.ts";
import type { Template } from "./templates.ts";

const PRESETS_FILE = "res://export_presets.cfg";

/** A preset of `export_presets.cfg`, without its passwords. */
export interface Preset {
  readonly index: number;
  readonly name: string;
  readonly platform: string;
  readonly isRunnable: boolean;
  /** As written, relative to the project folder; may be empty. */
  readonly exportPath: string;
  /** `all_resources`, `scenes`, `resources`, `exclude` or `customized`. */
  readonly filter: string;
  readonly files: readonly string[];
  readonly architecture: string;
  readonly customTemplate: Readonly<Record<"release" | "debug", string>>;
  readonly hasThreads: boolean;
  readonly hasExtensions: boolean;
  readonly usesGradle: boolean;
}

type Read<T> = Result<T, FileCode>;

export async function readPresets(project: Project): Promise<Read<readonly Preset[]>> {
  const text = await presetsText(project);
  return text.ok ? ok(presetsIn(text.value)) : text;
}

export async function presetNamed(project: Project, name: string): Promise<Read<Preset>> {
  const presets = await readPresets(project);
  if (!presets.ok) return presets;
  const found = presets.value.find((preset) => preset.name === name);
  if (found !== undefined) return ok(found);
  const names = presets.value.map((preset) => preset.name);
  return unknownName(
    "E_NOT_FOUND",
    `There is no preset "${name.slice(0, 80)}": ${names.map((each) => `"${each}"`).join(", ") || "there is none"}.`,
    name,
    names,
  );
}

async function presetsText(project: Project): Promise<Read<SettingsText>> {
  if (!(await project.exists(PRESETS_FILE)))
    return errors.fail("E_NOT_FOUND", `The project has no ${PRESETS_FILE}.`, {
      suggestedFix: "Make a preset with add_preset, or in the editor under Project > Export.",
    });
  const read = await project.readText(PRESETS_FILE);
  return read.ok ? SettingsText.parse(read.value.text) : read;
}

function presetsIn(text: SettingsText): readonly Preset[] {
  const settings = new Map(text.entries());
  const indices = [...settings.keys()].flatMap((key) => /^preset\.(\d+)\/name$/.exec(key)?.[1] ?? []);
  return indices.map(Number).map((index) => {
    const word = (key: string) => textOf(settings.get(`preset.${index}/${key}`));
    const option = (key: string) => textOf(settings.get(`preset.${index}.options/${key}`));
    return {
      index,
      name: word("name"),
      // The key before Godot 4.4.
      platform: word("platform") === "Linux/X11" ? "Linux" : word("platform"),
      isRunnable: word("runnable") === "true",
      exportPath: word("export_path"),
      filter: word("export_filter") || "all_resources",
      files: [...(settings.get(`preset.${index}/export_files`) ?? "").matchAll(/"(res:\/\/[^"]*)"/g)].map(
        (match) => match[1] ?? "",
      ),
      architecture: option("binary_format/architecture") || "x86_64",
      customTemplate: { release: option("custom_template/release"), debug: option("custom_template/debug") },
      hasThreads: option("variant/thread_support") === "true",
      hasExtensions: option("variant/extensions_support") === "true",
      usesGradle: option("gradle_build/use_gradle_build") === "true",
    };
  });
}

function textOf(value: string | undefined): string {
  const parsed = value === undefined ? undefined : parseVariant(value);
  if (!parsed?.ok) return "";
  if (parsed.value.kind === "string") return parsed.value.value;
  return parsed.value.kind === "bool" ? String(parsed.value.value) : "";
}

interface NewPreset {
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

interface PresetProblem {
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
