import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as sea from "node:sea";
import { makeFolderSync } from "@toolpact/file-lock";
import { cacheFolder } from "./environment.ts";

/**
 * The folder of this package, found from the sources and from a bundle. It contains `addons` and `engine`. A bundle that
 * only lists tools may run anywhere, so a missing folder is not a failure here. An executable has no folder: it writes
 * these files into the user's cache once.
 */
export const packageFolder: string = sea.isSea()
  ? unpackedIn(cacheFolder(process.env, process.platform))
  : (findUp(import.meta.dirname) ?? import.meta.dirname);

export const addonFolder: string = join(packageFolder, "addons/godot_mcp_bridge");

function findUp(folder: string): string | undefined {
  if (existsSync(join(folder, "addons/godot_mcp_bridge/plugin.cfg"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findUp(parent);
}

/** Files in the executable, by their paths in this package. */
function unpackedIn(cache: string): string {
  const files = sea.getAssetKeys().map((name) => ({ name, content: new Uint8Array(sea.getRawAsset(name)) }));
  const hash = createHash("sha256");
  for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
  const target = join(cache, `program-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(target)) return target;
  const parent = canWrite(cache) ? cache : tmpdir();
  const made = mkdtempSync(join(parent, "program-"));
  for (const { name, content } of files) {
    makeFolderSync(dirname(join(made, name)));
    writeFileSync(join(made, name), content);
  }
  if (parent !== cache) return made;
  try {
    renameSync(made, target);
  } catch (error) {
    // Another process was faster.
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

function canWrite(folder: string): boolean {
  try {
    makeFolderSync(folder);
    return true;
  } catch {
    return false;
  }
}
