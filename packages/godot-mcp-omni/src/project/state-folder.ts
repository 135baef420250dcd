import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** A person's order that nothing in the project is changed by an agent until they resume. */
export interface StopOrder {
  /** When, in ISO 8601; undefined where the file does not say. */
  readonly at: string | undefined;
  readonly by: "dock" | "command" | "someone";
}

/**
 * The order that is in force. It is a file in the state folder, so that it holds for every server of the project,
 * connected to an editor or not, and after a restart of either. Whatever lies in its place counts: in doubt nothing
 * changes.
 */
export function stopOf(root: string): StopOrder | undefined {
  const file = stopFile(root);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isFile() && found.size < MAX_BYTES ? readStop(file) : { at: undefined, by: "someone" };
}

export async function stopChanges(root: string, now: number): Promise<StopOrder> {
  await stateFolder(root);
  writeFileSync(stopFile(root), JSON.stringify({ at: now, by: "command" }));
  return { at: new Date(now).toISOString(), by: "command" };
}

/** Whether there was an order to take back. */
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
