import { join } from "node:path/posix";
import { inSlices } from "../formats/document.ts";
import { nodeReferences } from "../formats/node-references.ts";
import type { SceneText } from "../formats/scene-text.ts";
import type { SceneChange } from "../operations/results.ts";
import type { Project } from "../project/project.ts";
import { isUnique, isWithin, pathBetween, resolvingTree, type SceneNode, walk } from "./scene-tree.ts";
import { loadScene, scriptLineage } from "./scene-world.ts";

/** A script line with a node path that has become invalid. */
export interface UsedNode {
  readonly path: string;
  readonly line: number;
  /** The line and its correction; the latter is absent if the node is gone. */
  readonly find: string;
  readonly replace?: string;
}

/** The old and new paths of moved nodes; the new one is null for removed nodes. */
type Moves = readonly (readonly [from: string, to: string | null])[];

/** From this many scenes on, searching all of them takes too long. */
const MAX_SCENES = 2_000;

/**
 * Script lines that an edit of a scene leaves with a broken node path: in scripts of this scene, and of scenes that
 * instance or inherit it. `after` is the scene after the edit, if the file does not contain it yet.
 */
export async function usesOfMovedNodes(
  project: Project,
  res: string,
  changes: readonly SceneChange[],
  after?: SceneText,
): Promise<UsedNode[]> {
  const moves: Moves = changes.flatMap(({ kind, node, from }): [string, string | null][] => {
    if (kind === "remove") return [[node, null]];
    return from !== undefined && (kind === "rename" || kind === "reparent") ? [[from, node]] : [];
  });
  if (moves.length === 0) return [];
  const found = new Map<string, UsedNode>();
  for (const scene of await scenesWith(project, res))
    for (const use of await usesIn(project, scene, res, moves, after))
      found.set(`${use.path}:${use.line}`, use);
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
}

/** The scene, and those that refer to it, directly or indirectly. */
export async function scenesWith(project: Project, res: string): Promise<string[]> {
  const scenes = new Set([res]);
  const root = await project.resolve("res://");
  if (!root.ok) return [...scenes];
  const texts: { readonly scene: string; readonly text: string }[] = [];
  for await (const file of project.files(root.value)) {
    if (!file.res.endsWith(".tscn") || file.res === res) continue;
    if (texts.length >= MAX_SCENES) break;
    const text = await project.textOf(file.res);
    if (text?.includes('type="PackedScene"')) texts.push({ scene: file.res, text });
  }
  // Iterating a set includes values added meanwhile.
  for (const each of scenes)
    for (const { scene, text } of texts) if (text.includes(`"${each}"`)) scenes.add(scene);
  return [...scenes];
}

async function usesIn(
  project: Project,
  scene: string,
  changed: string,
  moves: Moves,
  after: SceneText | undefined,
): Promise<UsedNode[]> {
  const path = await project.resolve(scene);
  const known = new Map(after === undefined ? [] : [[changed, after]]);
  const loaded = path.ok ? await loadScene(project, path.value, undefined, known) : path;
  if (!loaded.ok) return [];
  const { world } = loaded.value;
  const tree = await inSlices(resolvingTree(loaded.value.scene, world));
  if (tree === undefined) return [];
  const nodes = [...walk(tree)];
  // The paths of the changed scene inside this one: its root, or each instance.
  const places =
    scene === changed ? ["."] : nodes.filter((node) => node.instance === changed).map((node) => node.path);
  const uses: UsedNode[] = [];
  for (const place of places) {
    const here: Moves = moves.map(([from, to]) => [
      inside(place, from),
      to === null ? null : inside(place, to),
    ]);
    for (const node of nodes.filter((each) => each.script !== undefined))
      for (const script of scriptLineage(node.script, world)) {
        const text = await project.textOf(script.path);
        uses.push(...usesInScript(script.path, text ?? "", node, nodes, here));
      }
  }
  return uses;
}

function usesInScript(
  path: string,
  text: string,
  holder: SceneNode,
  nodes: readonly SceneNode[],
  moves: Moves,
): UsedNode[] {
  const uses = new Map<number, UsedNode>();
  const lines = text.split("\n");
  // From the end, to keep earlier offsets in the same line valid.
  for (const reference of nodeReferences(text).reverse()) {
    const now = pathNow(reference.path, holder, nodes, moves);
    if (now === undefined) continue;
    const { line, start, length } = reference;
    const find = lines[line - 1] ?? "";
    const before = uses.get(line)?.replace ?? find;
    const replace =
      now === null
        ? undefined
        : before.slice(0, start) + reference.written(now) + before.slice(start + length);
    uses.set(line, { path, line, find, ...(replace !== undefined && { replace }) });
  }
  return [...uses.values()];
}

/** Returns the new text of a reference: null if its node is gone, undefined if nothing changed for it. */
function pathNow(
  path: string,
  holder: SceneNode,
  nodes: readonly SceneNode[],
  moves: Moves,
): string | null | undefined {
  const [first = "", ...rest] = path.split("/");
  if (first.startsWith("%")) return uniqueNow(first.slice(1), rest, nodes, moves);
  if (path.startsWith("/") || path.includes(":")) return undefined;
  const start = moved(
    holder.path,
    moves.map(([from, to]) => [to ?? "", from]),
  );
  const target = join(start === "." ? "" : start, path);
  if (target.startsWith("..")) return undefined;
  for (const [from, to] of moves) {
    if (!isWithin(target, from)) continue;
    if (to === null) return null;
    const now = pathBetween(holder.path, to + target.slice(from.length));
    return now === path ? undefined : now;
  }
  return undefined;
}

/** Updates `%Bar/Fill` after `Bar` or `Bar/Fill` was renamed. */
function uniqueNow(
  name: string,
  rest: readonly string[],
  nodes: readonly SceneNode[],
  moves: Moves,
): string | null | undefined {
  for (const [from, to] of moves) {
    const now = nodes.find((node) => node.path === to);
    const old = from.split("/").at(-1) ?? "";
    if (now !== undefined && isUnique(now) && old === name && now.name !== name)
      return [`%${now.name}`, ...rest].join("/");
    const owner = nodes.find((node) => node.name === name && isUnique(node));
    if (owner === undefined || rest.length === 0 || !isWithin(inside(owner.path, rest.join("/")), from))
      continue;
    if (to === null) return null;
    const below = to + inside(owner.path, rest.join("/")).slice(from.length);
    if (isWithin(below, owner.path)) return `%${name}${below.slice(owner.path.length)}`;
  }
  return undefined;
}

function moved(path: string, moves: readonly (readonly [from: string, to: string])[]): string {
  for (const [from, to] of moves)
    if (from !== "" && isWithin(path, from)) return to + path.slice(from.length);
  return path;
}

function inside(place: string, path: string): string {
  if (path === ".") return place;
  return place === "." ? path : `${place}/${path}`;
}
