import { ok } from "@toolpact/outcome";
import { rawField, SceneText, textField } from "../../formats/scene-text.ts";
import { inSlices } from "../../formats/slices.ts";
import type { Problem } from "../../operations/results.ts";
import type { FileCode, Project } from "../../project/project.ts";
import { missingFiles } from "../../scene-model/missing-files.ts";
import { blockPath, nodeAt, resolvingTree, walk } from "../../scene-model/scene-tree.ts";
import { loadWorld } from "../../scene-model/scene-world.ts";
import { undrawnTiles } from "../../scene-model/undrawn-tiles.ts";
import { count } from "../counted.ts";
import type { ToolAnswer } from "../tool-answer.ts";

interface SceneProblems {
  readonly files: number;
  readonly problems: readonly Problem[];
}

/** Missing files, nodes without a parent and dead connections, as far as the text of scenes and resources tells. */
export async function checkScenes(
  project: Project,
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
  for (const { node, message } of undrawnTiles(world, tree))
    problems.push(problem(node.block?.heading.text ?? "[node", message, "warning"));
  return problems;
}
