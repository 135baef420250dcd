import { ok } from "@toolpact/outcome";
import { errors, type Result, unknownName } from "../errors.ts";
import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant } from "../formats/variant.ts";
import type { FileCode, Project } from "../project/project.ts";

export const PRESETS_FILE = "res://export_presets.cfg";

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
  /** The files in its filter. */
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

export async function presetsText(project: Project): Promise<Read<SettingsText>> {
  if (!(await project.exists(PRESETS_FILE)))
    return errors.fail("E_NOT_FOUND", `The project has no ${PRESETS_FILE}.`, {
      suggestedFix: "Make a preset with add_preset, or in the editor under Project > Export.",
    });
  const read = await project.readText(PRESETS_FILE);
  return read.ok ? SettingsText.parse(read.value.text) : read;
}

export function presetsIn(text: SettingsText): readonly Preset[] {
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
