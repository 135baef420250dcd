import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

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
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  const name = `${randomBytes(8).toString("hex")}.draft`;
  try {
    await replace(path.join(drafts, name), file, content, mode, sync);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EXDEV" && code !== "ENOENT") throw error;
    // Most often both folders are there, so they are made only when one is missed.
    await mkdir(path.dirname(file), { recursive: true });
    await mkdir(drafts, { recursive: true });
    // A draft on another disk than the file could not take its place, so it must lie beside it.
    const draft = code === "EXDEV" ? path.join(path.dirname(file), `.${name}`) : path.join(drafts, name);
    await replace(draft, file, content, mode, sync);
  }
}

async function replace(
  draft: string,
  file: string,
  content: string | Uint8Array,
  mode: number,
  sync: boolean,
): Promise<void> {
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(content);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
