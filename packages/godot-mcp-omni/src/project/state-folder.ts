import { existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolderSync } from "@toolpact/file-lock";

/** Folders that were looked through for links. */
const checked = new Set<string>();

/**
 * `<project>/.godot_mcp`, the folder of the audit log and the journal: created on first use, ignored by Git and by
 * Godot's import. A link in its place or inside it is refused, because it could lead out of the project, and a cloned
 * project may bring one.
 */
export async function stateFolder(project: string): Promise<string> {
  const folder = placeIn(project);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    if (!checked.has(folder)) refuseLinks(folder);
    checked.add(folder);
    return folder;
  }
  if (found !== undefined) throw Object.assign(new Error(`${folder} is not a folder.`), { code: "ENOTDIR" });
  makeFolderSync(folder, 0o777);
  writeFileSync(path.join(folder, ".gitignore"), "*\n");
  writeFileSync(path.join(folder, ".gdignore"), "");
  return folder;
}

function refuseLinks(folder: string): void {
  const link = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) =>
    entry.isSymbolicLink(),
  );
  if (link === undefined) return;
  const place = path.join(link.parentPath, link.name);
  throw Object.assign(new Error(`ELOOP: ${place} is a link.`), { code: "ELOOP" });
}

/** Whether the project has a state folder. */
export function hasState(project: string): boolean {
  return existsSync(placeIn(project));
}

function placeIn(project: string): string {
  return path.join(project, ".godot_mcp");
}
