import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { makeFolderSync } from "@toolpact/file-lock";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables passed on to Godot, without tokens, keys and proxies. */
const PASSED = [
  "PATH",
  "Path",
  "PATHEXT",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "USER",
  "LOGNAME",
  "SystemRoot",
  "SystemDrive",
  "windir",
  "ComSpec",
  "ProgramData",
];

/** Additional variables for a window. */
const DISPLAY = [
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "XDG_SESSION_TYPE",
  "DBUS_SESSION_BUS_ADDRESS",
  "PULSE_SERVER",
  "LIBGL_ALWAYS_SOFTWARE",
  "LIBGL_DRIVERS_PATH",
  "__EGL_VENDOR_LIBRARY_DIRS",
  "GBM_BACKENDS_PATH",
  "XKB_CONFIG_ROOT",
  "XLOCALEDIR",
  "VK_ICD_FILENAMES",
  "VK_DRIVER_FILES",
];

/** Variables that locate the settings, caches and `user://` of the user's own Godot. */
const PERSONAL = [
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
];

/** For our headless Godot: a separate home, which leaves the user's settings and logs untouched. */
export function headlessEnvironment(env: Environment, home: string): Record<string, string> {
  makeFolderSync(home);
  return { ...pick(env, PASSED), HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home };
}

/** For the user's editor: their own home if it is writable, because Godot crashes otherwise. */
export function editorEnvironment(env: Environment, fallbackHome: string): Record<string, string> {
  const home = env.HOME ?? env.USERPROFILE;
  const personal =
    home !== undefined && isWritable(home) ? pick(env, PERSONAL) : headlessEnvironment({}, fallbackHome);
  return { ...pick(env, [...PASSED, ...DISPLAY]), ...personal };
}

/** Variables that locate .NET, its packages and, on Windows, the folders that NuGet uses. */
const DOTNET = ["DOTNET_ROOT", "NUGET_PACKAGES", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432"];

/** For `dotnet`: the user's home has the packages that Godot put there. Output is plain English. */
export function dotnetEnvironment(env: Environment, fallbackHome: string): Record<string, string> {
  return {
    ...editorEnvironment(env, fallbackHome),
    ...pick(env, DOTNET),
    DOTNET_CLI_UI_LANGUAGE: "en",
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    DOTNET_CLI_USE_MSBUILD_SERVER: "0",
    DOTNET_NOLOGO: "1",
    MSBUILDTERMINALLOGGER: "off",
  };
}

/** The cache folder: class reference, homes of headless engines, announcements to editors. */
export function cacheFolder(env: Environment, platform: NodeJS.Platform): string {
  const home = env.HOME ?? env.USERPROFILE ?? ".";
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData/Local"), "godot-mcp-omni");
  if (platform === "darwin") return join(home, "Library/Caches/godot-mcp-omni");
  return join(env.XDG_CACHE_HOME ?? join(home, ".cache"), "godot-mcp-omni");
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
