import { join } from "node:path/posix";
import { nodeReferences } from "../formats/node-references.ts";
import { assignmentsOf, type Block, type SceneText, textField } from "../formats/scene-text.ts";
import type { Project } from "../project/project.ts";
import { isUnique, nodeAt, type SceneNode, walk } from "./scene-tree.ts";
import { type SceneWorld, scriptLineage } from "./scene-world.ts";

/** A name in a scene or in one of its scripts that refers to nothing. */
export interface DeadReference {
  /** The lines of the scene that contain it. */
  readonly block?: Block;
  /** The line of a script that contains it. */
  readonly script?: { readonly path: string; readonly line: number };
  readonly message: string;
}

/**
 * Connections, exported node paths, `$Path` and `%Name` that refer to nothing, as far as the files prove it. Nodes that
 * a script may add at run time, or another scene above the root, are left out.
 */
export async function deadReferences(
  project: Project,
  scene: SceneText,
  tree: SceneNode,
  world: SceneWorld,
): Promise<DeadReference[]> {
  const nodes = [...walk(tree)];
  const own = nodes.filter((node) => node.block !== undefined);
  const found = [
    ...scene.tagged("connection").flatMap((block) => deadEnds(block, tree, world)),
    ...own.flatMap((node) => deadPaths(node, tree)),
  ];
  const texts = new Map<string, string>();
  for (const holder of own) {
    // A script of an instance is checked in its own scene.
    if (holder.instance !== undefined && holder.path !== ".") continue;
    for (const { path } of scriptLineage(holder.script, world)) {
      if (!path.endsWith(".gd")) continue;
      const text = texts.get(path) ?? (await project.textOf(path)) ?? "";
      texts.set(path, text);
      found.push(...deadUses(path, text, holder, nodes, tree));
    }
  }
  return found;
}

/** A signal that its node does not have, or a method that its target does not have. */
function deadEnds(block: Block, tree: SceneNode, world: SceneWorld): DeadReference[] {
  const [from, to] = (["from", "to"] as const).map((end) => nodeAt(tree, textField(block, end) ?? ""));
  const signal = textField(block, "signal") ?? "";
  const method = textField(block, "method") ?? "";
  const found: DeadReference[] = [];
  if (from?.type !== undefined && world.classes.has(from.type) && isReadable(from, world)) {
    const signals = scriptLineage(from.script, world).flatMap((script) => script.signals);
    if (![...signals, ...world.classes.signals(from.type)].includes(signal))
      found.push({
        block,
        message: `A connection uses the signal ${signal}, which ${named(from)} does not have.`,
      });
  }
  // Engine methods do not begin so, except for virtual ones, which a script must define to be called.
  if (to !== undefined && /^(?:_|on_)/.test(method) && isReadable(to, world)) {
    const methods = scriptLineage(to.script, world).flatMap((script) => script.methods);
    if (!methods.includes(method))
      found.push({ block, message: `A connection calls ${method}, which ${named(to)} does not have.` });
  }
  return found;
}

/** Whether the files show everything that a node has. */
function isReadable({ script, opaque, instance }: SceneNode, world: SceneWorld): boolean {
  if (opaque) return false;
  if (script === undefined) return instance === undefined || instance.endsWith(".tscn");
  const lineage = scriptLineage(script, world);
  const base = lineage.at(-1)?.extends;
  return lineage.every(({ path }) => path.endsWith(".gd")) && base !== undefined && world.classes.has(base);
}

/** Values of a node in this scene that name another one. */
function deadPaths(node: SceneNode, tree: SceneNode): DeadReference[] {
  const { block } = node;
  if (block === undefined) return [];
  return assignmentsOf(block).flatMap(({ name, value }): DeadReference[] => {
    // Paths of an animation or an animation tree start elsewhere.
    const path = /^NodePath\("([^"\\]+)"\)$/.exec(value)?.[1]?.replace(/:.*$/, "");
    if (path === undefined || isThere(path, node, tree) || name === "root_node" || name.includes("/"))
      return [];
    return [{ block, message: `${name} of ${named(node)} is ${path}, and no node is there.` }];
  });
}

function deadUses(
  path: string,
  text: string,
  holder: SceneNode,
  nodes: readonly SceneNode[],
  tree: SceneNode,
): DeadReference[] {
  // Paths inside an inner class start at other nodes.
  const inner = text.search(/^class\s/m);
  const code = inner === -1 ? text : text.slice(0, inner);
  return nodeReferences(code).flatMap((reference): DeadReference[] => {
    const [first = "", ...rest] = reference.path.replace(/:.*$/, "").split("/");
    const isNamed = first.startsWith("%");
    const start = isNamed
      ? nodes.find(
          (node) => node.name === first.slice(1) && isUnique(node) && isOwnedAlike(node, holder, tree),
        )
      : holder;
    const isDead = isNamed
      ? start === undefined
        ? !isOpaqueBelow(tree)
        : rest.length > 0 && !isThere(rest.join("/"), start, tree)
      : !isThere(reference.path.replace(/:.*$/, ""), holder, tree);
    const last = [first, ...rest].at(-1)?.replace(/^%/, "") ?? "";
    if (!isDead || reference.mayMiss || madeAtRunTime(text, last)) return [];
    const script = { path, line: reference.line };
    const shown = isNamed ? reference.path : `$${reference.path}`;
    return [{ script, message: `${shown} leads to no node from ${named(holder)}.` }];
  });
}

/** Whether a path leads to a node, or to a place that the files do not show. */
function isThere(path: string, from: SceneNode, tree: SceneNode): boolean {
  if (path.startsWith("/") || path.includes("%")) return true;
  const target = join(from.path === "." ? "" : from.path, path);
  if (target.startsWith("..") || target === "." || target === "./") return true;
  if (nodeAt(tree, target.replace(/\/$/, "")) !== undefined) return true;
  for (let at = target; at.includes("/"); ) {
    at = at.slice(0, at.lastIndexOf("/"));
    if (nodeAt(tree, at)?.opaque) return true;
  }
  return tree.opaque;
}

function isOpaqueBelow(tree: SceneNode): boolean {
  return [...walk(tree)].some(({ opaque }) => opaque);
}

/** A unique name is visible in its own scene only, not in scenes that instance it. */
function isOwnedAlike(node: SceneNode, holder: SceneNode, tree: SceneNode): boolean {
  return (node.owner ?? tree) === (holder.owner ?? tree) || node.owner === holder;
}

function madeAtRunTime(text: string, name: string): boolean {
  return ["name = ", "name=", "set_name("].some((start) =>
    ['"', "'", '&"'].some((quote) => text.includes(`${start}${quote}${name}`)),
  );
}

function named({ path }: SceneNode): string {
  return path === "." ? "the root" : path;
}
