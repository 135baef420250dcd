import { existsSync } from "node:fs";
import { link, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { CommandFailure } from "@toolpact/cli";
import { makeFolder } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** Makes a file that only its owner can read, whole or not at all. A file that is there stays as it is. */
export function createFile(path: string, content: string): Promise<Outcome<undefined, CommandFailure>> {
  return written(path, content, 0o600, async (next) => {
    await link(next, path);
    await rm(next);
  });
}

/** Replaces the content of a file, whole or not at all. Its mode stays, and a symbolic link stays a link. */
export async function replaceFile(
  path: string,
  content: string,
): Promise<Outcome<undefined, CommandFailure>> {
  const real = await realpath(path).catch(() => path);
  const mode = (await stat(real).catch(() => undefined))?.mode ?? 0o600;
  return written(real, content, mode & 0o777, (next) => rename(next, real));
}

async function written(
  path: string,
  content: string,
  mode: number,
  finish: (next: string) => Promise<void>,
): Promise<Outcome<undefined, CommandFailure>> {
  const next = `${path}.${process.pid}.new`;
  try {
    await makeFolder(dirname(path));
    await writeFile(next, content, { mode, flag: "wx" });
    await finish(next);
    return ok(undefined);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    // File operations reject with Node's error codes.
    const { code } = error as NodeJS.ErrnoException;
    return failed(
      code === "EEXIST" && existsSync(path)
        ? {
            message: `${path} is there already, so it was left alone.`,
            fix: "Edit it, or name another with -c.",
          }
        : { message: `${path} cannot be written (${code ?? "unknown error"}).` },
    );
  }
}
