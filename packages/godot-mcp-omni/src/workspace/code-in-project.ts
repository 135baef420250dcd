import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { SettingsText } from "../formats/settings-text.ts";

/** Lists the code that runs when Godot opens the project, except `@tool` scripts of scenes, one line each. */
export async function codeInProject(root: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, "project.godot"), "utf8").catch(() => "");
  const settings = SettingsText.parse(text);
  const named = (settings.ok ? settings.value.entries() : []).flatMap(([name, value]) => {
    if (name.startsWith("autoload/")) return `autoload ${name.slice("autoload/".length)}: ${value}`;
    if (name === "editor_plugins/enabled")
      return [...value.matchAll(/"([^"]+)"/g)].map(([, plugin]) => `editor plugin: ${plugin}`);
    return name === "application/run/main_loop_type" ? `main loop: ${value}` : [];
  });
  const files = await readdir(root, { recursive: true }).catch(() => []);
  const extensions = files.filter((file) => file.endsWith(".gdextension")).sort();
  return [
    ...named,
    ...extensions.map((file) => `native extension: ${file}`),
    ...["override.cfg", ".godot/extension_list.cfg"].filter((file) => existsSync(path.join(root, file))),
  ];
}
