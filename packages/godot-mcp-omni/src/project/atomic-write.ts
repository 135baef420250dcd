import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { makeFolderSync } from "@toolpact/file-lock";

/**
 * Writes a file atomically: a reader sees either the old or the new content, even if this process is killed. `drafts`
 * is the temporary folder of the new content, on the same disk as the file if possible. With `sync` the content is flushed
 * to the disk first, to survive a power failure.
 */
export async function writeAtomically(
  file: string,
  content: string | Uint8Array,
  drafts: string,
  { sync = true } = {},
): Promise<void> {
  await draftOf(file, content, drafts, { sync }).put();
}

type Content = string | Uint8Array;

/** New content of a file, written but not yet in place. */
export interface Draft {
  /** Resolves when the content is on the disk, next to the file. */
  readonly written: Promise<void>;
  /**
   * Replaces the file once the content is on the disk. If `was` is given (null for no file) and the file has changed
   * since, it is left alone and the error's code is `CHANGED`.
   */
  put(was?: Content | null): Promise<void>;
  discard(): Promise<void>;
}

/** An older draft belongs to a process that was killed. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Removes abandoned drafts from a folder. */
export function sweepDrafts(drafts: string, now: number): void {
  for (const name of existsSync(drafts) ? readdirSync(drafts) : []) {
    const draft = path.join(drafts, name);
    const written = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (name.endsWith(".draft") && now - written > ABANDONED_MS) rmSync(draft, { force: true });
  }
}

/** Like `writeAtomically`, but lets the caller do other work while the disk is busy. */
export function draftOf(
  file: string,
  content: string | Uint8Array,
  drafts: string,
  { sync = true } = {},
): Draft {
  const mode = modeOf(file);
  const name = `${randomBytes(8).toString("hex")}.draft`;
  const inDrafts = path.join(drafts, name);
  const written = begin(inDrafts, content, mode, sync);
  return {
    written: written.done,
    async put(was) {
      try {
        await written.done;
        checkHolds(file, was);
        renameSync(inDrafts, file);
      } catch (error) {
        rmSync(inDrafts, { force: true });
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "EXDEV" && code !== "ENOENT") throw error;
        makeFolderSync(path.dirname(file), 0o777);
        // A file cannot be renamed across disks, so the draft is created in its folder.
        await replace(path.join(path.dirname(file), `.${name}`), file, content, mode, { sync, was });
      }
    },
    async discard() {
      await written.done.catch(() => {});
      rmSync(inDrafts, { force: true });
    },
  };
}

async function replace(
  draft: string,
  file: string,
  content: string | Uint8Array,
  mode: number | undefined,
  { sync, was }: { readonly sync: boolean; readonly was: Content | null | undefined },
): Promise<void> {
  try {
    await begin(draft, content, mode, sync).done;
    checkHolds(file, was);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Error code: another program has written the file in the meantime. */
export const CHANGED = "ECHANGED";

/** Throws if the file does not contain `was`. Call it right before the write. */
export function checkHolds(file: string, was: Content | null | undefined): void {
  if (was === undefined) return;
  const now = statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file);
  const same = now === null || was === null ? now === was : now.equals(Buffer.from(was));
  if (!same) throw Object.assign(new Error(`${file} was changed meanwhile.`), { code: CHANGED });
}

const synced = promisify(fsync);

/** Everything but the flush is synchronous, because only the flush takes long. */
function begin(
  draft: string,
  content: string | Uint8Array,
  mode: number | undefined,
  sync: boolean,
): { readonly done: Promise<void> } {
  const handle = opened(draft, mode);
  let waiting: Promise<void> | undefined;
  try {
    // The umask applies to new files, so the mode of an existing one is set.
    if (mode !== undefined) fchmodSync(handle, mode);
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    if (sync) waiting = synced(handle);
  } finally {
    if (waiting === undefined) closeSync(handle);
  }
  const done = waiting?.finally(() => closeSync(handle)) ?? Promise.resolve();
  // `put` and `discard` report the error; until then it must not count as unhandled.
  done.catch(() => {});
  return { done };
}

/** The mode of a file; undefined if there is none. A write-protected file is not replaced. */
function modeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (isWriteProtected(file)) throw Object.assign(new Error(`${file} is read-only.`), { code: "EACCES" });
  return found.mode & 0o777;
}

/** Whether a file or folder has no write permission at all. The mode is read because root passes every other check. */
export function isWriteProtected(place: string): boolean {
  const found = statSync(place, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o222) === 0;
}

/** The folder usually exists, so it is created only after a failure. */
function opened(draft: string, mode = 0o644): number {
  try {
    return openSync(draft, "wx", mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeFolderSync(path.dirname(draft), 0o777);
    return openSync(draft, "wx", mode);
  }
}
