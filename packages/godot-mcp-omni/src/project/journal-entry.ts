import { readFileSync } from "node:fs";
import * as z from "zod";

/** One change of the project's files that can be undone. */
export interface JournalEntry {
  readonly id: number;
  readonly at: number;
  /** Description of the change, in one line. */
  readonly label: string;
  readonly files: readonly JournalFile[];
  readonly undone: boolean;
}

export interface JournalFile {
  /** `res://…`, with all links resolved. */
  readonly path: string;
  /** Digest of the content before, or of what a forced redo replaced; null where there was no file. */
  readonly before: string | null;
  /**
   * Digest of the content after, or of what a forced undo replaced. Absent while the change is in progress and, when the
   * process died then, until it is undone.
   */
  readonly after?: string | null | undefined;
}

/** Undefined for an entry that was cut short: its change never began. */
export function readEntry(file: string): JournalEntry | undefined {
  try {
    const [begun = "", closed] = readFileSync(file, "utf8").split("\n");
    const entry = storedEntry.parse(JSON.parse(begun));
    return { ...entry, files: closedFiles(closed) ?? entry.files };
  } catch {
    // The process died while it wrote the entry.
    return undefined;
  }
}

function closedFiles(line: string | undefined): readonly JournalFile[] | undefined {
  try {
    return line === undefined ? undefined : storedFiles.parse(JSON.parse(line));
  } catch {
    // The process died while it wrote this line; the change itself was done.
    return undefined;
  }
}

export const UNDONE = ".undone.json";

/** The name of the file shows that an entry is undone, so that a new change need not read all of them. */
export function nameOf({ id, undone }: Pick<JournalEntry, "id" | "undone">): string {
  return `${String(id).padStart(8, "0")}${undone ? UNDONE : ".json"}`;
}

const storedFiles = z.array(
  z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable().optional() }),
);
const storedEntry = z.object({
  id: z.number(),
  at: z.number(),
  label: z.string(),
  undone: z.boolean(),
  files: storedFiles,
});
