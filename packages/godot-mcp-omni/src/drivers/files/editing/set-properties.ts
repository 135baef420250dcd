import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { at, errors, type Result, unknownName } from "../../../errors.ts";
import { type Block, type SceneText, textField, valueIn } from "../../../formats/scene-text.ts";
import { type ShaderUniforms, uniformsOf } from "../../../formats/shader-uniforms.ts";
import { parseVariant, typeOfText, type Variant, writeVariant } from "../../../formats/variant.ts";
import { MEMBERS } from "../../../formats/variant-types.ts";
import { abstractClass, type ClassProperty } from "../../../godot/class-table.ts";
import type { PropertyChange } from "../../../operations/results.ts";
import { type ResourceHost, type ValueCode, variantOf } from "../../../scene-model/json-to-variant.ts";
import {
  companionsOf,
  defaultJson,
  isDefault,
  isWrittenAs,
  type KnownProperty,
  type PropertyOwner,
  propertyOf,
} from "../../../scene-model/known-properties.ts";
import { type HeldValue, propertyPath, type SceneNode } from "../../../scene-model/scene-tree.ts";
import { referencedPath, type SceneWorld } from "../../../scene-model/scene-world.ts";
import {
  isSpatial,
  SPATIAL,
  spatialJson,
  transformJson,
  transformOf,
  withSpatial,
} from "../../../scene-model/transform3d.ts";
import { jsonOfText } from "../../../scene-model/variant-to-json.ts";
import { curveData, curvePart, curvePoints, isCurve, withPart } from "./curve-points.ts";
import type { SceneResources } from "./scene-resources.ts";
import { meantBy } from "./written-values.ts";

/** A node, or a resource inside a scene, whose properties are set. */
export interface PropertyHolder extends PropertyOwner {
  readonly block: Block;
  readonly inherited: ReadonlyMap<string, HeldValue>;
  /** Its transform comes from a scene that cannot be read as text. */
  readonly unknownTransform?: boolean;
  /** Records that the property holds a node, which the heading must list. */
  readonly holdsNode?: (property: string) => void;
}

export interface PropertyContext {
  readonly scene: SceneText;
  readonly world: SceneWorld;
  readonly resources: SceneResources;
  readonly warn: (warning: string) => void;
  /** The node that holds the properties; undefined while a resource is being made. */
  readonly node?: SceneNode;
  /** The path from the holder to a node of the scene. */
  readonly pathToNode: (path: string, classes: string) => Result<string, ValueCode>;
}

type Changed = Result<PropertyChange, ValueCode>;

/** Sets properties in turn. On a failure the caller drops the text, and none is set. */
export function setProperties(
  holder: PropertyHolder,
  json: JsonObject,
  context: PropertyContext,
): Result<PropertyChange[], ValueCode> {
  const changes: PropertyChange[] = [];
  for (const [name, value] of Object.entries(json)) {
    const meant = meantBy(holder, name, value ?? null, context, changes);
    if (!meant.ok) return at(name, meant);
    for (const [plain, plainValue] of Object.entries(meant.value)) {
      const change = setProperty(holder, plain, plainValue ?? null, context);
      if (!change.ok) return at(name, change);
      changes.push(change.value);
    }
  }
  return ok(changes);
}

function setProperty(holder: PropertyHolder, name: string, json: Json, context: PropertyContext): Changed {
  const [first = "", ...rest] = propertyPath(name);
  const property = propertyOf(holder, first, context, () => uniformsFor(holder, context));
  if (!property.ok) return property;
  if (rest.length > 0) return setInside(holder, property.value, rest, name, json, context);
  if (first.startsWith("point_") && curvePart(holder.type, first) !== undefined)
    return setCurvePoint(holder, property.value, json, context);
  if (!property.value.stored) return setKeptInOthers(holder, property.value, json, context);
  const { type: declared, isUntyped } = property.value;
  const held = isUntyped ? typeOfText(currentText(holder, property.value, context.scene)?.text) : undefined;
  const type = held ?? declared;
  if (isUntyped && held === undefined && !saysItsType(json)) return untold(property.value, json);
  const { least, raises, conditional } = property.value;
  const isTooLow = least !== undefined && typeof json === "number" && json < least;
  const old = currentJson(holder, property.value, context.scene);
  // Already at the minimum, nothing changes, which Godot refuses too.
  if (isTooLow && (raises !== true || old === least))
    return errors.fail("E_SCHEMA_VALIDATION", `${holder.type} keeps no number below ${least}: ${json}.`, {
      details: { expected: type, least, given: json },
    });
  if (conditional === true)
    context.warn(`Whether Godot keeps "${first}" depends on other properties, which only Godot can check.`);
  const value = variantOf(isTooLow ? least : json, type, hostFor(holder, first, context), property.value);
  if (!value.ok) return value;
  put(holder, property.value, value.value, context.scene);
  if (first === "point_count" && isCurve(holder.type) && typeof json === "number")
    context.scene.set(holder.block, "_data", curveData(holder.type, pointsOf(holder, holder.type)));
  for (const [companion, standard] of companionsOf(holder.type, first, context.world))
    if (valueIn(holder.block, companion) === undefined && !holder.inherited.has(companion))
      context.scene.set(holder.block, companion, standard);
  return ok({ name, type, old, new: currentJson(holder, property.value, context.scene) });
}

/** Whether JSON has only one possible type: a number fits every property that takes numbers. */
function saysItsType(json: Json): boolean {
  if (typeof json === "boolean" || typeof json === "number") return true;
  if (!isJsonObject(json)) return false;
  return "$type" in json || "resource" in json || ("path" in json && Object.keys(json).length === 1);
}

/** Refuses a value whose type the files do not show: Godot would drop a wrong one when it loads the file. */
function untold({ name, unread }: KnownProperty, json: Json) {
  const what =
    unread === undefined
      ? `the files do not tell the type of "${name.slice(0, 80)}".`
      : `only Godot knows what this means for ${unread.slice(0, 80)}, a type of the script.`;
  return errors.fail("E_UNSUPPORTED", what, {
    details: { unsupportedBy: "files" },
    suggestedFix: `Name the type, as in ${typedExample(json)}, give an enum's number or a resource's {"path": …}, or let Godot do it.`,
  });
}

function typedExample(json: Json): string {
  if (!isJsonObject(json)) return `{"$type": "${Array.isArray(json) ? "Array" : "String"}", "value": …}`;
  const names = Object.keys(json).join();
  const type = Object.keys(MEMBERS).find((each) => MEMBERS[each]?.map(([name]) => name).join() === names);
  if (type === undefined) return '{"$type": "Dictionary", "entries": [[key, value]]}';
  const members = Object.entries(json).map(([name, value]) => `, "${name}": ${JSON.stringify(value)}`);
  return `{"$type": "${type}"${members.join("")}}`;
}

function uniformsFor(
  holder: PropertyHolder,
  { scene, world, resources }: PropertyContext,
): ShaderUniforms | undefined {
  const own = valueIn(holder.block, "shader");
  const held = own === undefined ? holder.inherited.get("shader") : { text: own, file: scene };
  if (held === undefined) return undefined;
  const path = referencedPath(held.file, held.text);
  if (path !== undefined) return world.shader(path);
  const block = held.file === scene ? resources.internalBlock(held.text) : undefined;
  const code = block && parseVariant(valueIn(block, "code") ?? "");
  if (code === undefined || !code.ok || code.value.kind !== "string") return undefined;
  return uniformsOf(code.value.value, () => undefined);
}

function setCurvePoint(
  holder: PropertyHolder,
  { name, type }: ClassProperty,
  json: Json,
  context: PropertyContext,
): Changed {
  const part = curvePart(holder.type, name);
  if (part === undefined || !isCurve(holder.type)) throw new Error("Only points of a curve are set here.");
  const value = variantOf(json, type, hostFor(holder, name, context));
  if (!value.ok) return value;
  const points = pointsOf(holder, holder.type);
  if (part.index >= points.tilts.length)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `The curve has ${points.tilts.length} points, and the first is point_0: set point_count before.`,
    );
  const args = value.value.kind === "call" ? value.value.args : [value.value];
  const numbers = args.map((arg) => (arg.kind === "number" ? Number(arg.text) : 0));
  const data = curveData(holder.type, withPart(points, part, numbers));
  context.scene.set(holder.block, "_data", data);
  return ok({ name, type, old: null, new: json });
}

function pointsOf({ block }: PropertyHolder, type: string) {
  return curvePoints(type, valueIn(block, "_data"), Number(valueIn(block, "point_count") ?? 0));
}

/** A property that Godot stores in another one, such as a 3D node's position in its transform. Others need Godot. */
function setKeptInOthers(
  holder: PropertyHolder,
  { name, type }: ClassProperty,
  json: Json,
  context: PropertyContext,
): Changed {
  const { scene, world } = context;
  const textOf = (property: string) =>
    valueIn(holder.block, property) ?? holder.inherited.get(property)?.text;
  const isSolid = holder.type !== undefined && world.classes.inherits(holder.type, "Node3D");
  const before = isSolid && isSpatial(name) ? transformOf(textOf) : undefined;
  if (before === undefined || !isSpatial(name)) {
    return errors.fail("E_UNSUPPORTED", `"${name}" is computed from other properties, which needs Godot.`, {
      suggestedFix: "Set GODOT_PATH to let the engine do it, or set the properties that it is stored in.",
    });
  }
  const fits = variantOf(json, type, hostFor(holder, name, context));
  if (!fits.ok) return fits;
  if (holder.unknownTransform) {
    // Godot reads such a line too, and applies it to the instance's transform.
    scene.set(holder.block, name, writeVariant(fits.value));
    return ok({ name, type, old: null, new: json });
  }
  const after = withSpatial(before, name, writeVariant(fits.value));
  const written = setProperty(holder, "transform", transformJson(after), context);
  if (!written.ok) return written;
  for (const line of SPATIAL) scene.unset(holder.block, line);
  return ok({ name, type, old: spatialJson(before, name), new: spatialJson(after, name) });
}

/** `position:x` or `shape:size` */
function setInside(
  holder: PropertyHolder,
  property: ClassProperty,
  rest: readonly string[],
  name: string,
  json: Json,
  context: PropertyContext,
): Changed {
  const held = currentText(holder, property, context.scene);
  const inner = context.resources.internalBlock(held?.text);
  if (inner !== undefined && held?.file === context.scene) {
    const type = textField(inner, "type");
    const script = referencedPath(context.scene, valueIn(inner, "script"));
    const resource = { block: inner, type, script, unknownScript: false, inherited: new Map() };
    const change = setProperty(resource, rest.join(":"), json, context);
    return change.ok ? ok({ ...change.value, name }) : change;
  }
  if (held?.text.startsWith("ExtResource(")) {
    return errors.fail("E_UNSUPPORTED", `"${property.name}" is a separate file.`, {
      suggestedFix: "Edit the resource itself, or give the node a separate one.",
    });
  }
  if (held?.text.startsWith("SubResource("))
    return errors.fail("E_UNSUPPORTED", `"${property.name}" is part of another scene.`, {
      suggestedFix: "Edit it in that scene, or give the node a separate one.",
    });
  const [member = ""] = rest;
  const known = MEMBERS[property.type]?.find(([candidate]) => candidate === member);
  if (known === undefined || rest.length > 1) {
    return errors.fail("E_SCHEMA_VALIDATION", `"${property.name}" has no member "${rest.join(":")}".`, {
      details: { members: MEMBERS[property.type]?.map(([candidate]) => candidate) ?? [] },
    });
  }
  const whole = wholeJson(holder, property, context);
  const change = setProperty(holder, property.name, { ...whole, [member]: json }, context);
  if (!change.ok) return change;
  return ok({ name, type: known[1], old: whole[member] ?? null, new: json });
}

/** The current value of a compound, from the transform if it is stored there. */
function wholeJson(holder: PropertyHolder, property: ClassProperty, { scene }: PropertyContext): JsonObject {
  const textOf = (name: string) => valueIn(holder.block, name) ?? holder.inherited.get(name)?.text;
  const transform = property.stored || !isSpatial(property.name) ? undefined : transformOf(textOf);
  // Only properties with members get here, and their JSON is an object.
  if (transform === undefined || !isSpatial(property.name))
    return currentJson(holder, property, scene) as JsonObject;
  return spatialJson(transform, property.name);
}

function hostFor(holder: PropertyHolder, property: string, context: PropertyContext): ResourceHost {
  const { world, resources } = context;
  const fits = (type: string, classes: string) => {
    const wanted = classes.split(",").filter((name) => !name.startsWith("-"));
    return (
      !world.classes.has(type) ||
      wanted.some((name) => !world.classes.has(name) || world.classes.inherits(type, name))
    );
  };
  const misfit = (type: string, classes: string) =>
    errors.fail("E_SCHEMA_VALIDATION", `A ${type} is not a ${classes}.`, {
      details: { expected: classes, given: type },
    });
  return {
    isNodeClass: (classes) => world.classes.inherits(classes, "Node"),
    external(res, classes) {
      const type = world.resource(res)?.type;
      if (type !== undefined && !fits(type, classes)) return misfit(type, classes);
      return resources.external(res);
    },
    internal(type, properties, classes) {
      if (!world.classes.inherits(type, "Resource"))
        return unknownName(
          "E_NOT_FOUND",
          `There is no resource class "${type.slice(0, 80)}".`,
          type,
          world.classes.names,
        );
      if (!world.classes.canMake(type)) return abstractClass(world.classes, type);
      if (!fits(type, classes)) return misfit(type, classes);
      return internalResource(type, properties, context);
    },
    node(path, classes) {
      const found = context.pathToNode(path, classes);
      if (!found.ok) return found;
      holder.holdsNode?.(property);
      return ok({ kind: "call", name: "NodePath", args: [{ kind: "string", value: found.value }] });
    },
  };
}

export function internalResource(
  type: string,
  properties: JsonObject,
  context: PropertyContext,
): Result<Variant, ValueCode> {
  // Resources inside this one must come before it in the file, so it is inserted last.
  const inner = draftBlock();
  const draft = { block: inner, type, script: undefined, unknownScript: false, inherited: new Map() };
  const changes = setProperties(draft, properties, context);
  if (!changes.ok) return changes;
  const { block, variant } = context.resources.internal(type);
  for (const part of inner.body)
    if (part.kind === "assignment") context.scene.set(block, part.name, part.value);
  return ok(variant);
}

/** Lines that are not yet part of a file. */
function draftBlock(): Block {
  return { heading: { kind: "heading", text: "", tag: "", fields: [] }, body: [] };
}

function put(holder: PropertyHolder, property: ClassProperty, value: Variant, scene: SceneText): void {
  const text = writeVariant(value);
  const inherited = holder.inherited.get(property.name);
  // Each file has its own resource ids.
  const isLeftOut =
    inherited === undefined
      ? isNative(property) && isDefault(text, property)
      : !text.includes("Resource(") && isWrittenAs(inherited.text, text);
  if (isLeftOut) scene.unset(holder.block, property.name);
  else scene.set(holder.block, property.name, text);
}

/** The default in a script may be computed, so the value is always written. */
function isNative({ from }: ClassProperty): boolean {
  return from !== "" && !from.startsWith("res://");
}

function currentText(
  holder: PropertyHolder,
  { name }: ClassProperty,
  scene: SceneText,
): HeldValue | undefined {
  const own = valueIn(holder.block, name);
  return own === undefined ? holder.inherited.get(name) : { text: own, file: scene };
}

function currentJson(holder: PropertyHolder, property: ClassProperty, scene: SceneText): Json {
  const held = currentText(holder, property, scene);
  const declared = property.type !== "Variant";
  return held === undefined ? defaultJson(property, scene) : jsonOfText(held.text, held.file, declared);
}
