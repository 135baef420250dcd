import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";

export type OutsideCode = "E_PERMISSION_DENIED" | "E_NOT_FOUND" | "E_SCHEMA_VALIDATION";

/** The largest file that is copied into a project. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file outside the project from a folder that the operator allows, checked by its real path. A
 * relative path is looked up in each of them.
 */
export function readOutside(folders: readonly string[], given: string): Result<Buffer, OutsideCode> {
  if (folders.length === 0)
    return errors.fail("E_PERMISSION_DENIED", "No folder is allowed to copy assets from.", {
      details: { gate: "asset_folders" },
      suggestedFix: "The operator can start the server with --asset-folders FOLDERS.",
      fixBy: "operator",
    });
  if (given.includes("\0")) return errors.fail("E_SCHEMA_VALIDATION", "A path has no zero byte.");
  const allowed = folders.flatMap((folder) => realPath(path.resolve(folder)) ?? []);
  const places = path.isAbsolute(given) ? [given] : allowed.map((folder) => path.join(folder, given));
  const real = places.flatMap((place) => realPath(place) ?? []);
  const inside = real.find((place) => allowed.some((folder) => isInside(folder, place)));
  // Do not reveal whether a file exists elsewhere.
  if (inside === undefined && (real.length > 0 || places.every((place) => !isIn(allowed, place))))
    return outside(given, folders);
  if (inside === undefined)
    return errors.fail("E_NOT_FOUND", `There is no file ${shortened(given)}.`, { details: { folders } });
  return contentOf(inside, given);
}

function contentOf(real: string, given: string): Result<Buffer, OutsideCode> {
  let file: number;
  try {
    // Do not follow a link that has replaced the file meanwhile, or block on a pipe.
    file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return errors.fail("E_PERMISSION_DENIED", `${shortened(given)} cannot be read (${code}).`, {
      details: { gate: "disk" },
    });
  }
  try {
    const state = fstatSync(file);
    if (!state.isFile()) return errors.fail("E_SCHEMA_VALIDATION", `${shortened(given)} is not a file.`);
    if (state.size > MAX_BYTES)
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `${shortened(given)} has ${state.size} bytes; the most is ${MAX_BYTES}.`,
        { details: { bytes: state.size, most: MAX_BYTES } },
      );
    const bytes = Buffer.alloc(state.size);
    let read = 0;
    for (let count = -1; count !== 0 && read < bytes.length; read += count)
      count = readSync(file, bytes, read, bytes.length - read, read);
    return ok(bytes.subarray(0, read));
  } finally {
    closeSync(file);
  }
}

function isIn(folders: readonly string[], place: string): boolean {
  return folders.some((folder) => isInside(folder, path.resolve(place)));
}

function isInside(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return (
    relative !== "" &&
    relative !== ".." &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

function realPath(place: string): string | undefined {
  try {
    return realpathSync.native(place);
  } catch {
    // It does not exist, or a link on the path is broken or circular.
    return undefined;
  }
}

function outside(given: string, folders: readonly string[]) {
  return errors.fail(
    "E_PERMISSION_DENIED",
    `${shortened(given)} is not in a folder that assets may be copied from.`,
    {
      details: { gate: "asset_folders", folders },
      suggestedFix: "Name a file inside of these folders, not a link that leads out of them.",
    },
  );
}

function shortened(given: string): string {
  return given.length > 200 ? `${given.slice(0, 200)}…` : given;
}
