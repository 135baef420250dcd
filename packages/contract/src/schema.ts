import * as z from "zod";
import type { Json, JsonObject, JsonSchema } from "./json.ts";
import type { SchemaStyle } from "./tool.ts";

/**
 * As sent to clients: without `$schema` and bounds that restate the integer range. Throws for values such as
 * dates.
 */
export function wireSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  // zod's type is wider than JSON, its output is not.
  const converted = z.toJSONSchema(schema, { io }) as unknown as JsonObject;
  const { $schema, ...rest } = converted;
  const declared = z.globalRegistry.get(schema)?.$schema;
  const tidied = tidy(declared === undefined ? rest : { $schema, ...rest }) as JsonSchema;
  return io === "output" ? (portable(tidied) as JsonSchema) : tidied;
}

const WITHOUT_RULE = new Set(["title", "description", "default", "examples", "deprecated"]);

/** Any JSON value, for clients that support one type per schema. */
const ANY_VALUE: readonly JsonObject[] = [
  { type: "object", additionalProperties: true },
  ...["array", "string", "number", "boolean", "null"].map((type) => ({ type })),
];

/** For clients that support one `type` per schema and reject empty schemas. */
function portable(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  const inner = mapSchemas(rest, portable);
  if (Array.isArray(type)) {
    const { title, description, ...rules } = inner;
    return {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      anyOf: type.map((one) => (one === "null" ? { type: one } : { type: one, ...rules })),
    };
  }
  if (type !== undefined) return { type, ...inner };
  return Object.keys(inner).every((word) => WITHOUT_RULE.has(word)) ? { ...inner, anyOf: ANY_VALUE } : inner;
}

/** Applies to schemas directly inside the schema. */
function mapSchemas(schema: JsonObject, change: (part: JsonObject) => JsonObject): JsonObject {
  const changed = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.map((item) => changed(item) ?? null);
    return typeof value === "object" && value !== null ? change(value as JsonObject) : value;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      if (word === "properties" || word === "$defs")
        return [
          word,
          Object.fromEntries(Object.entries(membersOf(value)).map(([name, part]) => [name, changed(part)])),
        ];
      if (word === "additionalProperties" && isEmpty(value)) return [word, true];
      return ["items", "anyOf", "oneOf", "allOf", "additionalProperties"].includes(word)
        ? [word, changed(value)]
        : [word, value];
    }),
  );
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function tidy(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => tidy(item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as JsonObject).filter(
    ([key, member]) =>
      !(key === "minimum" && member === Number.MIN_SAFE_INTEGER) &&
      !(key === "maximum" && member === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(members.map(([key, member]) => [key, tidy(member)]));
}

/** Why clients would drop or misread this input schema. */
export function unportable(schema: JsonSchema, style: SchemaStyle = "flat"): string | undefined {
  if (schema.type !== "object") return "its root is not an object";
  const composed = ["oneOf", "anyOf", "allOf", "not"].find((word) => word in schema);
  if (composed !== undefined && style === "flat") return `its root has ${composed}`;
  if (schema.additionalProperties !== false) return "it takes unknown arguments (use z.strictObject)";
  const undescribed = Object.entries(membersOf(schema.properties)).find(
    ([, property]) => typeof property.description !== "string" && !("$ref" in property),
  );
  if (undescribed !== undefined) return `${undescribed[0]} has no description`;
  for (const [name, part] of Object.entries({
    ...membersOf(schema.properties),
    ...membersOf(schema.$defs),
  })) {
    const flaw = flawOf(part, name);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function flawOf(schema: JsonObject, at: string): string | undefined {
  if (typeof schema !== "object") return `${at} has a boolean schema`;
  const isTyped = ["type", "enum", "const", "$ref", "anyOf", "oneOf"].some((word) => word in schema);
  if (!isTyped) return `${at} has no type`;
  if (Array.isArray(schema.type)) return `${at} has a union of types`;
  if (Array.isArray(schema.prefixItems)) return `${at} is a tuple; use an object`;
  if ("x-mcp-header" in schema && !["string", "integer", "boolean"].includes(String(schema.type)))
    return `${at} cannot be repeated in a header`;
  for (const [name, part] of parts(schema, `${at}.`)) {
    const flaw = flawOf(part, name);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/** By location. A free-form object has none. */
function parts(schema: JsonObject, prefix: string): [string, JsonObject][] {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema;
  const isMap =
    typeof additionalProperties === "object" && Object.keys(additionalProperties ?? {}).length > 0;
  const alternatives = [
    ...((anyOf ?? []) as readonly JsonObject[]),
    ...((oneOf ?? []) as readonly JsonObject[]),
  ];
  return [
    ...Object.entries(membersOf(properties)).map(([name, part]): [string, JsonObject] => [
      `${prefix}${name}`,
      part,
    ]),
    ...(items === undefined ? [] : [[`${prefix}items`, items as JsonObject] satisfies [string, JsonObject]]),
    ...(isMap
      ? [[`${prefix}values`, additionalProperties as JsonObject] satisfies [string, JsonObject]]
      : []),
    ...alternatives.map((part): [string, JsonObject] => [`${prefix}choice`, part]),
  ];
}

function membersOf(schemas: Json | undefined): Record<string, JsonObject> {
  // By JSON Schema, these members are schemas.
  return (schemas ?? {}) as Record<string, JsonObject>;
}
