import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type GodotCode, type Result, unknownName } from "../../errors.ts";
import { inSlices } from "../../formats/document.ts";
import { nodeReferences } from "../../formats/node-references.ts";
import { type SceneText, textField } from "../../formats/scene-text.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import type { Project } from "../../project/project.ts";
import type { Rect } from "../../scene-model/geometry.ts";
import { nodeAt, resolvingTree, type SceneNode, walk } from "../../scene-model/scene-tree.ts";
import { loadScene, scriptLineage } from "../../scene-model/scene-world.ts";
import { count as amount, list, maybe, severity, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { count, type ToolAnswer } from "../product.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";
import { checkingSpace, type SceneToCheck, SPATIAL_KINDS } from "./spatial-checks.ts";

export const spatialInput = z.strictObject({
  scene: p.sceneFile.optional(),
  spawn: text.optional().describe("A node: check the ways from it to the goals, by baked navigation"),
  goals: z.array(text).max(100).optional().describe("With spawn: nodes to reach"),
  ...pageInput,
});

export const spatialFound = z.strictObject({
  scene: text,
  nodes: amount,
  problems: list(
    z.strictObject({ kind: z.enum(SPATIAL_KINDS), node: text, severity, message: text, with: maybe }),
  ),
  ...pageShape,
});

/** Overlaps, off-screen nodes, wrong collision shapes and nodes without a purpose, from the text of a scene. */
export async function checkSpace(
  { project }: { readonly project: Project },
  { scene, spawn, goals, ...page }: z.infer<typeof spatialInput>,
): Promise<
  ToolAnswer<z.infer<typeof spatialFound>, Exclude<GodotCode, "E_NOT_CONNECTED" | "E_TIMEOUT" | "E_INTERNAL">>
> {
  if (scene === undefined)
    return errors.fail("E_SCHEMA_VALIDATION", "Name the scene, such as res://main.tscn.");
  const path = await project.resolve(scene);
  if (!path.ok) return path;
  const read = await project.textAt(path.value);
  if (!read.ok) return read;
  const loaded = await loadScene(project, path.value);
  if (!loaded.ok) return errors.fail("E_UNSUPPORTED", loaded.failure.message);
  const { world } = loaded.value;
  const root = await inSlices(resolvingTree(loaded.value.scene, world));
  if (root === undefined) return errors.fail("E_UNSUPPORTED", `${path.value.res} has no root node.`);
  const nodes = [...walk(root)];
  const named = namedNodes(loaded.value.scene);
  for (const node of nodes)
    for (const script of scriptLineage(node.script, world))
      for (const reference of nodeReferences((await project.textOf(script.path)) ?? ""))
        for (const name of reference.path.split("/")) named.add(name.replace(/^%/, ""));
  const view = await windowOf(project);
  const way = wayIn(root, spawn, goals);
  if (!way.ok) return way;
  const problems = await inSlices(
    checkingSpace({ root, world, view, isNamed: ({ name }) => named.has(name), way: way.value }),
  );
  const { items, ...more } = pageOf(problems, page);
  return ok(
    { scene: path.value.res, nodes: nodes.length, problems: items, ...more },
    {
      summary: `${count(nodes.length, "node")}, ${count(problems.length, "problem")}.`,
      execution: { mode: "files" },
    },
  );
}

/** The start and targets of the requested path. */
function wayIn(
  root: SceneNode,
  from: string | undefined,
  to: readonly string[] | undefined,
): Result<SceneToCheck["way"], "E_NOT_FOUND" | "E_SCHEMA_VALIDATION"> {
  if ((from === undefined) !== (to === undefined))
    return errors.fail("E_SCHEMA_VALIDATION", "spawn and goals go together: a node, and the nodes to reach.");
  if (from === undefined || to === undefined) return ok(undefined);
  const found: SceneNode[] = [];
  for (const path of [from, ...to]) {
    const node = nodeAt(root, path);
    if (node === undefined)
      return unknownName(
        "E_NOT_FOUND",
        `There is no node "${path.slice(0, 100)}" in the scene.`,
        path,
        [...walk(root)].map((each) => each.path),
      );
    found.push(node);
  }
  const [start, ...goals] = found;
  return ok(start === undefined ? undefined : { from: start, to: goals });
}

/** Names used in paths and connections of the scene. */
function namedNodes(scene: SceneText): Set<string> {
  const named = new Set<string>();
  const add = (path: string) => {
    for (const part of (path.split(":")[0] ?? "").split("/")) named.add(part.replace(/^%/, ""));
  };
  for (const block of scene.tagged("connection"))
    for (const end of ["from", "to"]) add(textField(block, end) ?? "");
  for (const block of scene.blocks)
    for (const part of block.body)
      if (part.kind === "assignment" && part.value.includes("NodePath("))
        for (const [, path = ""] of part.value.matchAll(/NodePath\("([^"\\\n]{1,1000})"\)/g)) add(path);
  return named;
}

const SIZE = { width: 1152, height: 648 } as const;

async function windowOf(project: Project): Promise<Rect> {
  const settings = SettingsText.parse((await project.textOf("res://project.godot")) ?? "");
  const side = (name: "width" | "height") =>
    Number((settings.ok && settings.value.get(`display/window/size/viewport_${name}`)) || SIZE[name]);
  return { x: 0, y: 0, width: side("width"), height: side("height") };
}
