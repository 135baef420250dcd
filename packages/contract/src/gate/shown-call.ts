import { visible } from "../guards/shown-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { maskSecrets } from "../redact.ts";

/** Members that hold pictures and other files in base64. */
const FILES = new Set(["data", "blob"]);

/** A copy in which everything that looks like a key or a token is masked. */
export function withoutSecrets(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, FILES.has(name) ? member : masked(member)]),
  );
}

function masked(value: Json | undefined): Json | undefined {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map((item: Json) => masked(item) ?? null);
  return isJsonObject(value) ? withoutSecrets(value) : value;
}

export function hasSecrets(value: JsonObject): boolean {
  const text = JSON.stringify(value);
  return maskSecrets(text) !== text;
}

/** How the tool differs from the accepted one. */
export function changeShown(context: JsonObject | undefined): string | undefined {
  return typeof context?.change === "string" ? visible(context.change) : undefined;
}
