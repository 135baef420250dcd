import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import { commitFiles } from "../drivers/commit/commit-files.ts";
import type { Result } from "../errors.ts";
import { SettingsText } from "../formats/settings-text.ts";
import { parseVariant, writeVariant } from "../formats/variant.ts";
import type { GodotDriver } from "../operations/driver.ts";
import type { FileChange, Project } from "../project/project.ts";

/** The editor addon in a project. */
export interface AddonStatus {
  readonly installed: boolean;
  readonly enabled: boolean;
  /** Whether every file equals this package's. */
  readonly current: boolean;
  readonly version: string | null;
}

export const ADDON = "res://addons/godot_mcp_bridge";
const PLUGIN = `${ADDON}/plugin.cfg`;
const SETTINGS = "res://project.godot";
const ENABLED = "editor_plugins/enabled";

export async function addonStatus(root: string): Promise<AddonStatus> {
  const folder = path.join(root, ADDON.slice("res://".length));
  const config = await readFile(path.join(folder, "plugin.cfg"), "utf8").catch(() => undefined);
  const settings = await readFile(path.join(root, "project.godot"), "utf8").catch(() => "");
  const text = SettingsText.parse(settings);
  return {
    installed: config !== undefined,
    enabled: text.ok && enabledPlugins(text.value).some(isOurs),
    current: config !== undefined && (await isCurrent(folder)),
    version: /^version="([^"]*)"/m.exec(config ?? "")?.[1] ?? null,
  };
}

/** The warning if the addon in the project or in the open editor does not match this server. */
export function otherAddon(
  { installed, current, version }: AddonStatus,
  editor: Pick<GodotDriver, "addon"> | undefined,
  serverVersion: string,
): string | undefined {
  if (installed && !current)
    return version === serverVersion
      ? `The addon in the project is version ${version} with other files than this server's. Run godot-mcp-omni addon install.`
      : `The addon in the project is version ${version ?? "unknown"}, this server ${serverVersion}. Run godot-mcp-omni addon install.`;
  if (editor === undefined || editor.addon === serverVersion) return undefined;
  return `The open editor runs version ${editor.addon || "unknown"} of the addon, this server is ${serverVersion}. Restart the editor.`;
}

export interface AddonChange {
  readonly files: readonly string[];
  readonly status: AddonStatus;
}

/** Copies the addon into the project and enables it. The journal keeps the old files. */
export async function installAddon(project: Project): Promise<Result<AddonChange>> {
  const changes: FileChange[] = [];
  const addonFolder = await ownFolder();
  for (const name of await addonFiles()) {
    const place = await project.resolve(`${ADDON}/${name}`);
    if (!place.ok) return place;
    changes.push({ path: place.value, content: await readFile(path.join(addonFolder, name)) });
  }
  return changed(project, "install the addon", changes, (plugins) =>
    plugins.some(isOurs) ? plugins : [...plugins, PLUGIN],
  );
}

/** Disables the addon and removes its files; other files in its folder stay. */
export async function removeAddon(project: Project): Promise<Result<AddonChange>> {
  const changes: FileChange[] = [];
  // Godot writes a .uid file next to each script, and an .import file next to each picture.
  for (const name of await addonFiles())
    for (const file of [name, `${name}.uid`, `${name}.import`]) {
      const place = await project.resolve(`${ADDON}/${file}`);
      if (!place.ok) return place;
      if (existsSync(place.value.absolute)) changes.push({ path: place.value, content: null });
    }
  const removed = await changed(project, "remove the addon", changes, (plugins) =>
    plugins.filter((plugin) => !isOurs(plugin)),
  );
  // Fails if the folder is missing or contains files of the user, which stay.
  if (removed.ok)
    await rmdir(path.join(project.root, ADDON.slice("res://".length), "shared")).catch(() => {});
  return removed;
}

function changed(
  project: Project,
  label: string,
  changes: readonly FileChange[],
  plugins: (enabled: readonly string[]) => readonly string[],
): Promise<Result<AddonChange>> {
  return project.inTurn(SETTINGS, () => changedInTurn(project, label, changes, plugins));
}

async function changedInTurn(
  project: Project,
  label: string,
  changes: readonly FileChange[],
  plugins: (enabled: readonly string[]) => readonly string[],
): Promise<Result<AddonChange>> {
  const settings = await project.readText(SETTINGS);
  if (!settings.ok) return settings;
  const text = SettingsText.parse(settings.value.text);
  if (!text.ok) return text;
  const wanted = plugins(enabledPlugins(text.value));
  if (wanted.length === 0) text.value.unset(ENABLED);
  else
    text.value.set(
      ENABLED,
      writeVariant({
        kind: "call",
        name: "PackedStringArray",
        args: wanted.map((value) => ({ kind: "string", value })),
      }),
    );
  const all = [
    ...changes,
    { path: settings.value.path, content: text.value.write(), was: settings.value.text },
  ];
  const written = await commitFiles(project, label, all);
  if (!written.ok) return written;
  return ok({ files: all.map((change) => change.path.res), status: await addonStatus(project.root) });
}

/** Godot writes the path of the plugin's file; before 4.0 it wrote the folder's name. */
function isOurs(plugin: string): boolean {
  return plugin === PLUGIN || plugin === "godot_mcp_bridge";
}

function enabledPlugins(text: SettingsText): readonly string[] {
  const held = text.get(ENABLED);
  const parsed = held === undefined ? undefined : parseVariant(held);
  if (!parsed?.ok || parsed.value.kind !== "call") return [];
  return parsed.value.args.flatMap((arg) => (arg.kind === "string" ? [arg.value] : []));
}

async function isCurrent(folder: string): Promise<boolean> {
  const addonFolder = await ownFolder();
  for (const name of await addonFiles()) {
    const theirs = await readFile(path.join(folder, name)).catch(() => undefined);
    if (theirs === undefined || !theirs.equals(await readFile(path.join(addonFolder, name)))) return false;
  }
  return true;
}

/** The files of the addon, by their paths in its folder. */
async function addonFiles(): Promise<string[]> {
  const folder = await ownFolder();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

/** The addon in this package. Located on use, because tools are also listed where the package folder is missing. */
async function ownFolder(): Promise<string> {
  const { addonFolder } = await import("../godot/package-folder.ts");
  return addonFolder;
}
