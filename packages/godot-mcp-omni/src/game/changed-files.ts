import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The state of the project files that a game could have read. */
export type SeenFiles = ReadonlyMap<string, SeenFile>;

interface SeenFile {
  /** Differs after every write. */
  readonly stamp: string;
  /** For a scene in text form. */
  readonly text?: string | undefined;
}

export interface ChangedFile {
  readonly path: string;
  readonly isRemoved: boolean;
  /** The earlier text of a scene in text form. */
  readonly before?: string | undefined;
}

/** Files that a running game can reload, or that its user would expect it to reload. */
const RELEVANT = /\.(?:gd|cs|gdshader|gdshaderinc|tscn|scn|tres|res)$|^project\.godot$/;
const MAX_SCENE_BYTES = 1 << 20;

/** Records the project's files; those unchanged since `known` are not read again. */
export function seeFiles(root: string, known: SeenFiles = new Map()): SeenFiles {
  const seen = new Map<string, SeenFile>();
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesOf(join(root, folder));
    const names = new Set(entries.map(({ name }) => name));
    if (folder !== "" && (names.has(".gdignore") || names.has("project.godot"))) continue;
    for (const entry of entries) {
      if (entry.name.startsWith(".")) continue;
      const place = `${folder}${entry.name}`;
      if (entry.isDirectory()) open.push(`${place}/`);
      else if (RELEVANT.test(entry.name) || names.has(`${entry.name}.import`)) {
        const path = `res://${place}`;
        const file = seeFile(join(root, place), known.get(path));
        if (file !== undefined) seen.set(path, file);
      }
    }
  }
  return seen;
}

/** Leaves out new files: a game reads them when it needs them. */
export function changedFiles(before: SeenFiles, now: SeenFiles): readonly ChangedFile[] {
  return [...before].flatMap(([path, { stamp, text }]) => {
    const file = now.get(path);
    if (file?.stamp === stamp) return [];
    return [{ path, isRemoved: file === undefined, before: text }];
  });
}

function seeFile(absolute: string, known: SeenFile | undefined): SeenFile | undefined {
  const stat = statSync(absolute, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const stamp = `${stat.mtimeNs} ${stat.size} ${stat.ino}`;
  if (known?.stamp === stamp) return known;
  const isScene = absolute.endsWith(".tscn") && stat.size <= MAX_SCENE_BYTES;
  return { stamp, text: isScene ? textOf(absolute) : undefined };
}

/** A file or folder deleted in the meantime counts as missing. */
function textOf(absolute: string): string | undefined {
  try {
    return readFileSync(absolute, "utf8");
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
