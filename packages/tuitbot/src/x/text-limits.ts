import type { Json, JsonObject } from "@toolpact/contract";

// Longer than anything X or a file system has.

export const MAX_POST = 25_000;

/** Or a time or page token. */
export const MAX_WORD = 1_024;

export const MAX_PATH = 4_096;

/** Or an address with a browser's additions. */
export const MAX_ID = 512;

/** Comma-separated. */
export const MAX_IDS = 10_240;

/** JSON. */
export const MAX_BODY = 204_800;

export const MAX_KEY = 128;

export const MAX_NOTE = 500;
export const NOTE_DESCRIPTION = "Why and from which source, for the approver only";

const LIMITS: ReadonlySet<unknown> = new Set([
  MAX_POST,
  MAX_WORD,
  MAX_PATH,
  MAX_ID,
  MAX_IDS,
  MAX_BODY,
  MAX_KEY,
  MAX_NOTE,
]);

/** The tool list omits these limits, because no model writes that much and every conversation pays for them. */
export function withoutTextLimits(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).filter(
    ([word, value]) => word !== "maxLength" || !LIMITS.has(value),
  );
  return Object.fromEntries(members.map(([word, value]) => [word, inner(value)]));
}

function inner(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((one) => inner(one) ?? null);
  // Lists were handled above.
  return typeof value === "object" && value !== null ? withoutTextLimits(value as JsonObject) : value;
}
