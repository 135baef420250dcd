import { stat } from "node:fs/promises";
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

/** What is wrong with a file that holds a secret if other users can read it; undefined if it is private or not there. */
export async function exposedFile(name: string, path: string): Promise<Check | undefined> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined || process.platform === "win32" || (file.mode & 0o077) === 0) return undefined;
  return broken(
    name,
    `Other users of this machine can read ${path}.`,
    `Run chmod 600 ${path}; if anybody may have read it, replace what is in it.`,
  );
}
