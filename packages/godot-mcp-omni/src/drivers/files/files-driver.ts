import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { type Result, unknownName } from "../../errors.ts";
import { inSlices } from "../../formats/document.ts";
import { type ClassTable, loadClassTable } from "../../godot/class-table.ts";
import { type Answered, cannotDo, type Driver, type PreparedEdit } from "../../operations/driver.ts";
import type { EditOperation, ParamsOf, Question, ResultOf, Target } from "../../operations/operations.ts";
import type { Inspection, PropertyInfo, SignalInfo } from "../../operations/results.ts";
import type { Project } from "../../project/project.ts";
import { readInputMap } from "../../scene-model/input-map.ts";
import { settingValue } from "../../scene-model/known-properties.ts";
import { loadScene, loadWorld } from "../../scene-model/scene-world.ts";
import { noRoot } from "./editing/scene-editing.ts";
import { openSettings, PREPARE } from "./prepare-edit.ts";
import { classProperties, readerOf, type SceneReader } from "./read-scene.ts";
import { readResource } from "./resource-file.ts";

const NEEDS_GODOT =
  "Set GODOT_PATH to a Godot 4 binary, or open the project in the editor with the addon on.";

/** Works on the text of scenes, resources and settings, without Godot. Runs no code of the project. */
export class FilesDriver implements Driver {
  readonly mode = "files";
  readonly version = undefined;
  private readonly project: Project;

  constructor(project: Project) {
    this.project = project;
  }

  async request<O extends Question>(operation: O, params: ParamsOf<O>): Answered<ResultOf<O>> {
    const read = READ[operation];
    if (read === undefined) return cannotDo("files", `"${operation}" needs Godot.`, NEEDS_GODOT);
    return read(this.project, params);
  }

  async prepare<O extends EditOperation>(
    operation: O,
    params: ParamsOf<O>,
  ): Answered<PreparedEdit<ResultOf<O>>> {
    return PREPARE[operation](this.project, params);
  }

  async close(): Promise<void> {}
}

const READ: {
  readonly [O in Question]?: (project: Project, params: ParamsOf<O>) => Answered<ResultOf<O>>;
} = {
  "scene.tree": (project, params) => inScene(project, params.scene, (reader) => reader.tree(params)),
  "scene.find": (project, params) => inScene(project, params.scene, (reader) => ok(reader.find(params))),
  "connections.list": (project, { scene = "", node, signal }) =>
    inScene(project, scene, (reader) => {
      const found = reader.connections(node, signal);
      return found.ok ? ok({ scene, connections: found.value }) : found;
    }),
  inspect: (project, params) => inspect(project, params),
  async "properties.list"(project, params) {
    const found = await members(project, params, "properties");
    if (!found.ok) return found;
    const { type, rows } = found.value;
    const { total, first } = narrowed(rows, params);
    return ok({ type, total, properties: first });
  },
  async "signals.list"(project, params) {
    const found = await members(project, params, "signals");
    if (!found.ok) return found;
    const { type, rows } = found.value;
    const { total, first } = narrowed(rows, params);
    return ok({ type, total, signals: first });
  },
  async uid(project, params) {
    if ("uid" in params) return cannotDo("files", "Only Godot knows the file of a uid.", NEEDS_GODOT);
    const { path } = params;
    return ok({ path, uid: (await loadWorld(project, [path])).resource(path)?.uid ?? null });
  },
  async "settings.get"(project, { names, prefix }) {
    const opened = await openSettings(project);
    if (!opened.ok) return opened;
    const { text, classes } = opened.value;
    const settings: Record<string, Json | undefined> = {};
    const unknown: string[] = [];
    for (const name of names ?? []) {
      const value = settingValue(text, name, classes);
      if (value === undefined) unknown.push(name);
      else settings[name] = value;
    }
    if (names === undefined || prefix !== undefined)
      for (const [name] of text.entries())
        if (name.includes("/") && !name.startsWith("input/") && name.startsWith(prefix ?? ""))
          settings[name] = settingValue(text, name, classes);
    return ok({ settings, unknown });
  },
  async "input_map.get"(project) {
    const opened = await openSettings(project);
    if (!opened.ok) return opened;
    return ok({ actions: readInputMap(opened.value.text, opened.value.classes.keys) });
  },
};

async function inScene<T>(
  project: Project,
  scene: string | undefined,
  read: (reader: SceneReader) => Result<T>,
): Answered<T> {
  const path = await project.resolve(scene ?? "");
  if (!path.ok) return path;
  const loaded = await loadScene(project, path.value);
  if (!loaded.ok) return loaded;
  const reader = readerOf(path.value.res, loaded.value.scene, loaded.value.world);
  if (!(await inSlices(reader.resolving()))) return noRoot(path.value.res);
  return read(reader);
}

async function inspect(project: Project, params: ParamsOf<"inspect">): Answered<Inspection> {
  if ("node" in params)
    return inScene(project, params.scene, (reader) => reader.inspect(params.node, params));
  if ("resource" in params) return readResource(project, params.resource);
  const classes = await loadClassTable();
  const refused = unknownClass(classes, params.class);
  if (refused !== undefined) return refused;
  const defaults = classProperties(classes, params.class)
    .filter(({ name }) => params.fields?.includes(name) ?? true)
    .map((info) => [info.name, info.default ?? null]);
  return ok({ type: params.class, properties: Object.fromEntries(defaults), defaults: 0 });
}

type Members<T> = Answered<{ readonly type: string; readonly rows: readonly T[] }>;

async function members(project: Project, target: Target, which: "properties"): Members<PropertyInfo>;
async function members(project: Project, target: Target, which: "signals"): Members<SignalInfo>;
async function members(
  project: Project,
  target: Target,
  which: "properties" | "signals",
): Members<PropertyInfo | SignalInfo> {
  if ("node" in target)
    return inScene<{ type: string; rows: readonly (PropertyInfo | SignalInfo)[] }>(
      project,
      target.scene,
      (reader) => reader[which](target.node),
    );
  const resource = "resource" in target ? await readResource(project, target.resource) : undefined;
  if (resource !== undefined && !resource.ok) return resource;
  const type = "class" in target ? target.class : (resource?.value.type ?? "Resource");
  const classes = await loadClassTable();
  const refused = unknownClass(classes, type);
  if (refused !== undefined) return refused;
  if (which === "properties") return ok({ type, rows: classProperties(classes, type) });
  return ok({ type, rows: classes.signals(type).map((name) => ({ name, from: type, args: [] })) });
}

function narrowed<T extends { readonly name: string }>(
  rows: readonly T[],
  { contains = "", limit = 200 }: { readonly contains?: string; readonly limit?: number },
): { total: number; first: readonly T[] } {
  const matching = rows.filter(({ name }) => name.toLowerCase().includes(contains.toLowerCase()));
  return { total: matching.length, first: matching.slice(0, limit) };
}

function unknownClass(classes: ClassTable, name: string) {
  if (classes.has(name)) return undefined;
  return unknownName(
    "E_NOT_FOUND",
    `There is no class "${name.slice(0, 80)}" among the nodes and resources of Godot ${classes.version}.`,
    name,
    classes.names,
  );
}
