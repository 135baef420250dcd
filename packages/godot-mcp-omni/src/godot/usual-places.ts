import { readdirSync } from "node:fs";
import { posix, win32 } from "node:path";
import { cacheFolder, type Environment } from "./environment.ts";

/** The entries of a folder; none if it cannot be read. */
type ListFolder = (folder: string) => readonly string[];

/**
 * Candidates for Godot 4 in the usual places of installers, stores and users: the newest first, and on
 * Windows the console build, whose output can be read, before the other.
 */
export function usualPlaces(
  env: Environment,
  platform: NodeJS.Platform,
  list: ListFolder = listFolder,
): readonly string[] {
  const { join } = platform === "win32" ? win32 : posix;
  const fetched = platform === "linux" ? [join(cacheFolder(env, platform), "godot/root/usr/bin/godot")] : [];
  const found = foldersOf(env, platform).flatMap((folder) => {
    const entries = list(folder);
    // Archives of .NET builds contain a folder of the same name.
    const inside = entries
      .filter((name) => DOWNLOADED.test(name) && !PROGRAM.test(name))
      .flatMap((name) => list(join(folder, name)).map((file) => join(name, file)));
    return [...entries, ...inside]
      .filter((name) =>
        isProgram(platform === "win32" ? win32.basename(name) : posix.basename(name), platform),
      )
      .sort(newestFirst)
      .map((name) => join(folder, name, ...(name.endsWith(".app") ? ["Contents/MacOS/Godot"] : [])));
  });
  return [...fetched, ...found];
}

function foldersOf(env: Environment, platform: NodeJS.Platform): readonly string[] {
  const { join } = platform === "win32" ? win32 : posix;
  const home = env.HOME ?? env.USERPROFILE ?? "";
  const own = ["Downloads", "Desktop", "Applications", "bin", "godot", "Godot"].map((name) =>
    join(home, name),
  );
  if (platform === "win32") {
    const programs = [
      env.ProgramFiles ?? "C:\\Program Files",
      env["ProgramFiles(x86)"] ?? "C:\\Program Files (x86)",
    ];
    const local = env.LOCALAPPDATA ?? join(home, "AppData\\Local");
    const roaming = env.APPDATA ?? join(home, "AppData\\Roaming");
    return [
      ...programs.flatMap((folder) => [
        join(folder, "Godot"),
        join(folder, "Godot Engine"),
        join(folder, STEAM),
      ]),
      join(local, "Programs\\Godot"),
      join(home, "scoop\\apps\\godot\\current"),
      join(home, "scoop\\apps\\godot-mono\\current"),
      join(local, "Microsoft\\WinGet\\Links"),
      join(
        local,
        "Microsoft\\WinGet\\Packages\\GodotEngine.GodotEngine_Microsoft.Winget.Source_8wekyb3d8bbwe",
      ),
      join(
        local,
        "Microsoft\\WinGet\\Packages\\GodotEngine.GodotEngine.Mono_Microsoft.Winget.Source_8wekyb3d8bbwe",
      ),
      join(roaming, "itch\\apps\\godot"),
      "C:\\Godot",
      ...own,
    ];
  }
  if (platform === "darwin") {
    const support = join(home, "Library/Application Support");
    return [
      "/Applications",
      join(home, "Applications"),
      "/opt/homebrew/bin",
      "/usr/local/bin",
      join(support, "Steam/steamapps/common/Godot Engine"),
      join(support, "itch/apps/godot"),
      ...own,
    ];
  }
  return [
    "/usr/local/bin",
    "/opt/godot",
    "/opt",
    "/snap/bin",
    "/var/lib/flatpak/exports/bin",
    join(home, ".local/share/flatpak/exports/bin"),
    join(home, ".local/share/Steam/steamapps/common/Godot Engine"),
    join(home, ".steam/steam/steamapps/common/Godot Engine"),
    join(home, ".config/itch/apps/godot"),
    join(home, ".local/bin"),
    ...own,
  ];
}

const STEAM = "Steam\\steamapps\\common\\Godot Engine";
/** `Godot_v4.6.3-stable_mono_win64`, as in archives. */
const DOWNLOADED = /^Godot_v4[\d.]*-\w+/;
/** The suffix of a program's name in an archive. */
const PROGRAM = /(?:\.exe|\.app|\.zip|\.(?:x86_(?:32|64)|arm(?:32|64)))$/;

function isProgram(name: string, platform: NodeJS.Platform): boolean {
  if (platform === "win32")
    return /^godot(?:4|[-_]mono)?(?:_console)?\.exe$|^Godot_v4[\w.-]*\.exe$|^godot\.windows\.[\w.]+\.exe$/i.test(
      name,
    );
  if (platform === "darwin") return /^Godot[\w .-]*\.app$|^godot(?:4|-mono)?$/.test(name);
  return /^godot(?:4|-mono)?$|^Godot_v4[\w.-]*\.(?:x86_64|arm64|x86_32|arm32)$|^godot\.x11\.[\w.]+$|^godot\.linux[\w.]+$|^org\.godotengine\.Godot(?:Sharp)?$/.test(
    name,
  );
}

/** Compares the numbers in the names: 4.10 is newer than 4.9. */
function newestFirst(one: string, other: string): number {
  const isConsole = (name: string) => Number(/_console\.exe$/i.test(name));
  const versions = other.localeCompare(one, "en", { numeric: true });
  const plain = (name: string) => name.replace(/_console(?=\.exe$)/i, "");
  return plain(one) === plain(other) ? isConsole(other) - isConsole(one) : versions;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Most of these folders do not exist on a given machine.
    return [];
  }
}
