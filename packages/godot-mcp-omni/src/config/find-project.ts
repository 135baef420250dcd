import { statSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { realPlace } from "../project/project-path.ts";

type Found = Result<string, "E_NOT_FOUND">;

/**
 * Returns the real path of the configured folder, which need not exist yet, or of the nearest project at or above the
 * working folder.
 */
export function projectFolder(named: string | undefined, cwd: string): Found {
  if (named !== undefined) {
    const folder = path.resolve(cwd, path.basename(named) === "project.godot" ? path.dirname(named) : named);
    const place = realPlace(folder);
    return place !== undefined && (statOf(place)?.isDirectory() ?? true)
      ? ok(place)
      : notFound(`${folder} is no folder.`, NAME_ONE);
  }
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    if (holdsProject(folder)) return ok(realPlace(folder) ?? folder);
    if (folder === path.dirname(folder))
      return notFound(`Neither ${cwd} nor a folder above it has a project.godot.`, NAME_ONE);
  }
}

/**
 * The user's working folder. A client that starts a plugin's server in the plugin's own folder leaves the user's in
 * `PWD`: it counts if the server was started in a plugin's folder, or in one without a project.
 */
export function workingFolder(cwd: string, env: Readonly<Record<string, string | undefined>>): string {
  const { PLUGIN_ROOT: plugin, PWD: persons } = env;
  if (persons === undefined || !path.isAbsolute(persons)) return cwd;
  if (!plugin)
    return !projectFolder(undefined, cwd).ok && projectFolder(undefined, persons).ok ? persons : cwd;
  const own = realPlace(plugin) ?? plugin;
  const isInside = (folder: string) => !path.relative(own, realPlace(folder) ?? folder).startsWith("..");
  return isInside(cwd) && !isInside(persons) ? persons : cwd;
}

/** Real path of a named folder, or of the folder of a named `project.godot`; undefined if it is not absolute. */
export function folderNamed(given: string): string | undefined {
  if (!path.isAbsolute(given)) return undefined;
  const folder = projectFolder(given, "/");
  return folder.ok ? folder.value : undefined;
}

export function projectIn(folder: string): Found {
  if (holdsProject(folder)) return ok(folder);
  return notFound(
    `There is no project yet: ${folder} has no project.godot.`,
    "Make one there with godot_project project.create, or start the server with --project on the folder of another.",
  );
}

const NAME_ONE =
  "Name the absolute path of a project's folder in projectPath with the call, or start the server with --project FOLDER, where a project may also be made.";

function holdsProject(folder: string): boolean {
  return statOf(path.join(folder, "project.godot"))?.isFile() ?? false;
}

function statOf(place: string) {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file or is not accessible, so there is no project.
    return undefined;
  }
}

function notFound(message: string, suggestedFix: string) {
  return errors.fail("E_NOT_FOUND", message, { suggestedFix, fixBy: "operator" });
}

/** One of several projects that a server works on. */
export interface NamedProject {
  readonly name: string;
  readonly folder: string;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/i;

/**
 * Reads the values of `--project`. A single value is always a folder; several are `NAME=FOLDER` each, for calls to name
 * the one they mean.
 */
export function projectsGiven(
  values: readonly string[],
): Result<
  { readonly project: string | undefined; readonly projects: readonly NamedProject[] },
  "E_SCHEMA_VALIDATION"
> {
  if (values.length < 2) return ok({ project: values[0], projects: [] });
  const projects: NamedProject[] = [];
  for (const value of values) {
    const at = value.indexOf("=");
    const [name, folder] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
    if (!NAME.test(name) || folder === "")
      return refused(`--project ${value.slice(0, 200)} has no name, and there are several projects.`);
    if (projects.some((known) => known.name.toLowerCase() === name.toLowerCase()))
      return refused(`Two projects are called ${name}.`);
    projects.push({ name, folder });
  }
  return ok({ project: undefined, projects });
}

function refused(message: string) {
  return errors.fail("E_SCHEMA_VALIDATION", message, {
    suggestedFix: "Give each as --project NAME=FOLDER: letters, digits, - and _ for the name.",
    fixBy: "operator",
  });
}
