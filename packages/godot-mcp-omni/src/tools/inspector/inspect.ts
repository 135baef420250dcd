import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import type { PropertyInfo, SignalInfo } from "../../drivers/answers.ts";
import { loadScene } from "../../drivers/files/load-scene.ts";
import { classProperties, readerOf } from "../../drivers/files/read-scene.ts";
import { readResource } from "../../drivers/files/resource-file.ts";
import {
  asked,
  operationTarget,
  readScene,
  type TargetInput,
  type WhichTarget,
  whichTarget,
} from "../../drivers/read-target.ts";
import { type SceneWork, sceneTarget } from "../../drivers/scene-target.ts";
import { errors, type GodotCode, unknownName } from "../../errors.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import type { Mode } from "../../workspace/godots.ts";
import { type Answer, told } from "../answer.ts";

export interface InspectInput extends TargetInput {
  readonly fields?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/** What differs from the default, or the fields asked for. */
export async function inspect(work: SceneWork, input: InspectInput): Promise<Answer> {
  const target = await whichTarget(work, input);
  if (!target.ok) return target;
  const shown = {
    ...(input.fields !== undefined && { fields: input.fields }),
    ...(input.all !== undefined && { all: input.all }),
  };
  const { value: which } = target;
  if (which.kind === "node") {
    const read = await readScene(
      work,
      input,
      "inspect",
      (scene) => ({ scene, node: which.node, ...shown }),
      (reader) => reader.inspect(which.node, shown),
    );
    return read.ok ? toldOf(read.value.value, read.value.mode, which.node) : read;
  }
  const way = await work.godots.way(input.mode, work.signal);
  if (!way.ok) return way;
  if (way.value.driver !== undefined) {
    const params = { ...operationTarget(which, undefined), ...shown };
    const read = await asked(way.value.driver, "inspect", params, { signal: work.signal });
    return read.ok ? toldOf(read.value.value, read.value.mode, nameOf(which)) : read;
  }
  if (which.kind === "resource") {
    const resource = await readResource(work.project, which.resource);
    return resource.ok ? toldOf(resource.value, "files", which.resource) : resource;
  }
  const listed = await classMembers(which.class, "properties");
  if (!listed.ok) return listed;
  const defaults = listed.value.map((info) => [info.name, "default" in info ? (info.default ?? null) : null]);
  return toldOf(
    { type: which.class, properties: Object.fromEntries(defaults), defaults: 0 },
    "files",
    which.class,
  );
}

export interface ListInput extends TargetInput {
  readonly contains?: string | undefined;
  readonly limit?: number | undefined;
}

type Members = "properties" | "methods" | "signals";

/** Properties, methods or signals of a node, a class or a resource. */
export async function listMembers(work: SceneWork, input: ListInput, members: Members): Promise<Answer> {
  const target = await whichTarget(work, input);
  if (!target.ok) return target;
  const way = await work.godots.way(input.mode, work.signal);
  if (!way.ok) return way;
  const { value: which } = target;
  const narrowed = {
    ...(input.contains !== undefined && { contains: input.contains }),
    ...(input.limit !== undefined && { limit: input.limit }),
  };
  const { driver } = way.value;
  if (driver !== undefined) {
    const scene = input.scene === undefined ? undefined : await work.project.resolve(input.scene);
    if (scene !== undefined && !scene.ok) return scene;
    if (which.kind === "node" && scene === undefined && driver.mode === "engine")
      return errors.fail("E_SCHEMA_VALIDATION", "Name the scene of the node.");
    const params = { ...operationTarget(which, scene?.value.res), ...narrowed };
    const read = await asked(driver, `${members}.list`, params, { signal: work.signal });
    if (!read.ok) return read;
    const { value } = read.value;
    return toldOf(value, read.value.mode, nameOf(which), `${value.total} ${members} of`);
  }
  if (members === "methods")
    return errors.fail("E_UNSUPPORTED", "Methods are known to a Godot only.", {
      suggestedFix: "Set GODOT_PATH, so that the engine can tell them.",
    });
  const listed = await membersFromFiles(work, input, which, members);
  if (!listed.ok) return listed;
  const { type, rows } = listed.value;
  const { contains, limit = 100 } = input;
  const matching = rows.filter(
    ({ name }) => contains === undefined || name.toLowerCase().includes(contains.toLowerCase()),
  );
  return toldOf(
    {
      type,
      total: matching.length,
      [members]: matching.slice(0, limit),
    },
    "files",
    nameOf(which),
    `${matching.length} ${members} of`,
  );
}

async function membersFromFiles(
  work: SceneWork,
  input: ListInput,
  which: WhichTarget,
  members: "properties" | "signals",
): Promise<Outcome<{ type: string; rows: readonly (PropertyInfo | SignalInfo)[] }, Failure<GodotCode>>> {
  if (which.kind === "class") {
    const rows = await classMembers(which.class, members);
    return rows.ok ? ok({ type: which.class, rows: rows.value }) : rows;
  }
  if (which.kind === "resource") {
    const resource = await readResource(work.project, which.resource);
    if (!resource.ok) return resource;
    const rows = await classMembers(resource.value.type, members);
    return rows.ok ? ok({ type: resource.value.type, rows: rows.value }) : rows;
  }
  const place = await sceneTarget(work, { scene: input.scene, mode: "files" });
  if (!place.ok) return place;
  const { path } = place.value;
  const loaded = await loadScene(work.project, path);
  if (!loaded.ok) return loaded;
  const reader = readerOf(path.res, loaded.value.scene, loaded.value.world);
  return members === "properties" ? reader.properties(which.node) : reader.signals(which.node);
}

async function classMembers(
  name: string,
  members: "properties" | "signals",
): Promise<Outcome<readonly (PropertyInfo | SignalInfo)[], Failure<GodotCode>>> {
  const classes = await loadClassTable();
  if (!classes.has(name))
    return unknownName(
      "E_NOT_FOUND",
      `There is no class "${name.slice(0, 80)}" among the nodes and resources of Godot ${classes.version}.`,
      name,
      classes.names,
    );
  if (members === "properties") return ok(classProperties(classes, name));
  return ok(classes.signals(name).map((signal) => ({ name: signal, from: name, args: [] })));
}

function nameOf(which: WhichTarget): string {
  if (which.kind === "class") return which.class;
  return which.kind === "resource" ? which.resource : which.node;
}

function toldOf(value: object, mode: Mode, name: string, what = "Inspected"): Answer {
  return told(value, { summary: `${what} ${name}.`, execution: { mode } });
}
