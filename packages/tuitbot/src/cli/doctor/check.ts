import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Check } from "@toolpact/cli";

export function fine(name: string, message: string): Check {
  return { name, status: "ok", message };
}

export function warning(name: string, message: string, fix: string): Check {
  return { name, status: "warning", message, fix };
}

export function broken(name: string, message: string, fix: string): Check {
  return { name, status: "failed", message, fix };
}

export function skipped(name: string, message: string): Check {
  return { name, status: "skipped", message };
}

/** Reports a secret file that other users can read; undefined if it is private or missing. */
export async function exposedFile(name: string, path: string): Promise<Check | undefined> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined || process.platform === "win32" || (file.mode & 0o077) === 0) return undefined;
  return broken(
    name,
    `Other users of this machine can read ${path}.`,
    `Run chmod 600 ${path}; if anybody may have read it, replace what is in it.`,
  );
}

/** Whether a file that does not exist yet could be made. */
export async function canBeMade(path: string): Promise<boolean> {
  return isWritable(await nearestFolder(dirname(path)));
}

export function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** The folder itself, or the nearest one above that exists. A file in its place is no folder to write in. */
async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() || dirname(folder) === folder) return folder;
  // Nothing can be made below a file.
  return found === undefined ? nearestFolder(dirname(folder)) : `${folder}/`;
}
