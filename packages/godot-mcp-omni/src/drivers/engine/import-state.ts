import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Files that Godot imports without addons. */
export const ASSET = /\.(?:png|jpe?g|webp|svg|bmp|tga|hdr|exr|wav|ogg|mp3|ttf|otf|woff2?|glb|gltf|obj)$/i;

/** How many of a project's assets Godot has imported. */
export interface ImportState {
  readonly done: number;
  readonly total: number;
}

/** So many files to import take long enough that a read should not wait for them. */
const HEAVY = 20;

export function isHeavy({ done, total }: ImportState): boolean {
  return total - done >= HEAVY;
}

export function importText({ done, total }: ImportState): string {
  return `Godot imports the project: ${done} of ${total} files`;
}

export async function importState(root: string): Promise<ImportState> {
  const total = await assetsIn(root);
  // Godot writes one of these for every file that it has imported.
  const imported = await readdir(join(root, ".godot/imported")).catch(() => []);
  return { done: Math.min(total, imported.filter((file) => file.endsWith(".md5")).length), total };
}

/** As Godot does, it leaves out hidden folders and those with a `.gdignore`. */
async function assetsIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = 0;
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile() && ASSET.test(entry.name)) count++;
    const inside = join(folder, entry.name);
    if (entry.isDirectory() && !existsSync(join(inside, ".gdignore"))) count += await assetsIn(inside);
  }
  return count;
}
