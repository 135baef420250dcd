import type { JsonDraft, JsonObject } from "../json.ts";

/** The default fields of a thing, and those of the others that were asked for and have a value. */
export function withFields(defaults: JsonObject, wanted: readonly string[], others: JsonObject): JsonObject {
  const out: JsonDraft = { ...defaults };
  for (const field of wanted) if (others[field] !== undefined) out[field] = others[field];
  return out;
}
