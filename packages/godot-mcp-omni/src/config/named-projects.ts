import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";

/** One of several projects that a server works on. */
export interface NamedProject {
  readonly name: string;
  /** As given. */
  readonly folder: string;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/i;

/**
 * What `--project` was given. One value is a folder, whatever it looks like; several are `NAME=FOLDER` each, so that calls
 * can say which one they mean.
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
