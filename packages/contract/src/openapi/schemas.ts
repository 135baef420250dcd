import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { OpenApiDocument } from "./document.ts";
import { isList, textOf } from "./json-limits.ts";
import { cut } from "./wording.ts";

export interface Conversion {
  readonly document: OpenApiDocument;
  readonly direction: "input" | "output";
  /** Schemas left to visit: references multiply a small document. */
  left: number;
  /** Unconverted parts, as ends of sentences. */
  readonly problems: string[];
}

/** More than fits into the byte limit. */
export const MAX_SCHEMAS = { input: 2_000, output: 500 };
const MAX_ALTERNATIVES = 20;
const MAX_ENUM = 200;
const MAX_DESCRIPTION = 300;
const MAX_PATTERN = 200;

const anyMap = z.record(z.string(), z.unknown());
const scalars = [z.string(), z.number(), z.boolean()] as const;
const anyItem = z.union([...scalars, anyMap]);

/** Spelled out for clients that require a type everywhere. */
const anyInput = z.union([...scalars, z.null(), z.array(anyItem), anyMap]);

/**
 * Below `depth`, and for unknown keywords, any value of the kind is accepted. Patterns are untrusted, so they
 * are shown and not executed.
 */
export function zodOf(part: Json | undefined, at: Conversion, depth: number): z.ZodType {
  const schema = plain(part, at, 0);
  if (schema === undefined) return anything(at);
  const { isNullable, types } = typesOf(schema);
  const converted = withoutNull(schema, types, at, depth);
  return described(at, isNullable ? z.union([converted, z.null().describe("No value")]) : converted, schema);
}

/** Resolves references and `allOf`. */
export function plain(part: Json | undefined, at: Conversion, hops: number): JsonObject | undefined {
  if (part === true || part === undefined) return {};
  at.left -= 1;
  if (at.left < 0 || hops > 16) return undefined;
  const resolved = at.document.resolve(part);
  if (!resolved.ok) {
    at.problems.push(resolved.failure);
    return undefined;
  }
  const { allOf, ...own } = resolved.value;
  if (!isList(allOf)) return own;
  return allOf.reduce<JsonObject>((whole, piece) => merged(plain(piece, at, hops + 1) ?? {}, whole), own);
}

/** In a conflict, the second wins. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...listOf(one.required), ...listOf(other.required)];
  const properties = { ...membersOf(one.properties), ...membersOf(other.properties) };
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function withoutNull(schema: JsonObject, types: readonly string[], at: Conversion, depth: number): z.ZodType {
  const { oneOf, anyOf, const: only, enum: values } = schema;
  const alternatives = isList(anyOf) ? anyOf : isList(oneOf) ? oneOf : undefined;
  if (alternatives !== undefined) return alternativesOf(schema, alternatives, at, depth);
  if (isScalar(only)) return z.literal(only);
  if (isList(values)) {
    const literals = values.filter(isScalar);
    if (literals.length > 0 && literals.length <= MAX_ENUM) return enumOf(literals);
  }
  const [first, ...more] = types;
  if (first === undefined) return anything(at);
  const kinds = [first, ...more].map((type) => ofType(type, schema, at, depth));
  return union(kinds);
}

function alternativesOf(
  schema: JsonObject,
  alternatives: readonly Json[],
  at: Conversion,
  depth: number,
): z.ZodType {
  if (alternatives.length > MAX_ALTERNATIVES || depth <= 0) return anything(at);
  const { oneOf, anyOf, description, discriminator, nullable, ...common } = schema;
  const hasCommon = "properties" in common || "type" in common;
  return union(
    alternatives.map((part) => {
      if (!hasCommon) return zodOf(part, at, depth - 1);
      const alternative = plain(part, at, 0);
      return alternative === undefined ? anything(at) : zodOf(merged(common, alternative), at, depth - 1);
    }),
  );
}

function ofType(type: string, schema: JsonObject, at: Conversion, depth: number): z.ZodType {
  switch (type) {
    case "string":
      return at.direction === "output" ? z.string() : textSchema(schema);
    case "integer":
    case "number":
      return numberSchema(type, schema, at);
    case "boolean":
      return z.boolean();
    case "array": {
      const items =
        depth <= 0 || schema.items === undefined ? anyOfKind(at) : zodOf(schema.items, at, depth - 1);
      let list = z.array(items);
      if (at.direction === "output") return list;
      if (isCount(schema.minItems)) list = list.min(schema.minItems);
      if (isCount(schema.maxItems)) list = list.max(schema.maxItems);
      return list;
    }
    case "object":
      return objectSchema(schema, at, depth);
    case "null":
      return z.null();
    default:
      return anything(at);
  }
}

function objectSchema(schema: JsonObject, at: Conversion, depth: number): z.ZodType {
  const members = Object.entries(membersOf(schema.properties));
  const { additionalProperties: more } = schema;
  if (depth <= 0) return anyMap;
  if (members.length === 0)
    return isJsonObject(more) && Object.keys(more).length > 0
      ? z.record(z.string(), zodOf(more, at, depth - 1))
      : anyMap;
  const shape = shapeOf(schema, at, depth);
  if (at.direction === "output" || more === true || isJsonObject(more)) return z.looseObject(shape);
  // An undeclared member is more often the caller's mistake than the document's.
  return z.strictObject(shape);
}

/** The members used in this direction. */
export function shapeOf(schema: JsonObject, at: Conversion, depth: number): Record<string, z.ZodType> {
  const required = listOf(schema.required);
  const shape: [string, z.ZodType][] = [];
  for (const [name, part] of Object.entries(membersOf(schema.properties))) {
    if (name === "__proto__" || isOneWay(part, at)) continue;
    const member = zodOf(part, at, depth - 1);
    shape.push([name, required.includes(name) ? member : member.optional()]);
  }
  return Object.fromEntries(shape);
}

function isOneWay(part: Json | undefined, at: Conversion): boolean {
  const schema = plain(part, at, 0);
  return schema?.[at.direction === "input" ? "readOnly" : "writeOnly"] === true;
}

function textSchema(schema: JsonObject): z.ZodType {
  let text = z.string();
  if (isCount(schema.minLength)) text = text.min(schema.minLength);
  if (isCount(schema.maxLength)) text = text.max(schema.maxLength);
  return text;
}

function numberSchema(type: "integer" | "number", schema: JsonObject, at: Conversion): z.ZodType {
  // An answer may have an integer beyond the exact range.
  if (at.direction === "output") return z.number();
  let number: z.ZodNumber = type === "integer" ? z.int() : z.number();
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  // Exclusive bounds are flags next to the others in 3.0, and numbers in 3.1.
  if (typeof minimum === "number")
    number = exclusiveMinimum === true ? number.gt(minimum) : number.min(minimum);
  if (typeof maximum === "number")
    number = exclusiveMaximum === true ? number.lt(maximum) : number.max(maximum);
  if (typeof exclusiveMinimum === "number") number = number.gt(exclusiveMinimum);
  if (typeof exclusiveMaximum === "number") number = number.lt(exclusiveMaximum);
  return number;
}

function enumOf(values: readonly (string | number | boolean)[]): z.ZodType {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === values.length) return z.enum([...new Set(texts)]);
  return z.literal([...new Set(values)]);
}

/** Clients validate answers, so output schemas get no stricter rules. */
function described(at: Conversion, type: z.ZodType, schema: JsonObject): z.ZodType {
  const { format, pattern, default: usual } = schema;
  const description = cut(textOf(schema.description), MAX_DESCRIPTION);
  if (at.direction === "output") return description === "" ? type : type.describe(description);
  const meta = {
    ...(description !== "" && { description }),
    ...(typeof format === "string" && format.length < 40 && { format: cut(format, 40) }),
    ...(typeof pattern === "string" && pattern.length <= MAX_PATTERN && isRegExp(pattern) && { pattern }),
    ...(isScalar(usual) && { default: usual }),
  };
  return Object.keys(meta).length === 0 ? type : type.meta(meta);
}

function typesOf(schema: JsonObject): { readonly isNullable: boolean; readonly types: readonly string[] } {
  const { type, nullable, enum: values } = schema;
  const given = isList(type) ? type.filter((one) => typeof one === "string") : [type];
  const types = given.filter((one) => typeof one === "string" && one !== "null") as string[];
  const isNullable =
    nullable === true ||
    (types.length > 0 && given.includes("null")) ||
    (isList(values) && values.includes(null));
  if (types.length > 0 || type === "null") return { isNullable, types: types.length > 0 ? types : ["null"] };
  const guessed =
    schema.properties !== undefined || schema.additionalProperties !== undefined
      ? ["object"]
      : schema.items !== undefined
        ? ["array"]
        : [];
  return { isNullable, types: guessed };
}

function union(types: readonly z.ZodType[]): z.ZodType {
  const [only, ...others] = types;
  if (only === undefined) return z.null();
  if (others.length === 0) return only;
  // zod would make one schema of several bare types, which clients reject.
  return z.union([
    only,
    ...others.map((other) => (other.description === undefined ? other.describe("Or this") : other)),
  ]);
}

function anything(at: Conversion): z.ZodType {
  return at.direction === "input" ? anyInput : z.unknown();
}

function anyOfKind(at: Conversion): z.ZodType {
  return at.direction === "input" ? anyItem : z.unknown();
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isRegExp(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function membersOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}
