import { STEP, type Steps } from "../../../formats/document.ts";
import { type Block, textField, valueIn } from "../../../formats/scene-text.ts";
import { parseVariant, quote } from "../../../formats/variant.ts";
import { isWithin, pathBetween, type SceneNode, walk } from "../../../scene-model/scene-tree.ts";
import type { SceneEditing } from "../editing/scene-editing.ts";

/**
 * Updates paths before a node moves: those in node properties and in animation tracks. Call it while the tree is
 * still the old one.
 */
export function* keepPaths(editing: SceneEditing, from: string, to: string): Steps<void> {
  const after = (path: string) => (isWithin(path, from) ? `${to}${path.slice(from.length)}` : path);
  let count = 0;
  for (const node of walk(editing.root)) {
    if (count++ % STEP === 0) yield;
    // Tracks are found through the player's path, so they are updated before it.
    if (node.type !== undefined && editing.world.classes.inherits(node.type, "AnimationMixer"))
      rewriteTracks(editing, node, after);
    if (node.block !== undefined) rewrite(editing, node.block, node.path, after);
  }
}

/** Paths in the values of a block start at `base`, which may move too. */
function rewrite(
  editing: SceneEditing,
  block: Block,
  base: string,
  after: (path: string) => string,
  only: RegExp = /(?:)/,
): void {
  for (const part of [...block.body]) {
    if (part.kind !== "assignment" || !only.test(part.name) || !part.value.includes("NodePath(")) continue;
    const value = part.value.replace(/NodePath\("((?:[^"\\]|\\.)*)"\)/g, (whole, raw: string) => {
      const [names = "", ...subnames] = raw.split(":");
      const target = names === "" ? undefined : resolved(base, names);
      if (target === undefined) return whole;
      const moved = pathBetween(after(base), after(target));
      if (moved === names || (after(target) === target && after(base) === base)) return whole;
      return `NodePath(${quote([moved, ...subnames].join(":"))})`;
    });
    if (value !== part.value) editing.scene.set(block, part.name, value);
  }
}

/** Tracks start at the player's root node. */
function rewriteTracks(editing: SceneEditing, player: SceneNode, after: (path: string) => string): void {
  const { block } = player;
  if (block === undefined) return;
  const written = valueIn(block, "root_node");
  const parsed = written === undefined ? undefined : parseVariant(written);
  const [path] = parsed?.ok && parsed.value.kind === "call" ? parsed.value.args : [];
  const base = resolved(player.path, path?.kind === "string" ? path.value : "..");
  if (base === undefined) return;
  // The default is the parent, so a path to a node that stays behind must be written.
  if (written === undefined && after(base) !== resolved(after(player.path), ".."))
    editing.scene.set(block, "root_node", `NodePath(${quote(pathBetween(after(player.path), after(base)))})`);
  for (const animation of animationsOf(editing, block))
    rewrite(editing, animation, base, after, /^tracks\/\d+\/path$/);
}

function animationsOf(editing: SceneEditing, player: Block): Block[] {
  const byId = new Map(
    editing.scene.tagged("sub_resource").map((block) => [textField(block, "id") ?? "", block]),
  );
  const found = new Set<Block>();
  const follow = (text: string) => {
    for (const [, id = ""] of text.matchAll(/SubResource\("([^"]*)"\)/g)) {
      const block = byId.get(id);
      if (block === undefined || found.has(block)) continue;
      if (textField(block, "type") === "Animation") found.add(block);
      else if (textField(block, "type") === "AnimationLibrary")
        for (const part of block.body) follow(part.text);
    }
  };
  for (const part of player.body) follow(part.text);
  return [...found];
}

/** Makes a relative path absolute; undefined if it leads out of the scene or is not relative. */
function resolved(base: string, relative: string): string | undefined {
  if (relative.startsWith("/") || relative.startsWith("%")) return undefined;
  const parts = base === "." ? [] : base.split("/");
  for (const name of relative.split("/")) {
    if (name === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (name !== "." && name !== "") parts.push(name);
  }
  return parts.length === 0 ? "." : parts.join("/");
}
