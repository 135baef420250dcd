import type { JsonObject } from "@toolpact/outcome";

export { isJsonObject, type Json, type JsonObject, parseJson } from "@toolpact/outcome";

/** JSON Schema 2020-12. */
export type JsonSchema = JsonObject;

/** JSON with sorted keys: equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  // Dates and URLs define their JSON themselves.
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

// Loaded on first use: importing node:crypto adds 6 ms and 4 MB to every start.
let hash: typeof import("node:crypto").hash | undefined;

/** SHA-256 over the canonical JSON of a value, in hex. */
export function digest(value: unknown): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", canonicalJson(value));
}
