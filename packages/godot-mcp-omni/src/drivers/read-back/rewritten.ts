import { isDeepStrictEqual } from "node:util";
import { inSlices } from "../../formats/document.ts";
import type { SceneText } from "../../formats/scene-text.ts";
import { parseVariant, type Variant, writeVariant } from "../../formats/variant.ts";
import type { ClassProperty } from "../../godot/class-table.ts";
import type { NodeDifference } from "../../operations/results.ts";
import { exportsOf, standardText } from "../../scene-model/known-properties.ts";
import { meaningOf, type ResourceModel } from "../../scene-model/scene-model.ts";
import { nodeAt, resolvingTree, type SceneNode } from "../../scene-model/scene-tree.ts";
import { type SceneWorld, scriptLineage } from "../../scene-model/scene-world.ts";
import { bytesOf, cellsOf } from "../../scene-model/undrawn-tiles.ts";

/**
 * Distinguishes Godot's rewrites from its losses. When it saves a scene it leaves out redundant lines
 * (defaults, values of the base scene), rounds to 32 bits, writes out new defaults, and lays out containers again.
 */
export class Rewriting {
  private readonly world: SceneWorld;
  private readonly was: SceneNode | undefined;
  private readonly now: SceneNode | undefined;
  private readonly rows: readonly NodeDifference[];
  private readonly origin: (node: string) => string;

  private constructor(
    was: SceneNode | undefined,
    now: SceneNode | undefined,
    world: SceneWorld,
    rows: readonly NodeDifference[],
    origin: (node: string) => string,
  ) {
    this.origin = origin;
    this.world = world;
    this.was = was;
    this.now = now;
    this.rows = rows;
  }

  static async between(
    before: SceneText,
    after: SceneText,
    world: SceneWorld,
    rows: readonly NodeDifference[],
    /** Returns the old path of a node in the new file. */
    origin: (node: string) => string = (node) => node,
  ): Promise<Rewriting> {
    const was = await inSlices(resolvingTree(before, world));
    return new Rewriting(was, await inSlices(resolvingTree(after, world)), world, rows, origin);
  }

  /** Whether a property of a node has the same meaning in both files. */
  isSame({ node, what, old, new: now }: NodeDifference): boolean {
    if (old === null) return now === null || this.isWrittenOut(node, what, now);
    const at = this.now && nodeAt(this.now, node);
    // Godot repeats the base scene's settings of its instances.
    if (what === "editable children")
      return at !== undefined && at.editable === (this.was && nodeAt(this.was, this.origin(node)))?.editable;
    if (isLaidOut(what, at, this.world)) return true;
    if (what === "tile_map_data" && haveSameCells(old, now)) return true;
    if (now !== null) return alike(old, now, this.world);
    return this.isStandard(node, what, old) || this.isElsewhere(node, old);
  }

  /**
   * Whether Godot left out a property because it does not recognize it, or because the file it names is missing. That
   * counts as a loss even for an edited node.
   */
  isUnknown({ node, what, old, new: now }: NodeDifference): boolean {
    if (old === null || now !== null || this.isElsewhere(node, old)) return false;
    return !this.isKnown(node, what) || this.namesMissing(old);
  }

  /** Whether resources of a node moved to another property and are otherwise the same. */
  isRespelled({ node, old, new: now }: NodeDifference): boolean {
    if (old === null) return now !== null && this.isFromElsewhere(node, now);
    return now === null && this.isElsewhere(node, old);
  }

  /**
   * Whether only code of the project can have set a property of an edited node. The engine adjusts dependent
   * properties itself, such as offsets after anchors; in a node with a `@tool` script only those of its placement.
   */
  isByScript({ node, what }: NodeDifference, asked: ReadonlySet<string>): boolean {
    const at = this.now && nodeAt(this.now, node);
    if (at?.type === undefined || !/^(?:metadata\/(?!_)|[^/]*$)/.test(what) || / /.test(what)) return false;
    if (!this.world.classes.properties(at.type).has(what)) return true;
    if (PLACEMENT.test(what) && [...asked].some((name) => PLACEMENT.test(name))) return false;
    return scriptLineage(at.script, this.world).some(({ isTool }) => isTool);
  }

  /** Whether a new line only writes out the value that already applied. */
  private isWrittenOut(node: string, what: string, now: string): boolean {
    const at = this.now && nodeAt(this.now, node);
    if (isDerived(what) || isLaidOut(what, at, this.world) || this.isFromElsewhere(node, now)) return true;
    const declared = at && this.declared(at, what);
    const standard = declared && standardOf(declared);
    return standard !== undefined && alike(now, standard, this.world);
  }

  private isKnown(node: string, property: string): boolean {
    const at = this.was && nodeAt(this.was, this.origin(node));
    if (at?.type === undefined) return false;
    const isMade = /^(?:metadata|theme_override_\w+|libraries|popup|item_\d+|blend_shapes|bones)\//.test(
      property,
    );
    return isMade || this.declared(at, property) !== undefined;
  }

  private declared(at: SceneNode, property: string) {
    if (at.type === undefined) return undefined;
    return (
      this.world.classes.properties(at.type).get(property) ?? exportsOf(at.script, this.world).get(property)
    );
  }

  private namesMissing(text: string): boolean {
    const paths = [...text.matchAll(/Resource\("(res:\/\/[^"]+)"\)/g)].map(([, path = ""]) => path);
    return paths.some((path) => this.world.resource(path) === undefined);
  }

  /** The value without the line: from the base scene, or the default of the class or script. */
  private isStandard(node: string, property: string, old: string): boolean {
    const at = this.now && nodeAt(this.now, node);
    if (at === undefined) return false;
    const held = at.properties.get(property);
    if (held !== undefined) return alike(old, meaningOf(held.text, held.file), this.world);
    return isLeftOut(old, this.declared(at, property), this.world);
  }

  /** Whether the resources of a new value were in a property of the node that has gone. */
  private isFromElsewhere(node: string, now: string): boolean {
    const parsed = parseVariant(now);
    const parts = parsed.ok ? resourcesIn(parsed.value) : [];
    const gone = this.rows
      .filter((row) => row.node === node && row.new === null && row.old !== null)
      .flatMap((row) => {
        const old = parseVariant(row.old ?? "");
        return old.ok ? resourcesIn(old.value) : [];
      });
    return parts.length > 0 && parts.every((part) => gone.some((old) => areAlike(old, part, this.world)));
  }

  /** Whether the resources of a value moved to other properties of the node: newer versions store some differently. */
  private isElsewhere(node: string, old: string): boolean {
    const parsed = parseVariant(old);
    const parts = parsed.ok ? resourcesIn(parsed.value) : [];
    const added = this.rows
      .filter((row) => row.node === node && row.old === null && row.new !== null)
      .map((row) => row.new ?? "");
    return (
      parts.length > 0 &&
      parts.every((part) => added.some((text) => alike(writeVariant(part), text, this.world)))
    );
  }
}

/** Properties for the position and size of a node. */
const PLACEMENT =
  /^(?:global_)?(?:position|rotation(?:_degrees)?|scale|skew|transform|quaternion|basis|size)$|^(?:offset|anchor|grow)_|^(?:anchors_preset|layout_mode|rotation_\w+|pivot_offset|custom_minimum_size)$/;

/**
 * The same for a resource file: lists properties that changed without an edit that names them.
 * `unknown` counts losses that recur with this Godot, because neither the class nor the script has them.
 */
export function resourceLosses(
  was: ResourceModel,
  now: ResourceModel,
  others: readonly (readonly [name: string, old: string])[],
  world: SceneWorld,
): { readonly lost: readonly string[]; readonly unknown: number; readonly rewritten: readonly string[] } {
  const lost: string[] = [];
  const rewritten: string[] = [];
  let unknown = 0;
  for (const [name, old] of others) {
    const held = now.properties.get(name);
    const declared = ofClass(was, name, world) ?? ofScript(was, name, world);
    if (held === undefined ? isLeftOut(old, declared, world) : alike(old, held, world)) rewritten.push(name);
    else lost.push(held === undefined ? `${name} is gone: ${old}` : `${name} was ${old} and is ${held}`);
    if (held === undefined && declared === undefined) unknown++;
  }
  return { lost, unknown, rewritten };
}

/** New values that no edit named. */
export function resourceAdditions(
  was: ResourceModel,
  added: readonly (readonly [name: string, value: string])[],
  world: SceneWorld,
): readonly string[] {
  return added
    .filter(([name, value]) => {
      // Classes list tracks, tiles and parameters under names that no table has.
      if (/^_|\//.test(name) || DEPENDENT.test(name)) return false;
      const declared = ofClass(was, name, world) ?? ofScript(was, name, world);
      const standard = declared && standardOf(declared);
      return standard === undefined || !alike(value, standard, world);
    })
    .map(([name, value]) => `${name} was not set and is ${value}`);
}

function ofClass(resource: ResourceModel, property: string, world: SceneWorld): ClassProperty | undefined {
  return world.classes.properties(resource.type ?? "Resource").get(property);
}

function ofScript(resource: ResourceModel, property: string, world: SceneWorld): ClassProperty | undefined {
  const script = /^Resource\("(res:\/\/[^"]+)"\)$/.exec(resource.properties.get("script") ?? "")?.[1];
  return exportsOf(script, world).get(property);
}

/** Whether a value equals the default of its property. */
function isLeftOut(old: string, declared: ClassProperty | undefined, world: SceneWorld): boolean {
  if (declared === undefined) return false;
  const standard = standardOf(declared);
  return standard === undefined ? !old.includes("Resource(") : alike(old, standard, world);
}

/** Undefined for a default that a script computes: only Godot can evaluate it, and omits nothing else. */
export function standardOf(declared: ClassProperty): string | undefined {
  const isComputed = declared.from.startsWith("res://") && declared.default === undefined;
  return isComputed ? undefined : standardText(declared);
}

/** Godot keeps the record of an erased cell until the next save. */
function haveSameCells(old: string, now: string | null): boolean {
  const cells = (text: string | undefined) =>
    cellsOf(bytesOf(text))
      .map((cell) => JSON.stringify(cell))
      .sort();
  return isDeepStrictEqual(cells(old), cells(now ?? undefined));
}

/** Godot writes these for some nodes, even if nothing sets them. */
function isDerived(property: string): boolean {
  return /^(?:editable children|current_tab|format|oversampling_override|metadata\/_\w+|slot\/\d+\/\w+)$/.test(
    property,
  );
}

/** A container sets the position and size of its children. */
function isLaidOut(property: string, at: SceneNode | undefined, { classes }: SceneWorld): boolean {
  if (/^(?:layout_mode|anchors_preset)$/.test(property)) return true;
  const parent = at?.parent?.type;
  const isPlaced =
    parent !== undefined && (classes.inherits(parent, "Container") || classes.inherits(parent, "Window"));
  return isPlaced && /^(?:offset|anchor|grow)_\w+$|^(?:position|size|rotation|scale)$/.test(property);
}

function resourcesIn(value: Variant): Variant[] {
  if (value.kind === "object" || (value.kind === "call" && value.name === "Resource")) return [value];
  if (value.kind === "array") return value.items.flatMap(resourcesIn);
  return value.kind === "dictionary" ? value.entries.flatMap(([, member]) => resourcesIn(member)) : [];
}

function alike(one: string, other: string, world: SceneWorld): boolean {
  if (one === other) return true;
  const [a, b] = [parseVariant(one), parseVariant(other)];
  return a.ok && b.ok && areAlike(a.value, b.value, world);
}

function areAlike(a: Variant, b: Variant, world: SceneWorld): boolean {
  if (a.kind === "number" && b.kind === "number") return areClose(a.text, b.text);
  if (a.kind === "array" && b.kind === "array") return areAllAlike(a.items, b.items, world);
  if (a.kind === "call" && b.kind === "call") return a.name === b.name && areAllAlike(a.args, b.args, world);
  if (a.kind === "dictionary" && b.kind === "dictionary") {
    const held = new Map(b.entries.map(([key, value]) => [writeVariant(key), value]));
    return (
      a.entries.length === b.entries.length &&
      a.entries.every(([key, value]) => {
        const other = held.get(writeVariant(key));
        return other !== undefined && areAlike(value, other, world);
      })
    );
  }
  if (a.kind === "object" && b.kind === "object") return areAlikeResources(a, b, world);
  return writeVariant(a) === writeVariant(b);
}

function areAllAlike(a: readonly Variant[], b: readonly Variant[], world: SceneWorld): boolean {
  return (
    a.length === b.length && a.every((item, index) => areAlike(item, b[index] ?? { kind: "nil" }, world))
  );
}

type Resource = Extract<Variant, { kind: "object" }>;

/** Godot leaves out defaults inside resources too, and writes out new ones. */
function areAlikeResources(was: Resource, now: Resource, world: SceneWorld): boolean {
  if (was.type !== now.type) return false;
  const [old, held] = [was, now].map(
    ({ entries }) => new Map(entries.map(([key, value]) => [key.kind === "string" ? key.value : "", value])),
  ) as [Map<string, Variant>, Map<string, Variant>];
  const script = old.get("script") ?? held.get("script");
  const isStandard = (name: string, value: Variant) => {
    const declared = world.classes.properties(was.type).get(name) ?? ofScriptAt(script, name, world);
    const standard = declared && standardOf(declared);
    return standard === undefined ? undefined : alike(writeVariant(value), standard, world);
  };
  return (
    [...old].every(([name, value]) => {
      const other = held.get(name);
      return other === undefined ? isStandard(name, value) === true : areAlike(value, other, world);
    }) &&
    [...held].every(
      ([name, value]) =>
        old.has(name) || (old.size > 0 && DEPENDENT.test(name)) || isStandard(name, value) !== false,
    )
  );
}

function ofScriptAt(script: Variant | undefined, name: string, world: SceneWorld): ClassProperty | undefined {
  const [path] = script?.kind === "call" && script.name === "Resource" ? script.args : [];
  return exportsOf(path?.kind === "string" ? path.value : undefined, world).get(name);
}

/** Properties of resources that Godot sets along with others: points of a gradient, limits of a range, sizes of a capsule. */
const DEPENDENT =
  /^(?:colors|offsets|height|radius|map_data|fog_density|fog_depth_begin|stencil_flags|lightmap_size_hint|default_input_values|xform|inertia_tensor|wrap_[st])$|_(?:min|max|count)$/;

/** Equal to 32-bit precision, and to the noise of converting a rotation to a matrix and back. */
function areClose(a: string, b: string): boolean {
  if (a === b) return true;
  const [x, y] = [Number(a), Number(b)];
  if (Number.isInteger(x) && Number.isInteger(y)) return x === y;
  return Math.abs(x - y) <= 2e-6 * Math.max(1, Math.abs(x), Math.abs(y));
}
