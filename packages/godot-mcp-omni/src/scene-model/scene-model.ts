import { finish, STEP, type Steps } from "../formats/document.ts";
import { assignmentsOf, type Block, rawField, type SceneText, textField } from "../formats/scene-text.ts";
import { parseVariant, type Variant, writeVariant } from "../formats/variant.ts";
import { blockPath, groupsIn } from "./scene-tree.ts";
import { referencedPath } from "./scene-world.ts";
import { base64Of } from "./variant-to-json.ts";

/**
 * The meaning of a scene's file, independent of notation: Godot chooses the ids of resources, the order of lines
 * and the notation of numbers.
 */
export interface SceneModel {
  readonly nodes: ReadonlyMap<string, NodeModel>;
  /** `signal from → to.method` and its options. */
  readonly connections: ReadonlySet<string>;
  readonly editable: ReadonlySet<string>;
  /** The lines of all resources: if they are the same, equal lines have the same meaning. */
  readonly resources: string;
}

export interface NodeModel {
  readonly block: Block;
  readonly text: string;
  readonly name: string;
  readonly type: string | undefined;
  readonly instance: string | undefined;
  readonly groups: readonly string[];
  /** In Godot's text, with resources expanded. */
  readonly properties: ReadonlyMap<string, string>;
}

export function modelOf(scene: SceneText): SceneModel {
  return finish(modelling(scene));
}

/** `modelOf` in steps. */
export function* modelling(scene: SceneText): Steps<SceneModel> {
  const internal = scene.tagged("sub_resource");
  const resources = subResourcesOf(scene);
  const nodes = new Map<string, NodeModel>();
  for (const [index, block] of scene.tagged("node").entries()) {
    if (index % STEP === 0) yield;
    nodes.set(blockPath(block), new NodeOfBlock(block, scene, resources));
  }
  return {
    nodes,
    connections: new Set(scene.tagged("connection").map(connectionText)),
    editable: new Set(scene.tagged("editable").map((block) => textField(block, "path") ?? "")),
    resources: [...scene.tagged("ext_resource"), ...internal].map(textOf).join(""),
  };
}

/** The meaning of a resource file: its class, and its properties in Godot's text with resources expanded. */
export interface ResourceModel {
  readonly type: string | undefined;
  /** The `class_name` of its script. */
  readonly scriptClass: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

export function resourceModelOf(file: SceneText): ResourceModel {
  const resources = subResourcesOf(file);
  const held = file.tagged("resource").flatMap(assignmentsOf);
  return {
    type: file.head && textField(file.head, "type"),
    scriptClass: file.head && textField(file.head, "script_class"),
    properties: new Map(held.map(({ name, value }) => [name, meaning(value, file, resources)])),
  };
}

/** Computed on demand: most nodes of a scene are unchanged, which their lines show. */
class NodeOfBlock implements NodeModel {
  readonly block: Block;
  private readonly scene: SceneText;
  private readonly resources: SubResources;

  constructor(block: Block, scene: SceneText, resources: SubResources) {
    this.block = block;
    this.scene = scene;
    this.resources = resources;
  }

  get text() {
    return textOf(this.block);
  }

  get name() {
    return textField(this.block, "name") ?? "";
  }

  get type() {
    return textField(this.block, "type");
  }

  get instance() {
    return instanceOf(this.scene, this.block);
  }

  get groups() {
    return groupsIn(this.block).sort();
  }

  get properties() {
    const { scene, resources } = this;
    return new Map(
      assignmentsOf(this.block).map(({ name, value }) => [name, meaning(value, scene, resources)]),
    );
  }
}

function textOf({ heading, body }: Block): string {
  return [heading, ...body]
    .map((part) => part.text)
    .join("")
    .trimEnd();
}

function instanceOf(scene: SceneText, block: Block): string | undefined {
  const raw = rawField(block, "instance");
  return raw === undefined ? undefined : (referencedPath(scene, raw) ?? raw);
}

function connectionText(block: Block): string {
  const ends = `${textField(block, "signal")} ${textField(block, "from")} → ${textField(block, "to")}.${textField(block, "method")}`;
  const more = ["flags", "binds", "unbinds"].flatMap((name) => {
    const value = rawField(block, name);
    // Godot leaves out the flags that every stored connection has.
    return value === undefined || (name === "flags" && value === "2") ? [] : [`${name}=${canonical(value)}`];
  });
  return [ends, ...more].join(" ");
}

/** A value of a file in Godot's text, with resources expanded. */
export function meaningOf(text: string, file: SceneText): string {
  return meaning(text, file, subResourcesOf(file));
}

type SubResources = ReadonlyMap<string, Block>;

function subResourcesOf(file: SceneText): SubResources {
  return new Map(file.tagged("sub_resource").map((block) => [textField(block, "id") ?? "", block]));
}

function meaning(text: string, scene: SceneText, resources: SubResources): string {
  // Meshes and other large values are compared as text; they refer to no resource.
  if (text.length > 20_000 && !text.includes("Resource(")) return text;
  const parsed = parseVariant(text);
  return parsed.ok ? writeVariant(written(parsed.value, scene, resources, [])) : text;
}

function canonical(text: string): string {
  const parsed = parseVariant(text);
  return parsed.ok ? writeVariant(parsed.value) : text;
}

/** The value with every reference to a resource replaced by its content. */
function written(
  value: Variant,
  scene: SceneText,
  resources: SubResources,
  within: readonly Block[],
): Variant {
  const inner = (part: Variant) => written(part, scene, resources, within);
  switch (value.kind) {
    case "array":
      return { ...value, items: value.items.map(inner) };
    case "dictionary":
    case "object":
      return { ...value, entries: value.entries.map(([key, member]) => [inner(key), inner(member)]) };
    case "number":
      return { kind: "number", text: plainNumber(value.text) };
    case "call":
      break;
    default:
      return value;
  }
  if (value.name === "PackedByteArray")
    return { ...value, args: [{ kind: "string", value: base64Of(value.args) }] };
  const [id] = value.args;
  const key = id?.kind === "string" ? id.value : "";
  if (value.name === "ExtResource")
    return call("Resource", referencedPath(scene, writeVariant(value)) ?? key);
  const block = value.name === "SubResource" ? resources.get(key) : undefined;
  if (block === undefined) return { ...value, args: value.args.map(inner) };
  if (within.includes(block)) return call("SubResource", "itself");
  const type = textField(block, "type") ?? "Resource";
  return {
    kind: "object",
    type,
    // Godot writes null for a shader parameter that was never set.
    entries: assignmentsOf(block)
      .filter((assignment) => assignment.value.trim() !== "null")
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((assignment) => {
        const parsed = parseVariant(assignment.value);
        const member = parsed.ok
          ? written(parsed.value, scene, resources, [...within, block])
          : ({ kind: "string", value: assignment.value } as const);
        return [{ kind: "string", value: assignment.name }, member] as const;
      }),
  };
}

function call(name: string, text: string): Variant {
  return { kind: "call", name, args: [{ kind: "string", value: text }] };
}

/** Rounded to the engine's 32 bits: it reads 0.1 and may write 0.10000000149. */
function plainNumber(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value) || Number.isSafeInteger(value))
    return Number.isSafeInteger(value) ? String(value) : text;
  return String(Number(value.toPrecision(6)));
}
