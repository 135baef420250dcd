import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, type Stats, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolderSync } from "@toolpact/file-lock";

/** Folders already checked for links. */
const checked = new Set<string>();

/**
 * `<project>/.godot_mcp`, the folder of the audit log and the journal: created on first use, ignored by Git and by
 * Godot's import. A link in its place or inside it is refused, because it could lead out of the project, and a cloned
 * project may contain one.
 */
export async function stateFolder(project: string): Promise<string> {
  const folder = placeIn(project);
  const problem = stateProblem(project);
  if (problem !== undefined) throw Object.assign(new Error(problem), { code: "ENOTDIR" });
  if (hasState(project)) return folder;
  makeFolderSync(folder, 0o777);
  writeFileSync(path.join(folder, ".gitignore"), "*\n");
  writeFileSync(path.join(folder, ".gdignore"), "");
  return folder;
}

/** Why the state folder cannot be used, as a sentence; undefined if it can be used or created. */
export function stateProblem(project: string): string | undefined {
  const folder = placeIn(project);
  const found = entryAt(folder);
  if (found === undefined) return undefined;
  if (!found.isDirectory())
    return `${folder} is a ${found.isSymbolicLink() ? "link" : "file"}, not a folder.`;
  if (checked.has(folder)) return undefined;
  const link = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) =>
    entry.isSymbolicLink(),
  );
  if (link !== undefined) return `${path.join(link.parentPath, link.name)} is a link.`;
  checked.add(folder);
  return undefined;
}

export function hasState(project: string): boolean {
  return existsSync(placeIn(project));
}

/** Undefined if there is none, or if the project is a file. */
function entryAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function placeIn(project: string): string {
  return path.join(project, ".godot_mcp");
}

/** The user's order that agents change nothing in the project until further notice. */
export interface StopOrder {
  /** When, in ISO 8601; undefined if the file does not contain it. */
  readonly at: string | undefined;
  readonly by: "dock" | "command" | "someone";
}

/**
 * The order that is in force. It is a file in the state folder, so it applies to every server of the project,
 * connected to an editor or not, and after a restart of either. Anything in its place counts: if unsure, nothing
 * changes.
 */
export function stopOf(root: string): StopOrder | undefined {
  // Nothing is changed at all while something else is in place of the folder: see `stateProblem`.
  if (!entryAt(placeIn(root))?.isDirectory()) return undefined;
  const file = stopFile(root);
  const found = entryAt(file);
  if (found === undefined) return undefined;
  return found.isFile() && found.size < MAX_BYTES ? readStop(file) : { at: undefined, by: "someone" };
}

export async function stopChanges(root: string, now: number): Promise<StopOrder> {
  await stateFolder(root);
  writeFileSync(stopFile(root), JSON.stringify({ at: now, by: "command" }));
  return { at: new Date(now).toISOString(), by: "command" };
}

/** Returns whether there was an order to revoke. */
export function resumeChanges(root: string): boolean {
  const had = hasState(root) && stopOf(root) !== undefined;
  if (had) rmSync(stopFile(root), { recursive: true, force: true });
  return had;
}

const MAX_BYTES = 1_000;

function readStop(file: string): StopOrder {
  try {
    const { at, by } = Object(JSON.parse(readFileSync(file, "utf8")));
    const time = typeof at === "number" ? new Date(at) : undefined;
    return {
      at: time === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString(),
      by: by === "dock" || by === "command" ? by : "someone",
    };
  } catch {
    return { at: undefined, by: "someone" };
  }
}

/** The addon uses the same path: `stop.gd`. */
function stopFile(root: string): string {
  return path.join(placeIn(root), "stopped.json");
}
