import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * `<project>/.godot_mcp`, where this server keeps its audit log and journal: made on first use, hidden from Git
 * and from Godot's import. A link in its place is refused, since it would lead writes out of the project.
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

/** Whether there is one. */
export function hasState(project: string): boolean {
  return existsSync(placeIn(project));
}

function placeIn(project: string): string {
  return path.join(project, ".godot_mcp");
}
