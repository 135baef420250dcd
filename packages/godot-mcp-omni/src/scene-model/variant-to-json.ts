import type { Json, JsonObject } from "@toolpact/contract";
import { assignmentsOf, type SceneText, textField } from "../formats/scene-text.ts";
import { type Entry, parseVariant, type Variant } from "../formats/variant.ts";
import { argumentOrder, MEMBERS, PACKED, width } from "../formats/variant-types.ts";
import { extResourcePath } from "./scene-world.ts";

/**
 * Converts a value of a scene file to JSON, like the engine's worker: with a declared type, a vector is
 * `{x, y}`; otherwise a value that JSON lacks carries its type, as in `{"$type": "Vector2", x, y}`.
 */
export function jsonOfText(text: string, file: SceneText, declared: boolean): Json {
  const parsed = parseVariant(text);
  return parsed.ok ? toJson(parsed.value, file, declared, 2) : { $text: text };
}

function toJson(value: Variant, file: SceneText, declared: boolean, depth: number): Json {
  switch (value.kind) {
    case "nil":
      return null;
    case "bool":
      return value.value;
    case "number": {
      const json = numberOf(value.text);
      return declared || !isBeyondJson(value.text) ? json : { $type: "int", value: json };
    }
    case "string":
      return value.value;
    case "name":
      return declared ? value.value : { $type: "StringName", value: value.value };
    case "array":
      return value.items.map((item) => toJson(item, file, value.of !== undefined, depth));
    case "dictionary":
      return dictionaryOf(value.entries, value.of !== undefined, file, depth);
    case "object":
      return {
        resource: value.type,
        properties: dictionaryOf(value.entries, true, file, depth),
      };
    case "call":
      return callToJson(value.name, value.args, file, declared, depth);
  }
}

function callToJson(
  name: string,
  args: readonly Variant[],
  file: SceneText,
  declared: boolean,
  depth: number,
): Json {
  const tag = (json: JsonObject) => (declared ? json : { $type: name, ...json });
  const tagValue = (value: Json) => (declared ? value : { $type: name, value });
  const [first] = args;
  if (name === "ExtResource" || name === "SubResource") return referred(name, first, file, depth);
  if (name === "Resource") return { path: first?.kind === "string" ? first.value : null };
  if (name === "NodePath") return tagValue(first?.kind === "string" ? first.value : "");
  if (name === "PackedByteArray") return tagValue(base64Of(args));
  if (name in MEMBERS) return tag(membersOf(name, args.map(number)));
  const element = PACKED[name];
  if (element === undefined) return { $type: name };
  if (element === "String") return tagValue(args.map((arg) => (arg.kind === "string" ? arg.value : "")));
  const step = width(element);
  const numbers = args.map(number);
  if (step === 1) return tagValue(numbers);
  const items = Array.from({ length: Math.floor(numbers.length / step) }, (_, index) =>
    membersOf(element, numbers.slice(index * step, (index + 1) * step)),
  );
  return tagValue(items);
}

/** Members of a compound from its constructor's numbers. */
function membersOf(type: string, numbers: readonly Json[]): JsonObject {
  const order = argumentOrder(type);
  const inOrder = order.map((_, index) => numbers[order.indexOf(index)] ?? 0);
  let at = 0;
  const read = (name: string): Json => {
    const members = MEMBERS[name];
    if (members === undefined) return inOrder[at++] ?? 0;
    return Object.fromEntries(members.map(([member, inner]) => [member, read(inner)]));
  };
  return read(type) as JsonObject;
}

function referred(
  kind: "ExtResource" | "SubResource",
  id: Variant | undefined,
  file: SceneText,
  depth: number,
): Json {
  const key = id?.kind === "string" ? id.value : id?.kind === "number" ? id.text : "";
  if (kind === "ExtResource") {
    const block = file.tagged("ext_resource").find((candidate) => textField(candidate, "id") === key);
    return {
      resource: (block && textField(block, "type")) ?? "Resource",
      path: extResourcePath(file, key) ?? null,
    };
  }
  const block = file.tagged("sub_resource").find((candidate) => textField(candidate, "id") === key);
  const type = (block && textField(block, "type")) ?? "Resource";
  const properties = block === undefined || depth === 0 ? [] : assignmentsOf(block);
  if (properties.length === 0) return { resource: type };
  return {
    resource: type,
    properties: Object.fromEntries(
      properties.map(({ name, value }) => {
        const parsed = parseVariant(value);
        return [name, parsed.ok ? toJson(parsed.value, file, true, depth - 1) : { $text: value }];
      }),
    ),
  };
}

function dictionaryOf(entries: readonly Entry[], typed: boolean, file: SceneText, depth: number): JsonObject {
  const plain = entries.every(
    ([key]) => (key.kind === "string" && !key.value.startsWith("$")) || (typed && key.kind === "name"),
  );
  if (!plain) {
    return {
      $type: "Dictionary",
      entries: entries.map(([key, value]) => [
        toJson(key, file, false, depth),
        toJson(value, file, false, depth),
      ]),
    };
  }
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key.kind === "string" || key.kind === "name" ? key.value : "",
      toJson(value, file, typed, depth),
    ]),
  );
}

function number(value: Variant): Json {
  return value.kind === "number" ? numberOf(value.text) : 0;
}

function numberOf(text: string): Json {
  const value = Number(text);
  if (isBeyondJson(text)) return text;
  if (Number.isFinite(value)) return value;
  return text === "-inf" || text === "inf" ? text : "nan";
}

/** An integer that does not fit a JSON number; it is written as text. */
function isBeyondJson(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Bytes are written as base64, or as a list of numbers. */
export function base64Of(args: readonly Variant[]): string {
  const [first] = args;
  if (first?.kind === "string") return first.value;
  return Buffer.from(args.map((arg) => (arg.kind === "number" ? Number(arg.text) : 0))).toString("base64");
}
