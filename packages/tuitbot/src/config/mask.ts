import type { JsonObject } from "@toolpact/contract";
import { configKeys } from "./keys.ts";
import type { Config } from "./schema.ts";

const MASK = "********";

/** The configuration as anyone may see it. What is secret is said by the schema, not guessed from names. */
export function masked(config: Config): JsonObject {
  const result: Record<string, unknown> = { ...config };
  for (const { section, key } of configKeys().filter(({ isSecret }) => isSecret)) {
    const values = result[section] as Readonly<Record<string, unknown>>;
    if (values[key] !== undefined) result[section] = { ...values, [key]: MASK };
  }
  // The configuration was read from TOML and text, and holds nothing that JSON cannot.
  return result as JsonObject;
}
