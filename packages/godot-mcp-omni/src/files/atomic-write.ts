import { randomBytes } from "node:crypto";
import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
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
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
  const name = `${randomBytes(8).toString("hex")}.draft`;
  try {
    await replace(path.join(drafts, name), file, content, mode, sync);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EXDEV" && code !== "ENOENT") throw error;
    // Most often both folders are there, so they are made only when one is missed.
    mkdirSync(path.dirname(file), { recursive: true });
    mkdirSync(drafts, { recursive: true });
    // A draft on another disk than the file could not take its place, so it must lie beside it.
    const draft = code === "EXDEV" ? path.join(path.dirname(file), `.${name}`) : path.join(drafts, name);
    await replace(draft, file, content, mode, sync);
  }
}

const synced = promisify(fsync);

/** Only the wait for the disk is long enough to let others go first. */
async function replace(
  draft: string,
  file: string,
  content: string | Uint8Array,
  mode: number,
  sync: boolean,
): Promise<void> {
  try {
    const handle = openSync(draft, "wx", mode);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      if (sync) await synced(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
