/** What a child process may know of this one's environment; secrets of the server are not among it. */
const PASSED_ON = [
  "PATH",
  "Path",
  "PATHEXT",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "XDG_DATA_HOME",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_SESSION_TYPE",
  "DBUS_SESSION_BUS_ADDRESS",
  "LIBGL_ALWAYS_SOFTWARE",
  "VK_ICD_FILENAMES",
  "SystemRoot",
  "SystemDrive",
  "ComSpec",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "ProgramData",
] as const;

/**
 * The environment of a child process: the list above, and what the caller adds.
 *
 * ```ts
 * spawn(godot, args, { env: childEnvironment(process.env, { HOME: home }) });
 * ```
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = own[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passed), ...extra };
}
