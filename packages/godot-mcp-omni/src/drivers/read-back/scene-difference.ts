import { existsSync, readFileSync } from "node:fs";
import { ok } from "@toolpact/outcome";
import { inSlices, STEP, type Steps } from "../../formats/document.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import type { FileContent } from "../../operations/driver.ts";
import type { NodeDifference } from "../../operations/results.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { NodeModel, SceneModel } from "../../scene-model/scene-model.ts";
import { isWithin } from "../../scene-model/scene-tree.ts";

export interface SceneDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Nodes of instances that lost their overrides in this file. */
  readonly reset: readonly string[];
  readonly changed: readonly NodeDifference[];
  readonly connected: readonly string[];
  readonly disconnected: readonly string[];
}

/** Longer values are cut: the difference shows that something changed, `changes` shows how. */
const MAX_VALUE_LENGTH = 160;

export function* comparing(before: SceneModel, after: SceneModel): Steps<SceneDifference> {
  const changed: NodeDifference[] = [];
  const sameResources = before.resources === after.resources;
  let count = 0;
  for (const [node, now] of after.nodes) {
    if (count++ % STEP === 0) yield;
    const was = before.nodes.get(node);
    if (was !== undefined && !(sameResources && (was.block === now.block || was.text === now.text)))
      changed.push(...nodeDifferences(node, was, now));
  }
  yield;
  const gone = missing(before.nodes.keys(), after.nodes);
  const reset = gone.filter((node) => isOverride(before.nodes.get(node)) && isInInstance(node, after));
  for (const node of reset) {
    const was = before.nodes.get(node);
    if (was !== undefined) changed.push(...nodeDifferences(node, was, withoutOverrides(was)));
  }
  for (const row of yield* orderDifferences(before, after)) changed.push(row);
  for (const node of new Set([...before.editable, ...after.editable]))
    if (before.editable.has(node) !== after.editable.has(node))
      changed.push({
        node,
        what: "editable children",
        old: String(before.editable.has(node)),
        new: String(after.editable.has(node)),
      });
  yield;
  const wasReset = new Set(reset);
  return {
    added: missing(after.nodes.keys(), before.nodes),
    removed: gone.filter((node) => !wasReset.has(node)),
    reset,
    changed,
    connected: missing(after.connections, before.connections),
    disconnected: missing(before.connections, after.connections),
  };
}

function withoutOverrides({ block, text, name, type, instance }: NodeModel): NodeModel {
  return { block, text, name, type, instance, groups: [], properties: new Map() };
}

export function isNothing({ added, removed, changed, connected, disconnected }: SceneDifference): boolean {
  return [added, removed, changed, connected, disconnected].every((list) => list.length === 0);
}

/** Shortens a difference for an answer: cuts long values and omits empty lists. `reset` is visible in the changes. */
export function shortened(difference: SceneDifference): Partial<Omit<SceneDifference, "reset">> {
  const short = (value: string | null) =>
    value !== null && value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
  const { reset: _, ...rest } = difference;
  const cut = {
    ...rest,
    changed: difference.changed.map((row) => ({ ...row, old: short(row.old), new: short(row.new) })),
  };
  return Object.fromEntries(Object.entries(cut).filter(([, list]) => list.length > 0));
}

/** The changes that edits allow: parts of the tree, and rewritten paths to nodes. */
export interface Scope {
  /** Whole subtrees, before or after. */
  readonly subtrees: readonly string[];
  /** Nodes whose properties, groups and script may change, but not their type. */
  readonly nodes: readonly string[];
  /** Nodes in `nodes` whose edits only set values: other values may follow only if the engine itself sets them. */
  readonly setOnly: readonly string[];
  /** Parents of edited nodes, whose children may change their order. */
  readonly parents: readonly string[];
  /** Properties that may change at these nodes, by the part before a colon; `script` if scripts come or go. */
  readonly properties: ReadonlySet<string>;
  readonly movesNodes: boolean;
  readonly renamesRoot: boolean;
}

/** Distinguishes a rewritten value from a lost one. */
interface Judge {
  isSame(row: NodeDifference): boolean;
  isUnknown(row: NodeDifference): boolean;
  /** Whether resources of a node moved to another property and are otherwise the same. */
  isRespelled(row: NodeDifference): boolean;
  isByScript(row: NodeDifference, asked: ReadonlySet<string>): boolean;
}

/** Whether anything changed beyond the obvious effects of the edits. */
export function needsJudge(difference: SceneDifference, scope: Scope): boolean {
  return difference.changed.some(
    ({ node, what }) =>
      !inSubtrees(node, scope) && !(scope.nodes.includes(node) && scope.properties.has(what)),
  );
}

/** Lists changes beyond the edits: lost or new nodes, broken references, other values. */
export function surprises(difference: SceneDifference, scope: Scope, judge?: Judge): string[] {
  const inScope = (node: string) => inSubtrees(node, scope);
  const touched = (node: string) =>
    inScope(node) || scope.nodes.includes(node) || scope.parents.includes(node);
  const ends = (connection: string) => /^\S+ (.*) → (.*)\.\S+/.exec(connection)?.slice(1) ?? [];
  return [
    ...difference.removed.filter((node) => !inScope(node)).map((node) => `${node} is gone`),
    ...difference.added.filter((node) => !touched(node)).map((node) => `${node} is new`),
    ...difference.changed
      .filter((row) => !inScope(row.node) && isChange(row, scope, judge))
      .map((row) =>
        row.new === null
          ? `${row.what} of ${row.node} is gone: ${row.old}`
          : `${row.what} of ${row.node} was ${row.old ?? "not set"} and is ${row.new}`,
      ),
    ...[...difference.disconnected, ...difference.connected]
      .filter((connection) => !ends(connection).some(touched))
      .map((connection) => `connection changed: ${connection}`),
  ];
}

/** How many surprises are properties that this Godot does not recognize: it loses them every time. */
export function unknownCount(difference: SceneDifference, scope: Scope, judge: Judge | undefined): number {
  const { changed } = difference;
  if (judge === undefined) return 0;
  return changed.filter(
    (row) => !inSubtrees(row.node, scope) && isChange(row, scope, judge) && judge.isUnknown(row),
  ).length;
}

/** Children that exist before and after, in a different order. */
function* orderDifferences(before: SceneModel, after: SceneModel): Steps<NodeDifference[]> {
  const was = yield* childrenByParent(before, after);
  const now = yield* childrenByParent(after, before);
  return [...was].flatMap(([node, names]) => {
    const old = names.join(", ");
    const next = now.get(node)?.join(", ") ?? "";
    return old === next ? [] : [{ node, what: ORDER, old, new: next }];
  });
}

/** The children that both models have. */
function* childrenByParent(model: SceneModel, other: SceneModel): Steps<Map<string, string[]>> {
  const children = new Map<string, string[]>();
  let count = 0;
  for (const path of model.nodes.keys()) {
    if (count++ % STEP === 0) yield;
    if (path === "." || !other.nodes.has(path)) continue;
    const cut = path.lastIndexOf("/");
    const parent = cut === -1 ? "." : path.slice(0, cut);
    const names = children.get(parent);
    if (names === undefined) children.set(parent, [path.slice(cut + 1)]);
    else names.push(path.slice(cut + 1));
  }
  return children;
}

/** Harmless changes elsewhere: properties that the save wrote out, left out or rewrote. */
export function sideEffects(difference: SceneDifference, scope: Scope, judge?: Judge): string[] {
  return difference.changed
    .filter((row) => judge?.isRespelled(row) !== true)
    .filter(
      ({ node, what }) =>
        !inSubtrees(node, scope) &&
        !scope.nodes.includes(node) &&
        !(scope.parents.includes(node) && what === ORDER),
    )
    .map((row) => `${row.what} of ${row.node}`);
}

function inSubtrees(node: string, { subtrees }: Scope): boolean {
  return subtrees.some((subtree) => isWithin(node, subtree));
}

const ORDER = "order of children";

/** Whether a difference outside the edited subtrees is unexpected. */
function isChange(row: NodeDifference, scope: Scope, judge: Judge | undefined): boolean {
  const { node, what, old, new: now } = row;
  if (what === "name" && scope.renamesRoot) return false;
  if (["name", "type", "instance"].includes(what)) return true;
  if (scope.nodes.includes(node)) {
    if (scope.properties.has(what)) return false;
    if (now === "null") return judge?.isSame(row) !== true;
    if (scope.properties.has("script") || judge === undefined) return false;
    if (judge.isUnknown(row)) return true;
    return scope.setOnly.includes(node) && judge.isByScript(row, scope.properties) && !judge.isSame(row);
  }
  if (what === ORDER) return !scope.parents.includes(node);
  if (what === "groups") return true;
  if (what === "script" && old === null) return true;
  if (
    now !== null &&
    old !== null &&
    scope.movesNodes &&
    (old.includes("NodePath(") || old.includes("Animation"))
  )
    return false;
  return judge?.isSame(row) !== true;
}

function isOverride(node: NodeModel | undefined): boolean {
  return node !== undefined && node.type === undefined && node.instance === undefined;
}

function isInInstance(node: string, { nodes }: SceneModel): boolean {
  for (let path = node; path !== "."; ) {
    const cut = path.lastIndexOf("/");
    path = cut === -1 ? "." : path.slice(0, cut);
    if (nodes.get(path)?.instance !== undefined) return true;
  }
  return false;
}

function nodeDifferences(node: string, was: NodeModel, now: NodeModel): NodeDifference[] {
  const rows: NodeDifference[] = [];
  const compare = (what: string, from: string | undefined, to: string | undefined) => {
    if (from !== to) rows.push({ node, what, old: from ?? null, new: to ?? null });
  };
  compare("name", was.name, now.name);
  compare("type", was.type, now.type);
  compare("instance", was.instance, now.instance);
  compare("groups", was.groups.join(", ") || undefined, now.groups.join(", ") || undefined);
  const old = was.properties;
  const next = now.properties;
  for (const name of new Set([...old.keys(), ...next.keys()])) compare(name, old.get(name), next.get(name));
  return rows;
}

function missing(keys: Iterable<string>, other: { has: (key: string) => boolean }): string[] {
  return [...keys].filter((key) => !other.has(key));
}

export interface FileState {
  readonly content: FileContent;
  /** Parses a scene or resource in slices; `scene` is set afterwards. */
  readonly read: () => Promise<void>;
  /** The parsed scene or resource, if the file is readable text. */
  readonly scene: SceneText | undefined;
  /** The parsed settings, for `project.godot`. */
  readonly settings: SettingsText | undefined;
}

/** The parsed scene of a file's content, or an earlier version to reuse unchanged parts from. */
interface KnownState {
  readonly parsed?: SceneText | undefined;
  readonly before?: FileState;
}

/** The scene is parsed on first access, unless it was parsed already. */
export function fileState(
  path: ProjectPath,
  content: FileContent,
  { parsed, before }: KnownState = {},
): FileState {
  const text = () => (content === null ? "" : Buffer.from(content).toString("utf8"));
  const isScene = content !== null && /\.t(?:scn|res)$/.test(path.res);
  let read: ReturnType<typeof SceneText.parse> | undefined = parsed && ok(parsed);
  return {
    content,
    async read() {
      if (!isScene || read !== undefined) return;
      await before?.read();
      read = await inSlices(SceneText.parsing(text(), before?.scene));
    },
    get scene() {
      if (isScene) read ??= SceneText.parse(text());
      return read?.ok ? read.value : undefined;
    },
    get settings() {
      const settings = content === null ? undefined : SettingsText.parse(text());
      return settings?.ok ? settings.value : undefined;
    },
  };
}

export function stateNow(path: ProjectPath, before?: FileState): FileState {
  const content = existsSync(path.absolute) ? readFileSync(path.absolute) : null;
  return fileState(path, content, before && { before });
}

export function isSame(one: Pick<FileState, "content">, other: Pick<FileState, "content">): boolean {
  if (one.content === null || other.content === null) return one.content === other.content;
  return Buffer.from(one.content).equals(Buffer.from(other.content));
}
