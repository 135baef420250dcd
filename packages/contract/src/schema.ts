import * as z from "zod";
import type { Json, JsonObject, JsonSchema } from "./json.ts";
import type { SchemaStyle } from "./tool.ts";

/**
 * The JSON Schema of a zod schema as clients get it: no `$schema` line (2020-12 is the default dialect) and no
 * bounds that only restate what an integer is. Throws on what JSON cannot carry, such as dates.
 */
export function wireSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  // zod's own type for a JSON Schema is wider than JSON; what it produces is JSON.
  const converted = z.toJSONSchema(schema, { io }) as unknown as JsonObject;
  const { $schema, ...rest } = converted;
  const declared = z.globalRegistry.get(schema)?.$schema;
  return tidy(declared === undefined ? rest : { $schema, ...rest }) as JsonSchema;
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

/** Why clients would drop or misread this input schema, or undefined. */
export function unportable(schema: JsonSchema, style: SchemaStyle = "flat"): string | undefined {
  if (schema.type !== "object") return "its root is not an object";
  const composed = ["oneOf", "anyOf", "allOf", "not"].find((word) => word in schema);
  if (composed !== undefined && style === "flat") return `its root has ${composed}`;
  if (schema.additionalProperties !== false) return "it takes unknown arguments (use z.strictObject)";
  return untyped(schema, "");
}

function untyped(schema: JsonObject, path: string): string | undefined {
  for (const [name, property] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof property !== "object" || property === null || Array.isArray(property))
      return `${at} has a boolean schema`;
    const member = property as JsonObject;
    const typed = ["type", "enum", "const", "$ref", "anyOf", "oneOf"].some((word) => word in member);
    if (!typed) return `${at} has no type`;
    if (Array.isArray(member.type)) return `${at} has a union of types`;
    if (Array.isArray(member.prefixItems)) return `${at} is a tuple; use an object`;
    if ("x-mcp-header" in member && !["string", "integer", "boolean"].includes(String(member.type)))
      return `${at} cannot be repeated in a header`;
    if (path === "" && typeof member.description !== "string" && !("$ref" in member))
      return `${at} has no description`;
    const inner = untyped(member, at);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
