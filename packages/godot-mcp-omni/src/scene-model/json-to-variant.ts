import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject, nearest, parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { at, errors, type Result } from "../errors.ts";
import { COLOR_NAMES } from "../formats/color-names.ts";
import type { Entry, Variant } from "../formats/variant.ts";
import { argumentOrder, isClassType, MEMBERS, PACKED, width } from "../formats/variant-types.ts";

export type ValueCode = "E_SCHEMA_VALIDATION" | "E_NOT_FOUND" | "E_UNSUPPORTED";
type Made = Result<Variant, ValueCode>;

/** Creates and finds the resources that a value refers to. */
export interface ResourceHost {
  /** Refers to a file; it must fit one of the classes. */
  readonly external: (res: string, classes: string) => Made;
  /** Makes a resource inside the file being written. */
  readonly internal: (type: string, properties: JsonObject, classes: string) => Made;
  /** A node path relative to the node that holds the value. */
  readonly node: (path: string, classes: string) => Made;
  readonly isNodeClass: (classes: string) => boolean;
}

/** A host for values that can hold neither a resource nor a node. */
export function plainValuesOnly(refused: () => Made): ResourceHost {
  return { external: refused, internal: refused, node: refused, isNodeClass: () => false };
}

/** Converts JSON to a value of the declared type; `Variant` if none is declared. */
export function variantOf(
  json: Json,
  type: string,
  host: ResourceHost,
  labels: NumberLabels = NO_LABELS,
): Made {
  if (isJsonObject(json) && "$type" in json) return tagged(json, type, host);
  if (type === "Variant") return untyped(json, host);
  if (type in MEMBERS) return compound(spelledOut(json, type), type);
  if (type in PACKED) return packed(itemsOf(json, type), type);
  const [base = type, inner] = splitType(type);
  switch (base) {
    case "bool":
      return typeof json === "boolean" ? ok({ kind: "bool", value: json }) : mismatch(json, type);
    case "int":
      return integer(json, type, labels);
    case "float":
      return float(json, type);
    case "String":
      return typeof json === "string" ? ok({ kind: "string", value: json }) : mismatch(json, type);
    case "StringName":
      return typeof json === "string" ? ok({ kind: "name", value: json }) : mismatch(json, type);
    case "NodePath":
      return typeof json === "string"
        ? ok({ kind: "call", name: "NodePath", args: [{ kind: "string", value: json }] })
        : mismatch(json, type);
    case "PackedByteArray":
      return typeof json === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(json)
        ? ok({ kind: "call", name: "PackedByteArray", args: [{ kind: "string", value: json }] })
        : mismatch(json, type);
    case "Array":
      return array(json, type, inner, host);
    case "Dictionary":
      return dictionary(json, type, inner, host);
  }
  return isClassType(type) ? object(json, type, host) : mismatch(json, type);
}

/** The numbers of a text such as `Vector2(1, 2)`, as in GDScript and scene files. */
function spelledOut(json: Json, type: string): Json {
  const [, name = "", numbers = ""] =
    typeof json === "string"
      ? (/^\s*((?:Vector|Color|Quaternion)\w*)\(([-\d.,e+\s]+)\)\s*$/.exec(json) ?? [])
      : [];
  const isSame = name.replace(/i$/, "") === type.replace(/i$/, "");
  return name !== "" && isSame ? numbers.split(",").map(Number) : json;
}

/** The items of a text such as `PackedVector2Array(0, 0, 1, 1)`, as in scene files. */
function itemsOf(json: Json, type: string): Json {
  const text = typeof json === "string" ? json.trim() : "";
  if (!text.startsWith(`${type}(`) || !text.endsWith(")")) return json;
  const items = parseJson(`[${text.slice(type.length + 1, -1)}]`);
  const size = width(PACKED[type] ?? "float");
  if (!Array.isArray(items) || items.length % size !== 0) return json;
  const list = items as readonly Json[];
  return size === 1
    ? list
    : Array.from({ length: list.length / size }, (_, at) => list.slice(at * size, (at + 1) * size));
}

function untyped(json: Json, host: ResourceHost): Made {
  if (json === null) return ok({ kind: "nil" });
  if (typeof json === "boolean") return ok({ kind: "bool", value: json });
  if (typeof json === "string") return ok({ kind: "string", value: json });
  if (typeof json === "number")
    return Number.isInteger(json) ? ok({ kind: "number", text: String(json) }) : float(json, "float");
  if (Array.isArray(json)) return array(json, "Array", undefined, host);
  // The remaining kind of JSON is an object.
  const members = json as JsonObject;
  if ("resource" in members || ("path" in members && Object.keys(members).length === 1))
    return object(members, "Resource", host);
  if ("$type" in members) return tagged(members, "Variant", host);
  return dictionary(members, "Dictionary", undefined, host);
}

function tagged(json: JsonObject, wanted: string, host: ResourceHost): Made {
  const { $type, ...rest } = json;
  const type = typeof $type === "string" ? $type : "";
  if (wanted !== "Variant" && splitType(wanted)[0] !== type) return mismatch(json, wanted);
  if (type === "Dictionary") return entriesOf(rest, host);
  if (type in MEMBERS) return compound(rest, type);
  if (isClassType(type) || type === "Variant")
    return errors.fail("E_SCHEMA_VALIDATION", `"${type.slice(0, 40)}" is no type of value that Godot has.`);
  if (Object.keys(rest).join() !== "value")
    return errors.fail("E_SCHEMA_VALIDATION", `{"$type": "${type}"} needs the one member "value".`);
  return variantOf(rest.value ?? null, type, host);
}

function entriesOf(json: JsonObject, host: ResourceHost): Made {
  if (!Array.isArray(json.entries))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `{"$type": "Dictionary"} needs "entries": a list of [key, value].`,
    );
  const entries: Entry[] = [];
  for (const pair of json.entries as readonly Json[]) {
    if (!Array.isArray(pair) || pair.length !== 2)
      return errors.fail("E_SCHEMA_VALIDATION", "Every entry of a dictionary is [key, value].");
    const key = untyped(pair[0] as Json, host);
    if (!key.ok) return key;
    const value = untyped(pair[1] as Json, host);
    if (!value.ok) return value;
    entries.push([key.value, value.value]);
  }
  return ok({ kind: "dictionary", entries });
}

/** Labels of a property's numbers. */
export interface NumberLabels {
  readonly name: string;
  readonly choices?: ReadonlyMap<string, number> | undefined;
  readonly flags?: ReadonlyMap<string, number> | undefined;
}

const NO_LABELS: NumberLabels = { name: "" };

function integer(json: Json, type: string, { name, choices, flags }: NumberLabels): Made {
  if (typeof json === "number" && Number.isInteger(json)) {
    if (choices === undefined || choices.size === 0 || [...choices.values()].includes(json))
      return ok({ kind: "number", text: wholeNumber(json) });
    return errors.fail("E_SCHEMA_VALIDATION", `${json} is not one of the choices.`, {
      details: { choices: Object.fromEntries(choices) },
    });
  }
  if (typeof json === "string" && choices === undefined && isWhole(json))
    return ok({ kind: "number", text: json });
  const known = choices ?? flags;
  if (typeof json !== "string" || known === undefined) return mismatch(json, type);
  const chosen =
    choices === undefined ? bitsOf(flags ?? new Map(), json, name) : labelled(choices, json, name);
  if (chosen !== undefined) return ok({ kind: "number", text: String(chosen) });
  const labels = known.size === 0 ? ["layer1|layer3"] : [...known.keys()];
  const guess = nearest(json, labels);
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `There is no choice "${json.slice(0, 60)}".${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
    { details: { choices: labels } },
  );
}

/**
 * The number of "Keep Aspect" for `KEEP_ASPECT`, `keep aspect`, and `STRETCH_KEEP_ASPECT` of the property
 * `stretch_mode`: a name may begin with words of the property's. Undefined unless exactly one label fits.
 */
function labelled(labels: ReadonlyMap<string, number>, given: string, property: string): number | undefined {
  const exact = labels.get(given);
  if (exact !== undefined) return exact;
  for (const name of withoutPrefix(given, property)) {
    const found = [...labels].filter(([label]) =>
      // "Pass (Propagate Up)" is `pass`.
      [label, label.replace(/ \(.*$/, "")].some((written) => folded(written) === folded(name)),
    );
    if (found.length === 1) return found[0]?.[1];
  }
  return undefined;
}

/** The bits of `layer1|layer3`, `SIZE_EXPAND|SIZE_FILL`, `Expand | Fill` or `SIZE_EXPAND_FILL`. */
function bitsOf(flags: ReadonlyMap<string, number>, given: string, property: string): number | undefined {
  let bits = 0;
  for (const part of given.split("|").map((name) => name.trim())) {
    const bit = flags.size === 0 ? layerBit(part) : labelled(allCombined(flags), part, property);
    if (bit === undefined) return undefined;
    bits = (bits | bit) >>> 0;
  }
  return bits;
}

function layerBit(name: string): number | undefined {
  const number = Number(/^layer[ _]?(\d{1,2})$/i.exec(name)?.[1] ?? 0);
  return number >= 1 && number <= 32 ? (1 << (number - 1)) >>> 0 : undefined;
}

/** Two labels make a name, too: `EXPAND_FILL`. */
function allCombined(flags: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const pairs = [...flags].flatMap(([a, x]) =>
    [...flags].flatMap(([b, y]): [string, number][] => (a === b ? [] : [[`${a} ${b}`, x | y]])),
  );
  return new Map([...pairs, ...flags]);
}

/** The name itself, then without leading words of the property's name. */
function withoutPrefix(given: string, property: string): string[] {
  const known = new Set(property.toLowerCase().split("_"));
  const words = given.split(/[ _-]/);
  const names = [given];
  for (let start = 1; start < words.length && known.has(words[start - 1]?.toLowerCase() ?? ""); start++)
    names.push(words.slice(start).join("_"));
  return names;
}

function folded(label: string): string {
  return label.toLowerCase().replace(/[ _-]/g, "");
}

/** As text, a 64-bit number keeps all its digits. */
function isWhole(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function float(json: Json, type: string): Made {
  if (json === "inf" || json === "-inf" || json === "nan") return ok({ kind: "number", text: json });
  if (typeof json !== "number") return mismatch(json, type);
  return ok({ kind: "number", text: Number.isInteger(json) ? `${wholeNumber(json)}.0` : String(json) });
}

/** Avoids the exponent that JavaScript writes from 1e21 on, which Godot would read as a float. */
function wholeNumber(value: number): string {
  return Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();
}

function array(json: Json, type: string, element: string | undefined, host: ResourceHost): Made {
  if (!Array.isArray(json)) return mismatch(json, type);
  const items: Variant[] = [];
  for (const [index, item] of json.entries()) {
    const made = variantOf(item as Json, element ?? "Variant", host);
    if (!made.ok) return at(`[${index}]`, made);
    items.push(made.value);
  }
  return ok(element === undefined ? { kind: "array", items } : { kind: "array", of: element, items });
}

function dictionary(json: Json, type: string, inner: string | undefined, host: ResourceHost): Made {
  if (!isJsonObject(json)) return mismatch(json, type);
  const [keyType = "String", valueType = "Variant"] = inner?.split(/,\s*/) ?? [];
  const entries: Entry[] = [];
  for (const [text, member] of Object.entries(json)) {
    const keyJson = keyType === "float" ? Number(text) : text;
    const key = variantOf(keyJson, keyType, host);
    if (!key.ok) return at(text, key);
    const value = variantOf(member ?? null, valueType, host);
    if (!value.ok) return at(text, value);
    entries.push([key.value, value.value]);
  }
  return ok(
    inner === undefined ? { kind: "dictionary", entries } : { kind: "dictionary", of: inner, entries },
  );
}

function compound(json: Json, type: string): Made {
  const numbers = type === "Color" && typeof json === "string" ? htmlColor(json) : numbersOf(json, type);
  if (numbers === undefined) return mismatch(json, type);
  const args = argumentOrder(type).map((index): Variant => ({ kind: "number", text: numbers[index] ?? "0" }));
  return ok({ kind: "call", name: type, args });
}

/** The numbers of a compound in the order of its members, or undefined if members are missing or superfluous. */
function numbersOf(json: Json, type: string): string[] | undefined {
  const members = MEMBERS[type];
  if (members === undefined) {
    const made = type === "int" ? integer(json, type, NO_LABELS) : float(json, type);
    if (!made.ok || made.value.kind !== "number") return undefined;
    return [made.value.text.replace(/\.0$/, "")];
  }
  if (type === "Color" && typeof json === "string") return htmlColor(json);
  const named = byName(json, type, members);
  if (!isJsonObject(named)) return undefined;
  const given = type === "Color" ? { a: 1, ...named } : named;
  if (Object.keys(given).length !== members.length) return undefined;
  const numbers: string[] = [];
  for (const [name, inner] of members) {
    const member = given[name];
    const part = member === undefined ? undefined : numbersOf(member, inner);
    if (part === undefined) return undefined;
    numbers.push(...part);
  }
  return numbers;
}

/** Converts a list of numbers, or the sides of a rectangle, to the members of the type. */
function byName(json: Json, type: string, members: readonly (readonly [name: string, type: string])[]): Json {
  const isRect = type === "Rect2" || type === "Rect2i";
  if (isRect && isJsonObject(json) && Object.keys(json).sort().join() === "height,width,x,y")
    return byName([json.x ?? null, json.y ?? null, json.width ?? null, json.height ?? null], type, members);
  if (!Array.isArray(json)) return json;
  const list = json as readonly Json[];
  if (isRect && list.length === 4) return { position: list.slice(0, 2), size: list.slice(2) };
  const isFlat = members.every(([, member]) => member === "float" || member === "int");
  const isComplete = list.length === members.length || (type === "Color" && list.length === 3);
  if (!isFlat || !isComplete) return json;
  return Object.fromEntries(list.map((item, index) => [members[index]?.[0] ?? "", item]));
}

/** The shortest text of the same 32-bit number, as Godot writes it. */
export function shortFloat(value: number): string {
  const single = Math.fround(value);
  const texts = [6, 7, 8, 9].map((digits) => String(Number(single.toPrecision(digits))));
  return texts.find((text) => Math.fround(Number(text)) === single) ?? String(value);
}

/** `#f80`, `#ff8800`, `#ff8800cc`, with or without the mark; or a name such as `dark orange`. */
function htmlColor(text: string): string[] | undefined {
  const digits =
    /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text)?.[1] ??
    COLOR_NAMES.get(text.toLowerCase().replace(/[ \-_'.]/g, ""));
  if (digits === undefined) return undefined;
  const pairs =
    digits.length <= 4 ? Array.from(digits, (digit) => digit + digit) : (digits.match(/../g) ?? []);
  const channels = pairs.map((pair) => shortFloat(Number.parseInt(pair, 16) / 255));
  return channels.length === 3 ? [...channels, "1"] : channels;
}

function packed(json: Json, type: string): Made {
  const element = PACKED[type] ?? "float";
  if (!Array.isArray(json)) return mismatch(json, type);
  const args: Variant[] = [];
  for (const item of json as readonly Json[]) {
    if (element === "String") {
      if (typeof item !== "string") return mismatch(json, type);
      args.push({ kind: "string", value: item });
      continue;
    }
    const numbers = numbersOf(item, element);
    if (numbers === undefined) return mismatch(json, type);
    args.push(...numbers.map((text): Variant => ({ kind: "number", text })));
  }
  return ok({ kind: "call", name: type, args });
}

function object(json: Json, classes: string, host: ResourceHost): Made {
  if (json === null) return ok({ kind: "nil" });
  if (isJsonObject(json) && typeof json.node === "string") return host.node(json.node, classes);
  if (typeof json === "string") {
    if (host.isNodeClass(classes)) return host.node(json, classes);
    return json.startsWith("res://") ? host.external(json, classes) : mismatch(json, classes);
  }
  if (!isJsonObject(json)) return mismatch(json, classes);
  if (typeof json.path === "string" && json.properties === undefined)
    return host.external(json.path, classes);
  if (typeof json.resource !== "string") return mismatch(json, classes);
  const properties = json.properties ?? {};
  if (!isJsonObject(properties))
    return errors.fail("E_SCHEMA_VALIDATION", '"properties" of a resource is an object.');
  return host.internal(json.resource, properties, classes);
}

function mismatch(json: Json, expected: string) {
  const given = JSON.stringify(json);
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${given.slice(0, 80)} does not fit: ${expected} is expected${example(expected)}.`,
    { details: { expected, given: given.length <= 200 ? json : given.slice(0, 200) } },
  );
}

function example(type: string): string {
  const members = MEMBERS[type];
  if (members !== undefined) return ` as {${members.map(([name]) => name).join(", ")}}`;
  if (type === "PackedByteArray") return " as base64 text";
  if (isClassType(type)) return ' as "res://…", {resource, properties} or null';
  return "";
}

function splitType(type: string): [string, string | undefined] {
  const open = type.indexOf("[");
  return open === -1 ? [type, undefined] : [type.slice(0, open), type.slice(open + 1, -1)];
}
