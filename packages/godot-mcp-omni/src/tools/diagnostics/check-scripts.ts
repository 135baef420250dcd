import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { usesCSharp } from "../../godot/binary.ts";
import type { CSharpBuild } from "../../language/csharp-build.ts";
import { type Problem, problem } from "../../operations/results.ts";
import type { Project } from "../../project/project.ts";
import { count as amount, list } from "../../shapes.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { count } from "../counted.ts";
import { executedBy, type ToolAnswer } from "../tool-answer.ts";

export const scriptsChecked = z.strictObject({
  scripts: amount,
  errors: amount,
  warnings: amount,
  problems: list(problem),
});

export interface ScriptsWork {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Has GDScript compiled by Godot, and C# built. Without paths, all scripts. */
export async function checkScripts(
  { project, workspace, signal }: ScriptsWork,
  paths: readonly string[] = [],
): Promise<ToolAnswer<z.infer<typeof scriptsChecked>>> {
  const checked: string[] = [];
  for (const path of paths) {
    const found = await project.readText(path);
    if (!found.ok) return found;
    checked.push(found.value.path.res);
  }
  const isWhole = checked.length === 0;
  const named = checked.filter((path) => path.endsWith(".cs"));
  const warnings: string[] = [];
  let problems: readonly Problem[] = [];
  let scripts = named.length;
  // The build is no Godot's work, and so no mode is named where it did everything.
  let execution: ReturnType<typeof executedBy> | undefined;
  if (named.length > 0 || (isWhole && usesCSharp(project.root))) {
    const built = await workspace.buildCSharp(signal);
    if (!built.ok && !(isWhole && built.failure.code === "E_UNSUPPORTED")) return built;
    if (built.ok) {
      problems = isWhole ? built.value.problems : ofFiles(built.value, named, warnings);
      if (isWhole) scripts = await csharpFiles(project);
      if (built.value.isCut)
        warnings.push("The build wrote too much: its first problems are not in the list.");
    } else warnings.push(`C# was not checked: ${built.failure.message}`);
  }
  if (isWhole || named.length < checked.length) {
    const engine = await workspace.engine();
    if (!engine.ok) return engine;
    const others = checked.filter((path) => !path.endsWith(".cs"));
    const answer = await engine.value.request("diagnostics", isWhole ? {} : { paths: others }, { signal });
    if (!answer.ok) return answer;
    problems = [...answer.value.problems, ...problems];
    scripts += answer.value.scripts;
    execution = executedBy(engine.value);
  }
  const failing = problems.filter(({ severity }) => severity === "error").length;
  return ok(
    { scripts, errors: failing, warnings: problems.length - failing, problems },
    {
      summary:
        problems.length === 0
          ? `${count(scripts, "script")}, no problems.`
          : `${count(scripts, "script")}, ${count(failing, "error")} and ${count(problems.length - failing, "warning")}.`,
      ...(execution !== undefined && { execution }),
      ...(warnings.length > 0 && { warnings }),
    },
  );
}

/** A build is of all files: those of the named ones and of no script, with a word about the others. */
function ofFiles({ problems }: CSharpBuild, named: readonly string[], warnings: string[]) {
  const others = problems.filter(({ path }) => path.endsWith(".cs") && !named.includes(path));
  const broken = [...new Set(others.filter(({ severity }) => severity === "error").map(({ path }) => path))];
  if (broken.length > 0)
    warnings.push(
      `The build has errors in ${count(broken.length, "other file")}: ${broken.slice(0, 5).join(", ")}.`,
    );
  return problems.filter((each) => !others.includes(each));
}

async function csharpFiles(project: Project): Promise<number> {
  let found = 0;
  for await (const { res } of project.files({ absolute: project.root, res: "res://" }))
    if (res.endsWith(".cs")) found++;
  return found;
}
