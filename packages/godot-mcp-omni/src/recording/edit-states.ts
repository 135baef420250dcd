import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "../project/journal-entry.ts";
import type { Project } from "../project/project.ts";
import { stateFolder } from "../project/state-folder.ts";

/** Files of the project by their `res://` path; null for a missing one. */
export type Files = ReadonlyMap<string, Buffer | null>;

/** The edits of the journal that still apply, the oldest first, and the file contents between them. */
export interface EditStates {
  readonly edits: readonly JournalEntry[];
  /** The contents of all edited files after the first `count` edits. */
  readonly after: (count: number) => Files;
}

/** Leaves out edits that changed only `ignored` files, such as the recording itself, which stays as it is. */
export async function editStates(project: Project, ignored: (res: string) => boolean): Promise<EditStates> {
  const all = (await project.journal.entries()).filter((entry) => !entry.undone).toReversed();
  const touching = all.filter(({ files }) => files.some(({ path }) => !ignored(path)));
  const contents = new Map<string, Buffer>();
  let edits = touching;
  for (const [index, { files }] of touching.entries())
    for (const { path, before } of files) {
      if (before === null || contents.has(before) || ignored(path)) continue;
      const content = await project.journal.content(before);
      // States before a lost content cannot be played.
      if (content === undefined) edits = touching.slice(index + 1);
      else contents.set(before, content);
    }
  const now = new Map<string, Buffer | null>();
  for (const { files } of edits)
    for (const { path } of files) {
      const file = project.absolute(path);
      if (!ignored(path)) now.set(path, existsSync(file) ? readFileSync(file) : null);
    }
  return {
    edits,
    after: (count) => {
      const files = new Map(now);
      // The first later edit of a file has its content until then, even if somebody else had changed it.
      for (const { files: changed } of edits.slice(count).toReversed())
        for (const { path, before } of changed)
          if (!ignored(path)) files.set(path, before === null ? null : (contents.get(before) ?? null));
      return files;
    },
  };
}

/** The call that made an edit, from the audit log: `godot_code edit`. */
export async function callOf(project: Project, { at }: JournalEntry): Promise<string | undefined> {
  const folder = await stateFolder(project.root);
  for (const name of ["audit.log", "audit.log.1"]) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    for (const line of readFileSync(file, "utf8").split("\n").toReversed()) {
      const call = parsed(line);
      const start = Date.parse(call?.ts ?? "");
      if (call === undefined || !(start <= at && at <= start + call.durationMs + 1)) continue;
      return [call.tool, call.action].filter((part) => typeof part === "string").join(" ");
    }
  }
  return undefined;
}

interface AuditLine {
  readonly ts: string;
  readonly durationMs: number;
  readonly tool: string;
  readonly action: string | null;
}

function parsed(line: string): AuditLine | undefined {
  try {
    // This server wrote it; a line of another shape has no time and fits no edit.
    return line === "" ? undefined : (JSON.parse(line) as AuditLine);
  } catch {
    return undefined;
  }
}

const MAX_LINES = 24;
const MAX_LINE_LENGTH = 200;

/** The change of a text by an edit, as lines with `-` and `+`; a word for binary content. */
export function changeOf(before: Buffer | null, after: Buffer | null): string {
  if (before !== null && after !== null && before.equals(after)) return "unchanged";
  if ([before, after].some((content) => content?.includes(0))) return "a binary file";
  const old = linesOf(before);
  const fresh = linesOf(after);
  let top = 0;
  while (top < Math.min(old.length, fresh.length) && old[top] === fresh[top]) top++;
  let bottom = 0;
  while (
    bottom < Math.min(old.length, fresh.length) - top &&
    old[old.length - 1 - bottom] === fresh[fresh.length - 1 - bottom]
  )
    bottom++;
  const lines = [
    `@@ line ${top + 1}`,
    ...old.slice(top, old.length - bottom).map((line) => `-${line.slice(0, MAX_LINE_LENGTH)}`),
    ...fresh.slice(top, fresh.length - bottom).map((line) => `+${line.slice(0, MAX_LINE_LENGTH)}`),
  ];
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])].join("\n");
}

function linesOf(content: Buffer | null): readonly string[] {
  return content === null ? [] : content.toString("utf8").split("\n");
}
