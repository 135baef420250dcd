import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const PACKAGE = join(import.meta.dirname, "..");

/**
 * Packs the committed addon for Godot's Asset Library, with `addons` at the top, where the editor expects it:
 * `npx node packages/godot-mcp-omni/scripts/asset-library.ts [FOLDER]`. Returns the file.
 */
export function packAddon(folder: string): string {
  const config = readFileSync(join(PACKAGE, "addons/godot_mcp_bridge/plugin.cfg"), "utf8");
  const version = /^version="([^"]*)"/m.exec(config)?.[1];
  const file = resolve(folder, `godot_mcp_bridge-${version}.zip`);
  execFileSync("git", ["archive", "--format=zip", `--output=${file}`, "HEAD", "addons"], { cwd: PACKAGE });
  return file;
}

if (import.meta.main) console.log(packAddon(process.argv[2] ?? "."));
