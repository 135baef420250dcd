import type { Json, JsonObject } from "@toolpact/contract";

// The longest texts that tools accept. Each is longer than anything that X or a file system has.

export const MAX_POST = 25_000;

/** A name, a time or a page token. */
export const MAX_WORD = 1_024;

export const MAX_PATH = 4_096;

/** An id, or an address with what browsers add to it. */
export const MAX_ID = 512;

/** Ids, separated by commas. */
export const MAX_IDS = 10_240;

/** The JSON body of a raw request. */
export const MAX_BODY = 204_800;

/** A key that a caller chooses. */
export const MAX_KEY = 128;

/** An agent's note to the approver. */
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

/**
 * An input schema for the tool list, without these limits. They are enforced and stand in the manifest, but no model
 * writes that much, and every conversation pays for the list.
 */
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
