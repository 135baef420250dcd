import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { inSlices } from "../../formats/document.ts";
import { rawField, SceneText, textField } from "../../formats/scene-text.ts";
import { usesCSharp } from "../../godot/binary.ts";
import { findingUnknownNames } from "../../graph/unknown-names.ts";
import type { CSharpBuild } from "../../language/csharp-build.ts";
import { type Problem, problem } from "../../operations/results.ts";
import type { FileCode, Project } from "../../project/project.ts";
import { deadReferences } from "../../scene-model/dead-references.ts";
import { missingFiles } from "../../scene-model/missing-files.ts";
import { blockPath, nodeAt, resolvingTree, walk } from "../../scene-model/scene-tree.ts";
import { loadWorld } from "../../scene-model/scene-world.ts";
import { undrawnTiles } from "../../scene-model/undrawn-tiles.ts";
import { count as amount, list } from "../../shapes.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { ANY_CODE, count, executedBy, product, READ, type ToolAnswer } from "../product.ts";

const scriptsChecked = z.strictObject({
  scripts: amount,
  errors: amount,
  warnings: amount,
  problems: list(problem),
});

const paths = z.array(z.string()).optional().describe("res://player.gd; default: the whole project");

export const diagnosticsTool = product.defineActionTool({
  name: "godot_diagnostics",
  title: "Find errors",
  description: "Find all errors of scripts and scenes, with file and line. Use it after writing files.",
  category: "diagnostics",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["project", "workspace"],
  errors: ANY_CODE,
  deadlineMs: 300_000,
  goOn: "Name the files in paths.",
  actions: (action) => ({
    scripts: action({
      description: "Compile scripts and list their errors and warnings.",
      effect: "none",
      input: z.strictObject({ paths }),
      output: scriptsChecked,
      handler: ({ paths }, context) => checkScripts(context, paths),
    }),
    scenes: action({
      description:
        "Check scenes and resources for missing files, lost nodes, dead connections and paths, unknown actions and groups.",
      effect: "none",
      errors: READ,
      input: z.strictObject({ paths }),
      output: z.strictObject({ files: amount, problems: list(problem) }),
      handler: ({ paths }, { project, workspace }) => checkScenes(project, workspace, paths),
    }),
  }),
});

interface ScriptsWork {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Compiles GDScript with Godot, and builds C#. Without paths, all scripts. */
async function checkScripts(
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
  // The build does not use a driver, so no mode is named if it did everything.
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

/** A build covers all files: keeps problems of the named ones and those without a file, and warns of the others. */
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

interface SceneProblems {
  readonly files: number;
  readonly problems: readonly Problem[];
}

/** Missing files, nodes without a parent, dead connections and node paths, as far as the files show them. */
async function checkScenes(
  project: Project,
  { index }: Pick<Workspace, "index">,
  paths: readonly string[] | undefined,
): Promise<ToolAnswer<SceneProblems, FileCode>> {
  const files: string[] = [];
  for (const path of paths ?? []) {
    const found = await project.readText(path);
    if (!found.ok) return found;
    files.push(found.value.path.res);
  }
  const root = await project.resolve("res://");
  if (!root.ok) return root;
  if (paths === undefined)
    for await (const file of project.files(root.value))
      if (/\.t(?:scn|res)$/.test(file.res)) files.push(file.res);

  const problems: Problem[] = paths === undefined ? [...(await missingFiles(project))] : [];
  for (const file of files) problems.push(...(await checkFile(project, file)));
  const unknown = paths === undefined ? await index.use(findingUnknownNames) : [];
  problems.push(...unknown.map((each): Problem => ({ ...each, severity: "warning" })));
  return ok(
    { files: files.length, problems },
    {
      summary:
        problems.length === 0
          ? `${count(files.length, "file")}, no problems.`
          : `${count(files.length, "file")}, ${count(problems.length, "problem")}.`,
      execution: { mode: "files" },
    },
  );
}

async function checkFile(project: Project, res: string): Promise<Problem[]> {
  const read = await project.readText(res);
  if (!read.ok) return [{ path: res, line: 1, severity: "error", message: read.failure.message }];
  const parsed = await inSlices(SceneText.parsing(read.value.text));
  if (!parsed.ok) {
    const line = parsed.failure.details?.line;
    return [
      {
        path: res,
        line: typeof line === "number" ? line : 1,
        severity: "error",
        message: parsed.failure.message,
      },
    ];
  }
  const scene = parsed.value;
  const { text } = read.value;
  const problem = (heading: string, message: string, severity: Problem["severity"] = "error"): Problem => ({
    path: res,
    line: text.slice(0, Math.max(0, text.indexOf(heading))).split("\n").length,
    severity,
    message,
  });
  const problems: Problem[] = [];
  for (const block of scene.tagged("ext_resource")) {
    const path = textField(block, "path") ?? "";
    if (path.startsWith("res://") && !(await project.exists(path)))
      problems.push(problem(block.heading.text, `${path} is missing.`));
  }
  if (!res.endsWith(".tscn")) return problems;
  const world = await loadWorld(project, [res], new Map([[res, scene]]));
  const tree = await inSlices(resolvingTree(scene, world));
  if (tree === undefined) return [...problems, problem("[node", "The scene has no root node.")];
  const nodes = [...walk(tree)];
  const placed = new Set(nodes.flatMap((node) => node.block ?? []));
  const opaque = nodes.flatMap((node) => (node.opaque ? (node.path === "." ? "" : `${node.path}/`) : []));
  /** Whether a path leads into an instance that the files do not show. */
  const isOpaque = (path: string) => opaque.some((start) => path.startsWith(start));
  for (const block of scene.tagged("node")) {
    if (!placed.has(block) && rawField(block, "parent") !== undefined && !isOpaque(blockPath(block)))
      problems.push(problem(block.heading.text, `${blockPath(block)} has no parent in this scene.`));
  }
  for (const block of scene.tagged("connection"))
    for (const end of ["from", "to"] as const) {
      const path = textField(block, end) ?? "";
      if (nodeAt(tree, path) === undefined && !isOpaque(path))
        problems.push(
          problem(block.heading.text, `A connection names ${path}, which is not there.`, "warning"),
        );
    }
  for (const { block, script, message } of await deadReferences(project, scene, tree, world))
    problems.push(
      script === undefined
        ? problem(block?.heading.text ?? "[node", message, "warning")
        : { ...script, severity: "warning", message: `In ${res}, ${message}` },
    );
  for (const { node, message } of undrawnTiles(world, tree))
    problems.push(problem(node.block?.heading.text ?? "[node", message, "warning"));
  return problems;
}
