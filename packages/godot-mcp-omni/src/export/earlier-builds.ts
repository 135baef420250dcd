import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { writeAtomically } from "../project/atomic-write.ts";
import type { PathCode, ProjectPath } from "../project/project-path.ts";
import { stateFolder } from "../project/state-folder.ts";

/** The target of a file or folder of a build. */
export interface BuildPlace extends ProjectPath {
  readonly isFolder: boolean;
}

/** Whether a build may be written: it may replace an earlier build, and other files only with overwrite. */
export async function canReplace(
  project: string,
  { res, absolute, isFolder }: BuildPlace,
  overwrite: boolean,
): Promise<Result<void, PathCode>> {
  const found = lstatSync(absolute, { throwIfNoEntry: false });
  if (found === undefined) return ok(undefined);
  if (found.isDirectory() && !isFolder)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${res} is a folder, and the build is a file. No build was changed.`,
      { suggestedFix: "Give another path." },
    );
  const before = (await earlierBuilds(project))[res];
  if (overwrite || (before?.bytes === found.size && before.at === found.mtimeMs)) return ok(undefined);
  return errors.fail(
    "E_PERMISSION_DENIED",
    `${res} is there already, and not as a build left it. No build was changed.`,
    {
      details: { gate: "overwrite", path: res },
      suggestedFix: "Give another path, or set overwrite to replace it for good.",
      fixBy: "agent",
    },
  );
}

/** Later builds may replace these. */
export async function noteBuild(project: string, places: readonly ProjectPath[]): Promise<void> {
  const left = places.map(({ res, absolute }) => {
    const { size, mtimeMs } = lstatSync(absolute);
    return [res, { bytes: size, at: mtimeMs }] as const;
  });
  const builds: Builds = { ...(await earlierBuilds(project)), ...Object.fromEntries(left) };
  const folder = await stateFolder(project);
  await writeAtomically(await listOf(project), JSON.stringify(builds, null, 2), join(folder, "drafts"));
}

/** By `res://` path. A file with another size or time since was changed by someone. */
type Builds = Readonly<Record<string, { readonly bytes: number; readonly at: number }>>;

/** An unreadable list counts as empty, so that the next build replaces nothing unasked. */
async function earlierBuilds(project: string): Promise<Builds> {
  try {
    // Written only above.
    return JSON.parse(readFileSync(await listOf(project), "utf8")) as Builds;
  } catch {
    return {};
  }
}

async function listOf(project: string): Promise<string> {
  return join(await stateFolder(project), "builds.json");
}
