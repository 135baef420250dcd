import { once } from "@toolpact/outcome";
import { inSlices } from "../../formats/document.ts";
import { assignmentsOf, rawField, type SceneText, textField } from "../../formats/scene-text.ts";
import type { SettingsText } from "../../formats/settings-text.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import type { Edit, Mode } from "../../operations/driver.ts";
import type { EditOperation, ParamsOf, ResultOf } from "../../operations/operations.ts";
import type { Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { readInputMap } from "../../scene-model/input-map.ts";
import { settingValue } from "../../scene-model/known-properties.ts";
import { modelling, resourceModelOf } from "../../scene-model/scene-model.ts";
import { propertyPath } from "../../scene-model/scene-tree.ts";
import { loadWorld, referencedPath } from "../../scene-model/scene-world.ts";
import { comparingMoved, movedSubtrees, originOf, scopeInMoved, scopeOf } from "./edit-scope.ts";
import { differs, lostInside, lostValues, setsInside } from "./requested-values.ts";
import { Rewriting, resourceAdditions, resourceLosses } from "./rewritten.ts";
import {
  comparing,
  type FileState,
  needsJudge,
  type SceneDifference,
  type Scope,
  sideEffects,
  surprises,
  unknownCount,
} from "./scene-difference.ts";

/** The comparison of a file after an edit with the request. */
export interface ReadBack {
  /** Unrequested changes. If there are any, the edit is reverted. */
  readonly surprises: readonly string[];
  /** Whether this Godot would lose all of them every time, because it does not recognize them. */
  readonly isCertain?: boolean;
  readonly warnings: readonly string[];
  readonly difference?: SceneDifference;
}

export async function readBack<O extends EditOperation>(
  project: Project,
  { operation, params, path }: Edit<O>,
  before: FileState,
  after: FileState,
  result: ResultOf<O>,
  mode: Mode,
  expected?: FileState,
): Promise<ReadBack> {
  if (after.content === null) return surprise("the file is not there");
  const isText = /\.t(?:scn|res)$/.test(path.res);
  // A file that was unreadable before may stay so.
  await before.read();
  await after.read();
  const wasReadable = before.content === null || before.scene !== undefined;
  if (isText && wasReadable && after.scene === undefined) return surprise("the file cannot be read again");
  return CHECKS[operation]({ project, params, path, before, after, result, mode, expected });
}

interface Checked<O extends EditOperation> {
  readonly project: Project;
  readonly path: ProjectPath;
  readonly params: ParamsOf<O>;
  readonly before: FileState;
  readonly after: FileState;
  readonly result: ResultOf<O>;
  readonly mode: Mode;
  readonly expected: FileState | undefined;
}

const CHECKS: {
  readonly [O in EditOperation]: (edit: Checked<O>) => ReadBack | Promise<ReadBack>;
} = {
  async "scene.edit"({ project, path, params, before, after, result, mode }) {
    const [was, now] = [before.scene, after.scene];
    if (was === undefined || now === undefined) return { surprises: [], warnings: [] };
    const oldModel = await inSlices(modelling(was));
    const newModel = await inSlices(modelling(now));
    const difference = await inSlices(comparing(oldModel, newModel));
    const world = once(() => loadWorld(project, [path.res], new Map([[path.res, now]])));
    // The driver for files reports the text that it wrote.
    const lost =
      mode === "files" || !setsInside(result.changes)
        ? []
        : lostInside(newModel, now, params.edits, result.changes, await world());
    // A user's unsaved changes are saved along with the edit, so the file may have more changes than requested.
    if (result.hadUnsaved) return withUnsaved({ surprises: lost, warnings: [], difference }, true);
    const scope = scopeOf(params.edits, result.changes);
    const moved = movedSubtrees(params.edits, result.changes);
    const elsewhere: SceneDifference[] = [];
    for (const part of moved) elsewhere.push(await inSlices(comparingMoved(part, oldModel, newModel)));
    const isRewritten = elsewhere.some(({ changed }) => changed.length > 0);
    const judge =
      isRewritten || needsJudge(difference, scope)
        ? await Rewriting.between(
            was,
            now,
            await world(),
            [...difference.changed, ...elsewhere.flatMap(({ changed }) => changed)],
            (node) => originOf(node, moved),
          )
        : undefined;
    const parts = [[difference, scope] as const];
    for (const [index, part] of moved.entries())
      parts.push([elsewhere[index] ?? difference, scopeInMoved(part, scope)]);
    const found = [...lost, ...parts.flatMap(([changes, allowed]) => surprises(changes, allowed, judge))];
    const unknown = parts.map(([changes, allowed]) => unknownCount(changes, allowed, judge));
    return {
      surprises: found,
      isCertain: found.length === unknown.reduce((sum, count) => sum + count, 0),
      warnings: mode === "files" ? [] : alsoWritten(difference, scope, judge),
      difference,
    };
  },

  "scene.undo": async ({ project, path, before, after, result, expected }) =>
    withUnsaved(await afterStep(project, path, before, after, expected), result.hadUnsaved),
  "scene.redo": async ({ project, path, before, after, result, expected }) =>
    withUnsaved(await afterStep(project, path, before, after, expected), result.hadUnsaved),
  /** A user's unsaved work looks like a loss by Godot, except for values that Godot does not write. */
  async "scene.save"({ project, path, before, after }) {
    const { surprises: lost } = await afterStep(project, path, before, after, undefined);
    return { surprises: [], warnings: lost.map((loss) => `${path.res} was saved: ${loss}`) };
  },

  "scene.create"({ params, after }) {
    const [root, ...more] = after.scene?.tagged("node") ?? [];
    if (after.scene === undefined || root === undefined) return surprise("the scene has no root");
    const name = textField(root, "name");
    const base = referencedPath(after.scene, rawField(root, "instance"));
    const type = textField(root, "type");
    // A class of the project is written as the class it extends, with its script.
    const isOther = type !== params.rootType && !assignmentsOf(root).some((row) => row.name === "script");
    return surprise(
      ...(params.rootName !== undefined && name !== params.rootName ? [`the root is named ${name}`] : []),
      ...(params.inherits !== undefined && base !== params.inherits ? [`its base is ${base ?? "none"}`] : []),
      ...(params.rootType !== undefined && isOther ? [`the root is a ${type ?? "node without a type"}`] : []),
      ...more.map((node) => `${textField(node, "name")} is new`),
    );
  },

  async "resource.create"({ project, params, after, result }) {
    if (after.scene === undefined) return surprise();
    const { type, scriptClass } = resourceModelOf(after.scene);
    const isOther = type !== params.type && scriptClass !== params.type;
    return surprise(
      ...(isOther ? [`it is a ${type ?? "resource without a type"}`] : []),
      ...lostValues(
        after.scene,
        params.properties ?? {},
        result.changed,
        await worldOf(project, after.scene),
      ),
    );
  },

  async "resource.edit"({ project, params, before, after, result }) {
    if (before.scene === undefined || after.scene === undefined) return surprise();
    const [was, now] = [resourceModelOf(before.scene), resourceModelOf(after.scene)];
    const named = new Set(Object.keys(params.properties).map((name) => propertyPath(name)[0]));
    const isOther = ([name, old]: [string, string]) => !named.has(name) && now.properties.get(name) !== old;
    const others = [...was.properties].filter(isOther);
    const added = [...now.properties].filter(([name]) => !named.has(name) && !was.properties.has(name));
    const world = await worldOf(project, after.scene);
    const { lost, unknown, rewritten } = resourceLosses(was, now, others, world);
    const found = [
      ...(was.type === now.type ? [] : [`it was a ${was.type} and is a ${now.type}`]),
      ...lost,
      ...resourceAdditions(was, added, world),
      ...lostValues(after.scene, params.properties, result.changed, world),
    ];
    return {
      surprises: found,
      isCertain: found.length === unknown,
      warnings: rewritten.length === 0 ? [] : [`Godot wrote otherwise or left out ${rewritten.join(", ")}.`],
    };
  },

  async "settings.set"({ params, before, after, result, mode }) {
    const names = Object.keys(params.settings);
    const { classes, settings } = { classes: await loadClassTable(), settings: after.settings };
    if (settings === undefined) return surprise("the file cannot be read again");
    const lost = result.changed
      .filter((row) => differs(row.new, settingValue(settings, row.name, classes)))
      .map(({ name }) => `${name} is not what was set`);
    return withLostSettings(before, settings, names, lost, mode);
  },

  async "input_map.set"({ before, after, result, mode }) {
    const names = [...result.actions.map((action) => action.name), ...result.removed];
    const { settings } = after;
    if (settings === undefined) return surprise("the file cannot be read again");
    const held = new Map(
      readInputMap(settings, (await loadClassTable()).keys).map((action) => [action.name, action.events]),
    );
    const wrong = [
      ...result.actions.filter(({ name, events }) => held.get(name)?.length !== events.length),
      ...result.removed.filter((name) => held.has(name)).map((name) => ({ name })),
    ];
    const lost = wrong.map(({ name }) => `${name} is not what was set`);
    const paths = names.map((name) => `input/${name}`);
    return withLostSettings(before, settings, paths, lost, mode);
  },
};

/** Undo and redo of the editor: the file must have its old meaning, or at least lose nothing that Godot ignores. */
async function afterStep(
  project: Project,
  path: ProjectPath,
  before: FileState,
  after: FileState,
  expected: FileState | undefined,
): Promise<ReadBack> {
  const [was, now] = [(expected ?? before).scene, after.scene];
  if (was === undefined || now === undefined) return { surprises: [], warnings: [] };
  const difference = await differenceOf(was, now);
  const world = await loadWorld(project, [path.res], new Map([[path.res, now]]));
  const judge = await Rewriting.between(was, now, world, difference.changed);
  if (expected !== undefined)
    return { surprises: surprises(difference, NOTHING, judge), warnings: [], difference };
  const scripted = new Set(difference.changed.filter((row) => row.what === "script").map((row) => row.node));
  const lost = difference.changed.filter((row) => !scripted.has(row.node) && judge.isUnknown(row));
  return {
    surprises: lost.map((row) => `${row.what} of ${row.node} is gone: ${row.old}`),
    warnings: [`${path.res} is as Godot saves it: this server has no copy of what it held before that step.`],
    difference,
  };
}

function withUnsaved(found: ReadBack, hadUnsaved: true | undefined): ReadBack {
  if (!hadUnsaved) return found;
  const saved = "The scene had unsaved changes in the editor; they were saved too.";
  return { ...found, warnings: [...found.warnings, saved] };
}

const NOTHING: Scope = {
  subtrees: [],
  nodes: [],
  setOnly: [],
  parents: [],
  properties: new Set(),
  movesNodes: false,
  renamesRoot: false,
};

async function differenceOf(was: SceneText, now: SceneText): Promise<SceneDifference> {
  const before = await inSlices(modelling(was));
  return inSlices(comparing(before, await inSlices(modelling(now))));
}

/** The files that a resource refers to. */
function worldOf(project: Project, file: SceneText) {
  return loadWorld(
    project,
    file.tagged("ext_resource").flatMap((block) => textField(block, "path") ?? []),
  );
}

function surprise(...found: readonly string[]): ReadBack {
  return { surprises: found, warnings: [] };
}

/** Godot rewrites a whole scene when it saves it, so harmless changes elsewhere are reported. */
function alsoWritten(difference: SceneDifference, scope: Scope, judge: Rewriting | undefined): string[] {
  const elsewhere = sideEffects(difference, scope, judge);
  if (elsewhere.length === 0) return [];
  const more = elsewhere.length > 5 ? ` and ${elsewhere.length - 5} more` : "";
  return [`Godot also wrote ${elsewhere.slice(0, 5).join(", ")}${more}.`];
}

/** Godot writes the whole file. The open editor holds the settings in memory, so restoring the file is in vain. */
function withLostSettings(
  before: FileState,
  after: SettingsText,
  names: readonly string[],
  found: readonly string[],
  mode: Mode,
): ReadBack {
  const gone = (before.settings?.entries() ?? [])
    .map(([name]) => name)
    .filter((name) => name.includes("/") && !names.includes(name) && after.get(name) === undefined);
  if (mode !== "editor") return surprise(...found, ...gone.map((name) => `${name} is gone`));
  return {
    surprises: found,
    warnings: gone.length === 0 ? [] : [`The editor left out ${gone.slice(0, 5).join(", ")}.`],
  };
}
