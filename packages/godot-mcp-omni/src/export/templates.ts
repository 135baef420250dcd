import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GodotBinary } from "../godot/binary.ts";
import { PLATFORMS } from "./platforms.ts";
import type { Preset } from "./presets.ts";

export interface Template {
  readonly kind: "release" | "debug";
  readonly path: string;
  readonly isThere: boolean;
  /** Whether the preset names a custom template. */
  readonly isCustom: boolean;
}

/** The folder where a Godot binary with this environment looks for templates. */
export function templatesFolder(
  binary: GodotBinary,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): string {
  return join(dataFolder(binary, env, platform), "export_templates", binary.version);
}

export function templateOf(preset: Preset, kind: "release" | "debug", folder: string): Template {
  const custom = preset.customTemplate[kind];
  const path = custom || join(folder, PLATFORMS[preset.platform]?.template(preset, kind) ?? "");
  return { kind, path, isThere: existsSync(path), isCustom: custom !== "" };
}

/** Instructions for installing Godot's export templates. */
export function howToInstall(binary: GodotBinary, folder: string): string {
  const release = binary.version.replace(".stable", "-stable");
  return `Install the export templates of Godot ${binary.version}: in the editor under Editor > Manage Export Templates, or unpack the folder "templates" of Godot_v${release}_export_templates.tpz into ${folder}.`;
}

function dataFolder(
  binary: GodotBinary,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): string {
  const folder = dirname(binary.path);
  // A self-contained Godot has one of these files in its folder.
  if (existsSync(join(folder, "._sc_")) || existsSync(join(folder, "_sc_")))
    return join(folder, "editor_data");
  const home = env.HOME ?? env.USERPROFILE ?? "";
  if (platform === "win32") return join(env.APPDATA ?? join(home, "AppData/Roaming"), "Godot");
  if (platform === "darwin") return join(home, "Library/Application Support/Godot");
  return join(env.XDG_DATA_HOME ?? join(home, ".local/share"), "godot");
}
