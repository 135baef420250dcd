import type { Json } from "@toolpact/contract";
import * as z from "zod";
import { configSchema } from "./schema.ts";

/** One key of the configuration, for everything except validating its value. */
export interface ConfigKey {
  /** `x_api.client_id` */
  readonly name: string;
  /** Empty for top-level keys. */
  readonly section: string;
  readonly key: string;
  /** `TUITBOT_X_API__CLIENT_ID` */
  readonly env: string;
  readonly kind: "text" | "integer" | "number" | "switch" | "texts" | "json";
  readonly choices: readonly string[];
  readonly fallback: Json | undefined;
  readonly describe: string;
  readonly isSecret: boolean;
  /** The fields of each table, for a list of tables. */
  readonly fields: readonly ConfigField[];
  /** A part of a file that sets it, in TOML; empty for keys whose default shows the form. */
  readonly example: string;
}

/** One field of a table in a list. */
export interface ConfigField {
  /** `conditions.tools` */
  readonly name: string;
  readonly kind: ConfigKey["kind"];
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly fallback: Json | undefined;
  readonly describe: string;
  readonly isSecret: boolean;
}

/** Every key, in the order of the schema. */
export function configKeys(): readonly ConfigKey[] {
  keys ??= readKeys();
  return keys;
}

let keys: readonly ConfigKey[] | undefined;

function readKeys(): readonly ConfigKey[] {
  // zod writes JSON Schema of this form for this schema.
  const { properties = {} } = z.toJSONSchema(configSchema, { io: "input" }) as unknown as Property;
  return Object.entries(properties).flatMap(([name, property]) =>
    property.properties === undefined
      ? [keyOf("", name, property)]
      : Object.entries(property.properties).map(([key, inner]) => keyOf(name, key, inner)),
  );
}

interface Property {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly items?: Property;
  readonly enum?: readonly string[];
  readonly default?: Json;
  readonly description?: string;
  readonly secret?: boolean;
  readonly required?: readonly string[];
  readonly example?: string;
}

function keyOf(section: string, key: string, property: Property): ConfigKey {
  return {
    name: section === "" ? key : `${section}.${key}`,
    section,
    key,
    env: `TUITBOT_${section === "" ? key : `${section}__${key}`}`.toUpperCase(),
    kind: kindOf(property),
    choices: property.enum ?? property.items?.enum ?? [],
    fallback: property.default,
    describe: property.description ?? "",
    isSecret: property.secret === true,
    fields: fieldsOf(property.items, ""),
    example: property.items?.example ?? "",
  };
}

/** The fields of a table, with those of the tables in it. */
function fieldsOf(table: Property | undefined, above: string): readonly ConfigField[] {
  return Object.entries(table?.properties ?? {}).flatMap(([key, property]) => {
    const name = `${above}${key}`;
    const field: ConfigField = {
      name,
      kind: kindOf(property),
      choices: property.enum ?? property.items?.enum ?? [],
      isRequired: table?.required?.includes(key) === true,
      fallback: property.default,
      describe: property.description ?? "",
      isSecret: property.secret === true,
    };
    return [field, ...fieldsOf(property, `${name}.`)];
  });
}

function kindOf({ type, items }: Property): ConfigKey["kind"] {
  switch (type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return type;
    case "boolean":
      return "switch";
    case "array":
      return items?.type === "string" ? "texts" : "json";
    default:
      return "json";
  }
}
