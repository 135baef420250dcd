import { posix } from "node:path";
import { errors } from "../errors.ts";
import { finish, STEP, type Steps } from "../formats/document.ts";
import { assignmentsOf, type Block, rawField, type SceneText, textField } from "../formats/scene-text.ts";
import { parseVariant } from "../formats/variant.ts";
import { referencedPath, type SceneWorld } from "./scene-world.ts";

/** A node of the opened scene: the file's lines on top of its base and instances. */
export interface SceneNode {
  readonly name: string;
  /** From the root: `.`, `Player/Sprite`. */
  readonly path: string;
  readonly parent: SceneNode | undefined;
  readonly children: SceneNode[];
  /** The engine class, or for an imported scene one of its base classes; undefined if the files do not show it. */
  readonly type: string | undefined;
  readonly script: string | undefined;
  /** The scene that the node instances, or the base scene for a root. */
  readonly instance: string | undefined;
  /** Comes from the base scene or an instance. */
  readonly inherited: boolean;
  readonly block: Block | undefined;
  readonly groups: readonly string[];
  /** The groups from the base scene or the instance, without this file's lines. */
  readonly inheritedGroups: readonly string[];
  readonly properties: ReadonlyMap<string, HeldValue>;
  /** The values from the base scene or the instance, without this file's lines. */
  readonly inheritedProperties: ReadonlyMap<string, HeldValue>;
  /** Its children are unknown, because its scene cannot be read as text. */
  readonly opaque: boolean;
  /** The root of the scene that created it; undefined for the root itself. */
  readonly owner: SceneNode | undefined;
  /** An instance whose children may be changed here. */
  readonly editable: boolean;
  /** The base scene or the instance already sets this. */
  readonly inheritedEditable: boolean;
}

/** A value's text, and the file whose resources it refers to. */
export interface HeldValue {
  readonly text: string;
  readonly file: SceneText;
}

export function resolveTree(scene: SceneText, world: SceneWorld): SceneNode | undefined {
  return finish(resolvingTree(scene, world));
}

/** `resolveTree` in steps. */
export function resolvingTree(scene: SceneText, world: SceneWorld): Steps<SceneNode | undefined> {
  return resolve(scene, world, []);
}

export function* walk(node: SceneNode): Generator<SceneNode> {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** The nodes visible in the editor: not those inside closed instances. */
export function* visible(node: SceneNode): Generator<SceneNode> {
  yield node;
  for (const child of node.children) if (isVisible(child)) yield* visible(child);
}

export function isVisible(node: SceneNode): boolean {
  const { owner } = node;
  if (owner === undefined || owner.parent === undefined) return true;
  return owner.editable && isVisible(owner);
}

export function nodeAt(root: SceneNode, path: string): SceneNode | undefined {
  if (path === ".") return root;
  let at: SceneNode | undefined = root;
  for (const name of path.split("/")) at = at?.children.find((child) => child.name === name);
  return at;
}

export function isUnique(node: SceneNode): boolean {
  return node.properties.get("unique_name_in_owner")?.text === "true";
}

export function blockPath(block: Block): string {
  const parent = textField(block, "parent");
  const name = textField(block, "name") ?? "";
  if (parent === undefined) return ".";
  return parent === "." ? name : `${parent}/${name}`;
}

export function groupsIn(block: Block): string[] {
  const raw = rawField(block, "groups");
  const parsed = raw === undefined ? undefined : parseVariant(raw);
  if (parsed === undefined || !parsed.ok || parsed.value.kind !== "array") return [];
  return parsed.value.items.flatMap((item) =>
    item.kind === "string" || item.kind === "name" ? [item.value] : [],
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function* resolve(
  scene: SceneText,
  world: SceneWorld,
  within: readonly SceneText[],
): Steps<SceneNode | undefined> {
  if (within.includes(scene)) return undefined;
  const deeper = [...within, scene];
  // Found by path, since searching the children of a parent repeatedly is slow in large scenes.
  const byPath = new Map<string, SceneNode>();
  const note = (node: SceneNode) => {
    if (node.children.length === 0) byPath.set(node.path, node);
    else for (const each of walk(node)) byPath.set(each.path, each);
  };
  for (const [index, block] of scene.tagged("node").entries()) {
    if (index % STEP === 0) yield;
    const parentPath = textField(block, "parent");
    if (parentPath === undefined) {
      if (!byPath.has(".")) note(made(block, undefined, scene, world, deeper));
      continue;
    }
    const parent = byPath.get(parentPath);
    if (parent === undefined) continue;
    const known = byPath.get(blockPath(block));
    if (known !== undefined && isOverride(block)) overlay(known, block, scene);
    else {
      const node = made(block, parent, scene, world, deeper);
      place(node, parent, block);
      note(node);
    }
  }
  for (const block of scene.tagged("editable")) {
    const node = byPath.get(textField(block, "path") ?? "");
    if (node !== undefined) (node as Mutable<SceneNode>).editable = true;
  }
  return byPath.get(".");
}

/** Whether the lines change a node of another scene instead of creating one. */
export function isOverride(block: Block): boolean {
  return rawField(block, "type") === undefined && rawField(block, "instance") === undefined;
}

/** Adds the node of new lines to a previously resolved tree. */
export function attach(block: Block, parent: SceneNode, scene: SceneText, world: SceneWorld): SceneNode {
  const node = made(block, parent, scene, world, [scene]);
  place(node, parent, block);
  return node;
}

const NO_PROPERTIES: SceneNode["properties"] = new Map();

function made(
  block: Block,
  parent: SceneNode | undefined,
  scene: SceneText,
  world: SceneWorld,
  within: readonly SceneText[],
): SceneNode {
  const instance = referencedPath(scene, rawField(block, "instance"));
  const source = instance === undefined ? undefined : world.scene(instance);
  const base = source && finish(resolve(source, world, within));
  const node: Mutable<SceneNode> = {
    name: textField(block, "name") ?? base?.name ?? "",
    path: blockPath(block),
    parent,
    children: [],
    type: textField(block, "type") ?? base?.type ?? (instance && world.resource(instance)?.rootType),
    script: base?.script,
    instance,
    inherited: false,
    block,
    groups: base?.groups ?? [],
    inheritedGroups: base?.groups ?? [],
    properties: base?.properties ?? NO_PROPERTIES,
    inheritedProperties: base?.properties ?? NO_PROPERTIES,
    opaque: rawField(block, "instance") !== undefined && base === undefined,
    owner: parent && rootOf(parent),
    editable: false,
    inheritedEditable: false,
  };
  overlay(node, block, scene);
  if (base !== undefined) {
    const copies = new Map<SceneNode, SceneNode>([[base, node]]);
    for (const child of base.children) node.children.push(grafted(child, node, copies));
  }
  return node;
}

/** Copies a node of another scene into this one. */
function grafted(source: SceneNode, parent: SceneNode, copies: Map<SceneNode, SceneNode>): SceneNode {
  const node: SceneNode = {
    ...source,
    path: parent.path === "." ? source.name : `${parent.path}/${source.name}`,
    parent,
    children: [],
    inherited: true,
    inheritedGroups: source.groups,
    inheritedProperties: source.properties,
    inheritedEditable: source.editable,
    block: undefined,
    owner: source.owner && copies.get(source.owner),
  };
  copies.set(source, node);
  for (const child of source.children) node.children.push(grafted(child, node, copies));
  return node;
}

function rootOf(node: SceneNode): SceneNode {
  return node.parent === undefined ? node : rootOf(node.parent);
}

/** Applies a node's lines in this file. */
export function overlay(target: SceneNode, block: Block, scene: SceneText): void {
  const node = target as Mutable<SceneNode>;
  const own = assignmentsOf(block);
  if (own.length > 0) {
    const properties = new Map(node.properties);
    for (const { name, value } of own) properties.set(name, { text: value, file: scene });
    node.properties = properties;
    const script = own.find(({ name }) => name === "script");
    if (script !== undefined) node.script = referencedPath(scene, script.value);
  }
  node.block = block;
  const groups = groupsIn(block);
  if (groups.length > 0) node.groups = [...new Set([...node.groups, ...groups])];
}

/** Applies the index of a node under an inherited parent. */
function place(node: SceneNode, parent: SceneNode, block: Block): void {
  const index = Number(textField(block, "index") ?? Number.NaN);
  if (index >= 0 && index < parent.children.length) parent.children.splice(index, 0, node);
  else parent.children.push(node);
}

/** True if `path` is `above` or a node below it. */
export function isWithin(path: string, above: string): boolean {
  return above === "." || path === above || path.startsWith(`${above}/`);
}

export function joined(parent: string, name: string): string {
  return parent === "." ? name : `${parent}/${name}`;
}

export function parentOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut === -1 ? "." : path.slice(0, cut);
}

/** The relative path between two nodes, both given from the root: `../B` from `A` to `B`. */
export function pathBetween(from: string, to: string): string {
  const start = from === "." ? [] : from.split("/");
  const end = to === "." ? [] : to.split("/");
  let shared = 0;
  while (shared < start.length && start[shared] === end[shared]) shared++;
  const way = [...start.slice(shared).map(() => ".."), ...end.slice(shared)];
  return way.length === 0 ? "." : way.join("/");
}

/** Resolves a path that starts at a node. Both are given from the scene's root, which is `.`. */
export function follow(node: string, path: string): string {
  return posix.join(node, path).replace(/\/$/, "");
}

/**
 * The parts of `position:x`, `shape:size` or `tile_set:sources/0:1:2/0/probability`. The name of a tile's property
 * begins with its position in the atlas, as in `1:2/0/probability`, and is one part.
 */
export function propertyPath(name: string): string[] {
  return name.split(/(?<!(?:^|:)\d+):|:(?!\d+\/)/);
}

/** `name`, or the first unused of `name2`, `name3`… among the children of `parent` other than `except`. */
export function freeName(parent: SceneNode, name: string, except?: SceneNode): string {
  const isTaken = parent.children.some((child) => child !== except && child.name === name);
  if (!isTaken) return name;
  const [, stem = "", digits = ""] = /^(.*?)(\d*)$/s.exec(name) ?? [];
  const base = stem === "" ? `${name}_` : stem;
  const taken = numbersAfter(base, parent, except);
  let number = Math.max(stem === "" ? 1 : Number(digits), 1);
  while (taken.has(number + 1)) number++;
  return `${base}${number + 1}`;
}

/** The number in `name2`, of all children but `except` with that base name. */
function numbersAfter(base: string, { children }: SceneNode, except: SceneNode | undefined): Set<number> {
  const numbers = new Set<number>();
  for (const child of children) {
    if (child === except || !child.name.startsWith(base)) continue;
    const digits = child.name.slice(base.length);
    if (/^[1-9]\d*$/.test(digits)) numbers.add(Number(digits));
  }
  return numbers;
}

/** Why a text cannot be the name of a node; undefined if it can. */
export function checkName(name: string) {
  if (name === "") return errors.fail("E_SCHEMA_VALIDATION", "A node needs a name.");
  const valid = name.replace(/[.:@/"%]/g, "");
  if (valid === name && !/\p{Cc}/u.test(name)) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `"${name.slice(0, 80)}" cannot be a node's name.`, {
    details: { valid },
    suggestedFix: 'Leave out . : @ / " and %.',
  });
}
