import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder of this package, found from the sources and from a bundle. It contains `addons` and `engine`. A bundle that
 * only lists tools may run anywhere, so a missing folder is not a failure here.
 */
export const packageFolder: string = findUp(import.meta.dirname) ?? import.meta.dirname;

export const addonFolder: string = join(packageFolder, "addons/godot_mcp_bridge");

function findUp(folder: string): string | undefined {
  if (existsSync(join(folder, "addons/godot_mcp_bridge/plugin.cfg"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findUp(parent);
}
