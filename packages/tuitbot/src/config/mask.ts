import { type JsonObject, maskSecrets } from "@toolpact/contract";
import { configKeys } from "./keys.ts";
import type { Config } from "./schema.ts";

const MASK = "********";

/** The configuration for display. The schema says which values are secret; credentials in any other address are masked too. */
export function masked(config: Config): JsonObject {
  const result: Record<string, unknown> = { ...config };
  for (const { section, key } of configKeys().filter(({ isSecret }) => isSecret)) {
    const values = result[section] as Readonly<Record<string, unknown>>;
    if (values[key] !== undefined) result[section] = { ...values, [key]: MASK };
  }
  // The configuration was read from TOML and text, so all of it is JSON.
  return JSON.parse(JSON.stringify(result), (_key, value) =>
    typeof value === "string" ? maskSecrets(value) : value,
  ) as JsonObject;
}
