import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package, from the sources and from a bundle alike. It holds `addons` and `engine`. */
export const packageFolder: string = findUp(import.meta.dirname);

export const addonFolder: string = join(packageFolder, "addons/godot_mcp_bridge");

function findUp(folder: string): string {
  if (existsSync(join(folder, "addons/godot_mcp_bridge/plugin.cfg"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("godot-mcp-omni was installed without its addons folder.");
  return findUp(parent);
}
