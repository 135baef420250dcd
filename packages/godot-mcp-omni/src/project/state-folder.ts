import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * `<project>/.godot_mcp`, the folder of the audit log and the journal: created on first use, ignored by Git and by
 * Godot's import. A link in its place is refused, because it could lead out of the project.
 */
export async function stateFolder(project: string): Promise<string> {
  const folder = placeIn(project);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return folder;
  if (found !== undefined) throw Object.assign(new Error(`${folder} is not a folder.`), { code: "ENOTDIR" });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, ".gitignore"), "*\n");
  writeFileSync(path.join(folder, ".gdignore"), "");
  return folder;
}

/** Whether the project has a state folder. */
export function hasState(project: string): boolean {
  return existsSync(placeIn(project));
}

function placeIn(project: string): string {
  return path.join(project, ".godot_mcp");
}
