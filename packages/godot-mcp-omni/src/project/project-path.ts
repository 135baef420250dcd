import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";

/** A path inside the project that a tool may use. */
export interface ProjectPath {
  /** With all links resolved. */
  readonly absolute: string;
  /** `res://…` */
  readonly res: string;
}

export type PathCode = "E_SCHEMA_VALIDATION" | "E_PERMISSION_DENIED";

/** Folders of Godot, Git and this server: no tool reads or writes there. */
const CLOSED = new Set([".godot", ".git", ".godot_mcp"]);

/**
 * Resolves `res://a/b`, `a/b` or an absolute path inside the project. The real path of its deepest existing ancestor
 * must be inside `root`, which is a real path itself.
 */
export async function projectPath(root: string, given: string): Promise<Result<ProjectPath, PathCode>> {
  const relative = relativeOf(root, given);
  if (!relative.ok) return relative;
  if (leavesProject(relative.value)) return outside(given);
  if (isClosed(relative.value)) return closed(given);

  const absolute = realPlace(path.join(root, relative.value));
  if (absolute === undefined) return noPlace(given, path.join(root, relative.value));
  const real = path.relative(root, absolute);
  if (leavesProject(real) || path.isAbsolute(real)) return outside(given);
  if (isClosed(real)) return closed(given);
  return ok({ absolute, res: `res://${relative.value.split(path.sep).join("/")}` });
}

function relativeOf(root: string, given: string): Result<string, PathCode> {
  const scheme = /^([a-z]+):\/\//i.exec(given)?.[1];
  if (scheme !== undefined && scheme !== "res") {
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${shortened(given)} is a ${scheme}:// address; paths begin with res://.`,
      { details: { path: given } },
    );
  }
  if (given.includes("\0") || given.includes("\\")) {
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${shortened(given)} contains a character that is not allowed in paths.`,
      {
        suggestedFix: "Write folders with / and without escapes.",
      },
    );
  }
  if (path.isAbsolute(given)) return ok(path.relative(root, path.normalize(given)));
  const bare = scheme === undefined ? given : given.slice("res://".length);
  const relative = path.normalize(bare === "" ? "." : bare.replace(/^\/+/, "")).replace(/[/\\]+$/, "");
  return ok(relative === "." ? "" : relative);
}

function leavesProject(relative: string): boolean {
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

function isClosed(relative: string): boolean {
  // Some file systems ignore case.
  return relative.split(/[/\\]/).some((segment) => CLOSED.has(segment.toLowerCase()));
}

/** The real path of a file that need not exist yet; undefined if no file can exist there. */
export function realPlace(absolute: string): string | undefined {
  const missing: string[] = [];
  for (let place = absolute; ; place = path.dirname(place)) {
    const real = realPath(place);
    if (real !== undefined) return path.join(real, ...missing.reverse());
    // A broken link exists but has no real path, and a write through it would go elsewhere.
    if (faultAt(place) !== "ENOENT") return undefined;
    if (path.dirname(place) === place) return undefined;
    missing.push(path.basename(place));
  }
}

function realPath(place: string): string | undefined {
  try {
    return realpathSync.native(place);
  } catch {
    // It does not exist, or a link on the path is broken or circular.
    return undefined;
  }
}

/** The error code of `lstat`; undefined if the path exists. */
function faultAt(place: string): string | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) === undefined ? "ENOENT" : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

function noPlace(given: string, absolute: string) {
  const fault = faultAt(absolute);
  if (fault === "ENOTDIR" || fault === "ENAMETOOLONG")
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      fault === "ENOTDIR"
        ? `${shortened(given)} uses a file as a folder.`
        : `${shortened(given)} is longer than the system allows.`,
      { details: { path: shortened(given) }, suggestedFix: "Name another place." },
    );
  return errors.fail(
    "E_PERMISSION_DENIED",
    `${shortened(given)} is a broken link, so the file it would change is unknown.`,
    { details: { gate: "project_folder", path: given }, suggestedFix: "Remove the link or name a file." },
  );
}

function outside(given: string) {
  return errors.fail("E_PERMISSION_DENIED", `${shortened(given)} leads out of the project.`, {
    details: { gate: "project_folder", path: given },
    suggestedFix: "Name a file inside the project, such as res://main.tscn.",
  });
}

function closed(given: string) {
  return errors.fail(
    "E_PERMISSION_DENIED",
    `${shortened(given)} is in a folder that tools cannot use (${[...CLOSED].join(", ")}).`,
    { details: { gate: "closed_folder", path: given }, suggestedFix: "Name a file of the game itself." },
  );
}

function shortened(given: string): string {
  return given.length > 200 ? `${given.slice(0, 200)}…` : given;
}
