import { readFileSync } from "node:fs";
import * as z from "zod";

export interface JournalEntry {
  readonly id: number;
  readonly at: number;
  readonly label: string;
  readonly files: readonly JournalFile[];
  readonly undone: boolean;
  /** Its files are being restored, or the process died meanwhile. */
  readonly isStepping?: true | undefined;
}

export interface JournalFile {
  /** `res://…`, with all links resolved. */
  readonly path: string;
  /** Digest of the content before, or of the content that a forced redo replaced; null if there was no file. */
  readonly before: string | null;
  /**
   * Digest of the content after, or of the content that a forced undo replaced. Absent while the change is in
   * progress and, if the process died then, until it is undone.
   */
  readonly after?: string | null | undefined;
}

/** Undefined for an incomplete entry: its change did not begin. */
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

/** The file name shows whether an entry is undone, so a new change need not read all of them. */
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
  isStepping: z.literal(true).optional(),
  files: storedFiles,
});
