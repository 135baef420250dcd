import type { Json } from "@toolpact/contract";
import * as z from "zod";
import { configSchema } from "./schema.ts";

/** Everything except the validation of its value. */
export interface ConfigKey {
  /** `x_api.client_id` */
  readonly name: string;
  /** Empty at the top level. */
  readonly section: string;
  readonly key: string;
  /** `TUITBOT_X_API__CLIENT_ID` */
  readonly env: string;
  readonly kind: "text" | "integer" | "number" | "switch" | "texts" | "json";
  readonly choices: readonly string[];
  readonly fallback: Json | undefined;
  readonly describe: string;
  readonly isSecret: boolean;
  /** For a list of tables. */
  readonly fields: readonly ConfigField[];
  /** In TOML; empty if the default shows the form. */
  readonly example: string;
}

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

/** In the schema's order. */
export function configKeys(): readonly ConfigKey[] {
  keys ??= readKeys();
  return keys;
}

let keys: readonly ConfigKey[] | undefined;

function readKeys(): readonly ConfigKey[] {
  // zod writes this form.
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

/** With those of nested tables. */
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
