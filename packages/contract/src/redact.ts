import type { Json, JsonObject } from "./json.ts";

const SECRET_KEY = /token|secret|password|passphrase|authorization|cookie|api_?key|private_?key|credential/i;
const MASK = "[secret]";

/** A copy in which every member with a secret's name is masked. */
export function redact(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, SECRET_KEY.test(key) ? MASK : inner(member)]),
  );
}

function inner(value: unknown): Json | undefined {
  if (value instanceof Date || value instanceof URL) return value.toJSON();
  if (Array.isArray(value)) return value.map((item) => inner(item) ?? null);
  if (typeof value === "object" && value !== null) return redact(value as JsonObject);
  // What is no object came from JSON as it is.
  return value as Json | undefined;
}
