import { readFileSync } from "node:fs";
import * as z from "zod";

/** One change of the project's files that can be taken back. */
export interface JournalEntry {
  readonly id: number;
  readonly at: number;
  /** What was done, in one line. */
  readonly label: string;
  readonly files: readonly JournalFile[];
  readonly undone: boolean;
}

export interface JournalFile {
  /** `res://…`, with every link on the way resolved. */
  readonly path: string;
  /** Digest of the content before, or of what a redo by force replaced; null where there was no file. */
  readonly before: string | null;
  /**
   * Digest of the content after, or of what an undo by force replaced. Absent while the change is under way, and,
   * when the process died then, until it is taken back.
   */
  readonly after?: string | null | undefined;
}

/** Undefined for one that a process died over: it guards a change that never began. */
export function readEntry(file: string): JournalEntry | undefined {
  try {
    const [begun = "", closed] = readFileSync(file, "utf8").split("\n");
    const entry = storedEntry.parse(JSON.parse(begun));
    return { ...entry, files: closedFiles(closed) ?? entry.files };
  } catch {
    // Cut short.
    return undefined;
  }
}

function closedFiles(line: string | undefined): readonly JournalFile[] | undefined {
  try {
    return line === undefined ? undefined : storedFiles.parse(JSON.parse(line));
  } catch {
    // Cut short: the change was done, and what it came to was not noted.
    return undefined;
  }
}

export const UNDONE = ".undone.json";

/** An undone entry says so in its file's name, so that a new change need not read the others. */
export function nameOf({ id, undone }: JournalEntry): string {
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
