import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsync,
  mkdirSync,
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

/**
 * Writes a file so that whoever reads it, at whatever moment this process is killed, sees the old content or the
 * new one. `drafts` is where the new content waits, on the same disk as the file if it can be; with `sync` it is
 * on the disk before it takes its place, so that a power cut does no harm either.
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

/** New content of a file that is on its way to the disk and has not taken its place yet. */
export interface Draft {
  /**
   * When the disk has it. Where `was` is given and the file holds something else by then, null for no file, that
   * stays, and the error's code is `CHANGED`.
   */
  put(was?: Content | null): Promise<void>;
  discard(): Promise<void>;
}

/** No draft takes this long: it is one of a process that was killed. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Takes away the drafts in a folder that nobody will put in place any more. */
export function sweepDrafts(drafts: string, now: number): void {
  for (const name of existsSync(drafts) ? readdirSync(drafts) : []) {
    const draft = path.join(drafts, name);
    const written = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (name.endsWith(".draft") && now - written > ABANDONED_MS) rmSync(draft, { force: true });
  }
}

/** As `writeAtomically`, with time to do something else while the disk works. */
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
    async put(was) {
      try {
        await written.done;
        checkHolds(file, was);
        renameSync(inDrafts, file);
      } catch (error) {
        rmSync(inDrafts, { force: true });
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "EXDEV" && code !== "ENOENT") throw error;
        mkdirSync(path.dirname(file), { recursive: true });
        // A draft on another disk than the file cannot take its place, so it must lie beside it.
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

/** The code of an error that says that another program has written the file meanwhile. */
export const CHANGED = "ECHANGED";

/** Throws where the file does not hold `was`; the moment after is too short for another program to write in. */
export function checkHolds(file: string, was: Content | null | undefined): void {
  if (was === undefined) return;
  const now = statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file);
  const same = now === null || was === null ? now === was : now.equals(Buffer.from(was));
  if (!same) throw Object.assign(new Error(`${file} was changed meanwhile.`), { code: CHANGED });
}

const synced = promisify(fsync);

/** Only the wait for the disk is long enough to let others go first. */
function begin(
  draft: string,
  content: string | Uint8Array,
  mode: number | undefined,
  sync: boolean,
): { readonly done: Promise<void> } {
  const handle = opened(draft, mode);
  let waiting: Promise<void> | undefined;
  try {
    // The process's mask holds for a new file, not for the rights that one has already.
    if (mode !== undefined) fchmodSync(handle, mode);
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    if (sync) waiting = synced(handle);
  } finally {
    if (waiting === undefined) closeSync(handle);
  }
  const done = waiting?.finally(() => closeSync(handle)) ?? Promise.resolve();
  // Whoever puts or discards the draft hears of it; until then it is nobody's yet.
  done.catch(() => {});
  return { done };
}

/** The rights of a file; undefined for one that is not there. One that may not be written is not replaced either. */
function modeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (isWriteProtected(file)) throw Object.assign(new Error(`${file} is read-only.`), { code: "EACCES" });
  return found.mode & 0o777;
}

/** Whether a file or folder says that nobody may write it: the user root passes every other check. */
export function isWriteProtected(place: string): boolean {
  const found = statSync(place, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o222) === 0;
}

/** Most often the folder is there, so it is made only when it is missed. */
function opened(draft: string, mode = 0o644): number {
  try {
    return openSync(draft, "wx", mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(path.dirname(draft), { recursive: true });
    return openSync(draft, "wx", mode);
  }
}
