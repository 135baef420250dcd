import { isJsonObject, type Json } from "../json.ts";
import type { Flaw } from "./lint.ts";

/** Anthropic refuses a request with a tool that has other names of arguments. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;
const MOST_DEPTH = 8;

/** Why clients drop, refuse or misread an input schema. */
export function schemaFlaws(schema: Json | undefined): Flaw[] {
  if (!isJsonObject(schema) || schema.type !== "object")
    return [
      {
        level: "error",
        rule: "schema-root",
        message: "The input schema is not of type object: Claude Code then drops every tool of the server.",
      },
    ];
  const flaws: Flaw[] = [];
  const composed = ["oneOf", "anyOf", "allOf", "not"].filter((word) => word in schema);
  if (composed.length > 0)
    flaws.push({
      level: "error",
      rule: "schema-root",
      message: `The root of the input schema has ${composed.join(" and ")}: Claude Code drops the tool.`,
    });
  if (!isJsonObject(schema.properties))
    flaws.push({
      level: "error",
      rule: "schema-properties",
      message: "The input schema has no properties: some clients refuse it. Write `properties: {}` for none.",
    });
  if (schema.additionalProperties !== false)
    flaws.push({
      level: "warning",
      rule: "schema-open",
      message: "The input schema takes unknown arguments, so that a misspelt one is not noticed.",
    });
  for (const [name, part] of membersOf(schema.properties)) {
    if (!ARGUMENT.test(name))
      flaws.push({
        level: "error",
        rule: "argument-name",
        message: `The argument ${JSON.stringify(name)} has a name that clients refuse: 1 to 64 letters, digits, \`_\`, \`.\` and \`-\`.`,
      });
    if (isJsonObject(part) && typeof part.description !== "string" && !("$ref" in part))
      flaws.push({
        level: "warning",
        rule: "argument-description",
        message: `The argument ${name} has no description.`,
      });
    flaws.push(...partFlaws(part, name, 1));
  }
  for (const [name, part] of membersOf(schema.$defs)) flaws.push(...partFlaws(part, `$defs.${name}`, 1));
  return flaws;
}

function partFlaws(schema: Json | undefined, at: string, depth: number): Flaw[] {
  const flaw = (level: Flaw["level"], rule: string, message: string): Flaw => ({ level, rule, message });
  if (depth > MOST_DEPTH)
    return [flaw("warning", "schema-depth", `${at} is nested deeper than ${MOST_DEPTH} levels.`)];
  if (!isJsonObject(schema))
    return [
      flaw("error", "schema-boolean", `${at} has the schema ${JSON.stringify(schema)}: give it a type.`),
    ];
  const flaws: Flaw[] = [];
  const { $ref, type, prefixItems, items } = schema;
  if (typeof $ref === "string" && !$ref.startsWith("#"))
    flaws.push(flaw("error", "schema-ref", `${at} refers to ${$ref}, which no client fetches.`));
  else if ($ref !== undefined)
    flaws.push(flaw("warning", "schema-ref", `${at} has a $ref, which some clients do not follow.`));
  if (Array.isArray(prefixItems) || items === false)
    flaws.push(flaw("error", "schema-tuple", `${at} is a tuple, which clients refuse: use an object.`));
  if (Array.isArray(type))
    flaws.push(flaw("warning", "schema-union", `${at} has several types; clients that know one drop it.`));
  if (!["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"].some((word) => word in schema))
    flaws.push(flaw("warning", "schema-untyped", `${at} has no type; some clients send text for it.`));
  const inner: readonly (readonly [string, Json | undefined])[] = [
    ...membersOf(schema.properties).map(([name, part]) => [`${at}.${name}`, part] as const),
    ...(isJsonObject(items) ? [[`${at}[]`, items] as const] : []),
    ...(isJsonObject(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0
      ? [[`${at}.*`, schema.additionalProperties] as const]
      : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((word) => {
      const parts = schema[word];
      return Array.isArray(parts) ? (parts as readonly Json[]).map((part) => [at, part] as const) : [];
    }),
  ];
  return [...flaws, ...inner.flatMap(([name, part]) => partFlaws(part, name, depth + 1))];
}

function membersOf(value: Json | undefined): [string, Json | undefined][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
