import type { JsonObject } from "./json.ts";

/** What a part of a surface costs every conversation that it is put into. */
export interface Cost {
  /** Of its compact JSON, in UTF-8. */
  readonly bytes: number;
  /** An estimate: models count differently, and four bytes a token is close for the JSON of tool lists. */
  readonly tokens: number;
}

const BYTES_PER_TOKEN = 4;

export function costOf(part: JsonObject | readonly JsonObject[] | string): Cost {
  const text = typeof part === "string" ? part : JSON.stringify(part);
  const bytes = new TextEncoder().encode(text).length;
  return { bytes, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}
