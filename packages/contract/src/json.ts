/** What JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON; a member that is undefined is not written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON Schema, 2020-12. */
export type JsonSchema = JsonObject;

/**
 * Parses JSON. Returns undefined if the text is not JSON, or is nested deeper than any document has a reason to be: code
 * that walks a value would run out of stack.
 */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text);
    return text.length > 2 * MAX_DEPTH && isDeeper(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

const MAX_DEPTH = 200;

/** Walks the value without recursion. */
function isDeeper(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** True for a JSON object: not an array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys and no undefined members, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  // Dates and addresses say themselves how they become JSON.
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

// Loaded on first use: importing node:crypto costs every start 6 ms and 4 MB.
let hash: typeof import("node:crypto").hash | undefined;

/** SHA-256 over the canonical JSON of a value, in hex. */
export function digest(value: unknown): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", canonicalJson(value));
}
