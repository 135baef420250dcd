import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "@toolpact/contract";
import { SceneText } from "../src/formats/scene-text.ts";
import { type ClassTable, loadClassTable } from "../src/godot/class-table.ts";
import { modelOf } from "../src/scene-model/scene-model.ts";
import type { Call } from "./run-server.ts";
import { MODES, type SceneMode } from "./scene-run.ts";

/** One value of one property of one class. */
export interface Sample {
  readonly type: string;
  readonly property: string;
  readonly value: Json;
  /** Only Godot can determine whether it is kept. */
  readonly isConditional: boolean;
}

/** The result of one sample in each mode: the text of the properties in the file, or the code of the refusal. */
export interface PropertyResult extends Sample {
  readonly outcomes: Readonly<Record<SceneMode, readonly string[] | string>>;
}

export interface PropertyRunOptions {
  readonly root: string;
  readonly call: Call;
  readonly classes: readonly string[];
  /** Every value of each property, or one. */
  readonly everyValue: boolean;
  readonly say: (line: string) => void;
}

/** Values that the type of a property allows. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
  bool: [true, false],
  int: [1, 0, 3],
  float: [0.25, 0, 1, 2],
  String: ["word", ""],
  StringName: ["word"],
  Vector2: [{ x: 1, y: 2 }],
  Vector2i: [{ x: 3, y: 4 }],
  Vector3: [{ x: 1, y: 2, z: 3 }],
  Color: ["#ff8000"],
  Rect2: [{ x: 1, y: 2, width: 3, height: 4 }],
  PackedInt32Array: [[1, 2]],
  PackedFloat32Array: [[0.25, 2]],
  PackedStringArray: [["a", "b"]],
};

/** The classes that can be instantiated and have a property to set. */
export async function classesToTry(): Promise<readonly string[]> {
  const table = await loadClassTable();
  return table.names.filter((name) => table.canMake(name) && samplesOf(table, name).length > 0);
}

/** Sets every property of the classes in every mode, and compares the resulting files. */
export async function runProperties(options: PropertyRunOptions): Promise<PropertyResult[]> {
  const table = await loadClassTable();
  const results: PropertyResult[] = [];
  for (const [index, type] of options.classes.entries()) {
    if (index % 50 === 0) options.say(`${index} of ${options.classes.length} classes`);
    const samples = samplesOf(table, type);
    const rounds = options.everyValue ? Math.max(...samples.map(({ values }) => values.length)) : 1;
    for (let round = 0; round < rounds; round++) {
      const chosen = samples.flatMap(({ values, ...sample }) =>
        round < values.length ? [{ ...sample, value: values[round] ?? null }] : [],
      );
      const found = await inEveryMode(table, type, chosen, options);
      for (const result of found) if (verdictOf(result) === "other") options.say(oddity(result));
      results.push(...found);
    }
  }
  return results;
}

function samplesOf(table: ClassTable, type: string) {
  return [...table.properties(type).values()].flatMap((property) => {
    const values = property.stored && !property.readOnly ? (VALUES[property.type] ?? []) : [];
    if (values.length === 0) return [];
    return { type, property: property.name, isConditional: property.conditional === true, values };
  });
}

async function inEveryMode(
  table: ClassTable,
  type: string,
  samples: readonly Sample[],
  options: PropertyRunOptions,
): Promise<PropertyResult[]> {
  const isNode = table.inherits(type, "Node");
  const byMode = new Map<SceneMode, Map<Sample, readonly string[] | string>>();
  for (const mode of MODES) {
    const outcomes = new Map<Sample, readonly string[] | string>();
    byMode.set(mode, outcomes);
    for (const part of partsOf(samples)) await setAll(isNode, part, mode, outcomes, options);
  }
  return samples.map((sample) => {
    const of = (mode: SceneMode) => byMode.get(mode)?.get(sample) ?? "none";
    return { ...sample, outcomes: { files: of("files"), engine: of("engine"), editor: of("editor") } };
  });
}

/** The number of nodes per scene: some classes are slow to create. */
const MAX_NODES = 40;

/** Samples to set together. One that may be refused is set separately: each refusal costs another try of all. */
function partsOf(samples: readonly Sample[]): Sample[][] {
  const isDoubtful = ({ isConditional, property }: Sample) =>
    isConditional || property === "unique_name_in_owner";
  const others = samples.filter((sample) => !isDoubtful(sample));
  const parts = samples.filter(isDoubtful).map((sample) => [sample]);
  for (let from = 0; from < others.length; from += MAX_NODES)
    parts.push(others.slice(from, from + MAX_NODES));
  return parts;
}

let files = 0;

/** One edit of a scene for all samples; refused ones are left out, and the others tried again. */
async function setAll(
  isNode: boolean,
  samples: readonly Sample[],
  mode: SceneMode,
  outcomes: Map<Sample, readonly string[] | string>,
  options: PropertyRunOptions,
): Promise<void> {
  let left = [...samples];
  while (left.length > 0) {
    const file = `properties_${files++}.tscn`;
    const path = join(options.root, file);
    const scene = `res://${file}`;
    const before = sceneFor(isNode, left);
    writeFileSync(path, before);
    const edits = left.map((sample, index) => editFor(isNode, sample, index));
    const answer = await options.call("godot_batch", { scene, mode, edits });
    const after = readFileSync(path, "utf8");
    if (mode === "editor")
      await options.call("godot_workspace", { action: "close_scene", scene, discard: true });
    if (answer.ok) {
      const held = propertiesIn(after, isNode, left.length);
      for (const [index, sample] of left.entries()) outcomes.set(sample, held[index] ?? []);
      return;
    }
    const code = `${answer.error?.code}${after === before ? "" : ", and the file changed"}`;
    const at = answer.error?.details?.edit;
    const refused = typeof at === "number" ? left[at] : left.length === 1 ? left[0] : undefined;
    if (refused === undefined) {
      const half = Math.ceil(left.length / 2);
      await setAll(isNode, left.slice(0, half), mode, outcomes, options);
      await setAll(isNode, left.slice(half), mode, outcomes, options);
      return;
    }
    outcomes.set(refused, code);
    left = left.filter((sample) => sample !== refused);
  }
}

/** A node for each sample; a resource is held by metadata of the root. */
function sceneFor(isNode: boolean, samples: readonly Sample[]): string {
  const nodes = samples.map(({ type }, index) => `\n[node name="P${index}" type="${type}" parent="."]\n`);
  return `[gd_scene format=3]\n\n[node name="Root" type="Node"]\n${isNode ? nodes.join("") : ""}`;
}

function editFor(isNode: boolean, { type, property, value }: Sample, index: number): JsonObject {
  const properties = { [property]: value };
  return isNode
    ? { kind: "update", node: `P${index}`, properties }
    : {
        kind: "update",
        node: ".",
        properties: { [`metadata/p${index}`]: { resource: type, properties } },
      };
}

function propertiesIn(text: string, isNode: boolean, count: number): string[][] {
  const scene = SceneText.parse(text);
  if (!scene.ok) throw new Error(scene.failure.message);
  const { nodes } = modelOf(scene.value);
  // Godot accepts a name and a string interchangeably.
  const plain = (value: string) => value.replaceAll('&"', '"');
  return Array.from({ length: count }, (_, index) => {
    if (!isNode) return membersOf(plain(nodes.get(".")?.properties.get(`metadata/p${index}`) ?? ""));
    return [...(nodes.get(`P${index}`)?.properties ?? [])]
      .map(([name, value]) => `${name} = ${plain(value)}`)
      .sort();
  });
}

/** `Object(Gradient,"offsets":…,"colors":…)`, by its members. */
function membersOf(text: string): string[] {
  return text
    .replace(/\)$/, "")
    .split(/,(?="\w[\w/]*":)/)
    .sort();
}

export type Verdict = "set alike" | "refused alike" | "left to a Godot" | "more by a Godot" | "other";

export function verdictOf({ outcomes, isConditional }: PropertyResult): Verdict {
  const { files: text, engine, editor } = outcomes;
  if (!isAlike(engine, editor, isConditional)) return "other";
  if (JSON.stringify(text) === JSON.stringify(engine))
    return typeof text === "string" ? "refused alike" : "set alike";
  // The files driver refuses cases that only Godot can decide with this code, or warns.
  if (text === "E_UNSUPPORTED" || isConditional) return "left to a Godot";
  // Godot writes out computed values, and those that it does not consider defaults.
  const isMore = Array.isArray(text) && Array.isArray(engine) && text.every((line) => engine.includes(line));
  return isMore ? "more by a Godot" : "other";
}

/** Compares only names if Godot may choose a random value, such as a seed. */
function isAlike(
  one: readonly string[] | string,
  other: readonly string[] | string,
  byName: boolean,
): boolean {
  const plain = (outcome: readonly string[] | string) =>
    JSON.stringify(
      typeof outcome === "string" || !byName ? outcome : outcome.map((line) => line.split(" = ")[0]),
    );
  return plain(one) === plain(other);
}

/** The counts, then the differences, as Markdown. */
export function propertyTable(results: readonly PropertyResult[]): string {
  const verdicts = Map.groupBy(results, verdictOf);
  const count = (verdict: Verdict) => verdicts.get(verdict)?.length ?? 0;
  const classes = new Set(results.map(({ type }) => type)).size;
  const pairs = new Set(results.map(({ type, property }) => `${type}.${property}`)).size;
  const odd = verdicts.get("other") ?? [];
  return [
    "| classes | properties | values | set alike | a Godot writes more | left to a Godot | refused alike | not alike |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|",
    `| ${[
      classes,
      pairs,
      results.length,
      count("set alike"),
      count("more by a Godot"),
      count("left to a Godot"),
      count("refused alike"),
      odd.length,
    ].join(" | ")} |`,
    ...(odd.length === 0 ? [] : ["", ...odd.map((result) => `- ${oddity(result)}`)]),
    "",
  ].join("\n");
}

export function oddity({ type, property, value, outcomes }: PropertyResult): string {
  const said = MODES.map((mode) => `${mode} ${JSON.stringify(outcomes[mode])}`).join(", ");
  return `${type}.${property} = ${JSON.stringify(value)}: ${said}`;
}
