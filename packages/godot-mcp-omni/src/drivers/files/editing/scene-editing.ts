import type { Failure } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import { type Outcome, ok } from "@toolpact/outcome";
import { errors, type GodotCode, unknownName } from "../../../errors.ts";
import { finish, STEP, type Steps } from "../../../formats/document.ts";
import {
  assignmentsOf,
  type Block,
  rawField,
  type SceneText,
  setField,
  textField,
} from "../../../formats/scene-text.ts";
import { quote } from "../../../formats/variant.ts";
import type { SceneChange } from "../../../operations/results.ts";
import {
  attach,
  blockPath,
  groupsIn,
  isOverride,
  isUnique,
  isVisible,
  isWithin,
  nodeAt,
  parentOf,
  pathBetween,
  resolveTree,
  resolvingTree,
  type SceneNode,
  visible,
  walk,
} from "../../../scene-model/scene-tree.ts";
import type { SceneWorld } from "../../../scene-model/scene-world.ts";
import { SceneResources } from "./scene-resources.ts";
import type { PropertyContext, PropertyHolder } from "./set-properties.ts";

export type EditFailure = Failure<GodotCode>;
export type Edited<T> = Outcome<T, EditFailure>;

/** A scene whose text is edited step by step. */
export class SceneEditing {
  readonly res: string;
  readonly scene: SceneText;
  readonly world: SceneWorld;
  readonly resources: SceneResources;
  readonly warnings: string[] = [];
  private readonly random: () => number;
  /** Nodes made earlier in the batch. */
  private readonly labels = new Map<string, Block>();
  private resolved: SceneNode | undefined;
  private ids: Set<string> | undefined;

  constructor(res: string, scene: SceneText, world: SceneWorld, random: () => number) {
    this.res = res;
    this.scene = scene;
    this.world = world;
    this.random = random;
    this.resources = new SceneResources(scene, world, random);
  }

  /** The tree of the current text. A text without a root was refused before. */
  get root(): SceneNode {
    this.resolved ??= resolveTree(this.scene, this.world);
    if (this.resolved === undefined) throw new Error(`${this.res} lost its root.`);
    return this.resolved;
  }

  /** Reads the tree, if lines have changed, in steps. False if the scene has no root. */
  *resolving(): Steps<boolean> {
    this.resolved ??= yield* resolvingTree(this.scene, this.world);
    return this.resolved !== undefined;
  }

  /** The node of new lines at the end of their parent's, without rereading the whole tree. */
  added(block: Block, parent: SceneNode): SceneNode {
    return attach(block, parent, this.scene, this.world);
  }

  /** Call this when lines changed: the tree is read again. */
  changed(): void {
    this.resolved = undefined;
  }

  /** The node that `.`, `Player/Sprite`, `%Unique`, `$label` or `$label/Child` names. */
  find(reference: string): Edited<SceneNode> {
    const { root } = this;
    if (reference === "")
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        'A node is named by its path from the scene\'s root, such as "." or "Player/Sprite".',
      );
    if (reference === "." || reference === "/root") return ok(root);
    if (reference.startsWith("$")) return this.findLabel(reference.slice(1));
    // Scripts of the running game use `/root/Main/Player`; a scene has no other nodes below `/root`.
    const [, , first, ...below] = reference.startsWith("/root/") ? reference.split("/") : [];
    if (first === root.name) return below.length === 0 ? ok(root) : this.find(below.join("/"));
    if (reference.startsWith("/") || reference.split("/").includes("..") || reference.includes(":"))
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `"${reference.slice(0, 200)}" leads out of the scene: a path starts at its root.`,
      );
    const path = reference.replace(/^(?:\.\/)+|\/+$/g, "");
    const found = this.lookUp(root, path);
    if (found !== undefined) return ok(found);
    if (path === root.name || path === "root") return ok(root);
    if (path.startsWith(`${root.name}/`)) {
      const below = this.lookUp(root, path.slice(root.name.length + 1));
      if (below !== undefined) return ok(below);
    }
    return this.missing(path);
  }

  /** A node whose changed properties the file keeps. */
  changeable(reference: string): Edited<SceneNode> {
    const node = this.find(reference);
    if (!node.ok || isVisible(node.value)) return node;
    return errors.fail(
      "E_UNSUPPORTED",
      `"${node.value.path}" is inside an instance, so a change here would be lost.`,
      {
        details: { instance: node.value.owner?.instance ?? null },
        suggestedFix: "Edit that scene, or make the instance's children editable first.",
      },
    );
  }

  /** A node of this scene itself, which can be removed, renamed and moved. */
  own(reference: string, doing: string): Edited<SceneNode & { readonly block: Block }> {
    const found = this.find(reference);
    if (!found.ok) return found;
    const node = found.value;
    if (node.parent === undefined)
      return errors.fail("E_UNSUPPORTED", `The root of a scene cannot be ${doing}.`);
    if (!node.inherited && node.block !== undefined) return ok({ ...node, block: node.block });
    const origin = node.owner?.instance ?? this.root.instance ?? null;
    return errors.fail("E_UNSUPPORTED", `"${node.path}" comes from ${origin} and cannot be ${doing} here.`, {
      details: { origin },
      suggestedFix: "Do it in that scene.",
    });
  }

  /** The node's lines in this file; created if there are none, as for one of an instance. */
  linesOf(node: SceneNode): Block {
    if (node.block !== undefined) return node.block;
    const parent = node.parent?.path ?? ".";
    const index = node.parent?.children.indexOf(node) ?? 0;
    const block = this.scene.insert(
      this.linesBefore(node),
      `node name=${quote(node.name)} parent=${quote(parent)} index="${index}"`,
    );
    this.changed();
    return block;
  }

  /** Removes the lines of another scene's node once they override nothing, as Godot does. */
  dropEmpty(block: Block): void {
    const isEmpty = assignmentsOf(block).length === 0 && groupsIn(block).length === 0;
    if (!isEmpty || !isOverride(block) || textField(block, "parent") === undefined) return;
    this.scene.remove(block);
    this.changed();
  }

  /** The lines of the nearest node above it in the tree that has lines. */
  private linesBefore(node: SceneNode): Block | undefined {
    let last: Block | undefined;
    for (const each of walk(this.root)) {
      if (each.path === node.path) break;
      last = each.block ?? last;
    }
    return last;
  }

  /** The last lines of a node and its descendants; for a node without lines, those of the node above it. */
  lastLines(path: string): Block | undefined {
    const below = this.scene.tagged("node").findLast((block) => isWithin(blockPath(block), path));
    return below ?? (path === "." ? this.scene.blocks.at(-1) : this.lastLines(parentOf(path)));
  }

  /** The lines of a node and its descendants, in steps. */
  *linesWithin(path: string): Steps<Block[]> {
    const lines: Block[] = [];
    for (const [index, block] of this.scene.tagged("node").entries()) {
      if (index % STEP === 0) yield;
      if (isWithin(blockPath(block), path)) lines.push(block);
    }
    return lines;
  }

  /** The node that these lines define. */
  nodeOf(block: Block): SceneNode | undefined {
    for (const node of walk(this.root)) if (node.block === block) return node;
    return undefined;
  }

  label(name: string | undefined, block: Block): void {
    if (name !== undefined) this.labels.set(name, block);
  }

  /** Reads the numbers already in use for `uniqueId`, in steps. */
  *readingIds(): Steps<Set<string>> {
    if (this.ids !== undefined) return this.ids;
    const ids = new Set<string>();
    for (const [index, block] of this.scene.tagged("node").entries()) {
      if (index % STEP === 0) yield;
      const id = rawField(block, "unique_id");
      if (id !== undefined) ids.add(id);
    }
    this.ids = ids;
    return ids;
  }

  /** A new `unique_id`, if this scene uses them. */
  uniqueId(): string {
    this.ids ??= finish(this.readingIds());
    if (this.ids.size === 0) return "";
    for (;;) {
      const made = String(1 + Math.floor(this.random() * 0x7ffffffe));
      if (this.ids.has(made)) continue;
      this.ids.add(made);
      return ` unique_id=${made}`;
    }
  }

  holderOf(node: SceneNode, block: Block): PropertyHolder {
    return {
      block,
      type: node.type,
      script: node.script,
      unknownScript:
        node.opaque ||
        (node.script === undefined && (node.properties.get("script")?.text ?? "null") !== "null"),
      // The instanced scene may be placed anywhere.
      unknownTransform: node.opaque && !node.properties.has("transform"),
      inherited: node.inheritedProperties,
      holdsNode: (property) => markNodeProperty(block, property),
    };
  }

  contextFor(node: SceneNode): PropertyContext {
    return {
      scene: this.scene,
      world: this.world,
      resources: this.resources,
      node,
      warn: (warning) => void this.warnings.push(warning),
      pathToNode: (path, classes) => {
        const target = this.find(path);
        if (!target.ok) return errors.fail("E_NOT_FOUND", target.failure.message);
        const type = target.value.type;
        if (
          type !== undefined &&
          !this.world.classes.inherits(type, classes) &&
          this.world.classes.has(classes)
        )
          return errors.fail("E_SCHEMA_VALIDATION", `"${target.value.path}" is a ${type}, not a ${classes}.`);
        return ok(pathBetween(node.path, target.value.path));
      },
    };
  }

  /** The path of the scene root, then all paths below it. */
  paths(): string[] {
    return Array.from(visible(this.root), (node) => node.path);
  }

  private lookUp(from: SceneNode, path: string): SceneNode | undefined {
    const [first = "", ...rest] = path.split("/");
    if (!first.startsWith("%")) return nodeAt(from, path);
    for (const node of walk(this.root))
      if (node.name === first.slice(1) && isUnique(node) && isVisible(node))
        return rest.length === 0 ? node : nodeAt(node, rest.join("/"));
    return undefined;
  }

  /** The unreadable instance that this path would lie in. */
  private closedAbove(path: string): SceneNode | undefined {
    for (const node of walk(this.root)) if (node.opaque && path.startsWith(`${node.path}/`)) return node;
    return undefined;
  }

  private findLabel(text: string): Edited<SceneNode> {
    const [label = "", ...rest] = text.split("/");
    const block = this.labels.get(label);
    if (block === undefined)
      return unknownName("E_NOT_FOUND", `There is no label "$${label.slice(0, 80)}".`, label, [
        ...this.labels.keys(),
      ]);
    const node = nodeAt(this.root, [blockPath(block), ...rest].join("/"));
    return node === undefined ? this.missing(`$${text}`) : ok(node);
  }

  private missing(path: string): Edited<never> {
    const closed = this.closedAbove(path);
    if (closed !== undefined)
      return errors.fail("E_UNSUPPORTED", `What is inside "${closed.path}" cannot be read without Godot.`, {
        details: { instance: closed.instance ?? null },
        suggestedFix: "Set GODOT_PATH to let the engine do it.",
      });
    const name = path.slice(0, 200);
    // Comparing takes long; part of a large scene is enough for a guess.
    const paths = this.paths().slice(0, MAX_COMPARED);
    const guess =
      nearest(path, paths) ?? paths.find((known) => known.split("/").at(-1) === path.split("/").at(-1));
    return errors.fail("E_NOT_FOUND", `There is no node "${name}" in ${this.res}.`, {
      details: { name, nearest: guess === undefined ? [] : [guess] },
      ...(guess !== undefined && { suggestedFix: `Did you mean ${guess}?` }),
    });
  }
}

/** How many paths of a scene are compared with a missing one. */
const MAX_COMPARED = 5_000;

/** An empty file, or one that lost its first node. */
export function noRoot(res: string) {
  return errors.fail("E_UNSUPPORTED", `${res} has no root node.`, {
    suggestedFix: "Create the scene again, or restore it.",
  });
}

function markNodeProperty(block: Block, property: string): void {
  const listed = rawField(block, "node_paths");
  const names = [...(listed ?? "").matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? "");
  if (names.includes(property)) return;
  setField(
    block,
    "node_paths",
    `PackedStringArray(${[...names, property].map((name) => quote(name)).join(", ")})`,
  );
}

/** A change whose node a later edit of the same batch may still rename or move. */
export type PendingChange = Omit<SceneChange, "node"> &
  (
    | { readonly block: Block; readonly node?: undefined }
    | { readonly node: string; readonly block?: undefined }
  );
