import { constants, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { Files } from "./edit-states.ts";

/** A copy outside the project that runs may change. */
export interface ProjectCopy {
  readonly root: string;
  /** A separate folder for each run, which hides what another one saved. */
  readonly home: (name: string) => string;
  /** Writes these file contents. */
  readonly put: (files: Files) => void;
  readonly remove: () => void;
}

const MAX_BYTES = 2 * 1024 ** 3;
/** Folders that no game reads: histories, our own state, and the editor's state. */
const LEFT_OUT = new Set([".git", ".godot_mcp", `.godot${sep}editor`, `.godot${sep}shader_cache`]);

export function copyProject(project: string): Result<ProjectCopy, "E_UNSUPPORTED"> {
  const bytes = sizeOf(project, project);
  if (bytes > MAX_BYTES)
    return errors.fail(
      "E_UNSUPPORTED",
      `The project is too large to copy: ${Math.round(bytes / 1024 ** 2)} MB, at most ${MAX_BYTES / 1024 ** 2}.`,
      { suggestedFix: "Move what the game does not need out of the project." },
    );
  const folder = mkdtempSync(join(tmpdir(), "godot-mcp-copy-"));
  const root = join(folder, "project");
  cpSync(project, root, {
    recursive: true,
    // A link could lead back to the user's own files.
    filter: (file) => isCopied(project, file) && !lstatSync(file).isSymbolicLink(),
    mode: constants.COPYFILE_FICLONE,
  });
  return ok({
    root,
    home: (name) => {
      const home = join(folder, "homes", name);
      makeFolderSync(home);
      return home;
    },
    put(files) {
      for (const [res, content] of files) {
        const file = join(root, res.slice("res://".length));
        if (content === null) rmSync(file, { force: true });
        else {
          makeFolderSync(dirname(file), 0o777);
          writeFileSync(file, content);
        }
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  });
}

function isCopied(project: string, file: string): boolean {
  return !LEFT_OUT.has(relative(project, file));
}

function sizeOf(project: string, folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (!isCopied(project, file)) continue;
    if (entry.isDirectory()) bytes += sizeOf(project, file);
    else if (entry.isFile()) bytes += lstatSync(file).size;
  }
  return bytes;
}
