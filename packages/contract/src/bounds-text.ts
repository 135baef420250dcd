import type { Json, JsonObject, JsonSchema } from "./json.ts";

/** Adds bounds and defaults to descriptions ("Page size, 1–100, default 10"): some clients drop the keywords. */
export function withBoundsInText(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const parameters = Object.entries(properties as Record<string, JsonObject>);
  return {
    ...schema,
    properties: Object.fromEntries(parameters.map(([name, part]) => [name, described(part)])),
  };
}

function described(part: JsonObject): JsonObject {
  const { description } = part;
  if (typeof description !== "string") return part;
  const missing = boundsOf(part).filter(
    ({ numbers }) => !numbers.every((number) => hasNumber(description, number)),
  );
  const text = [description, ...missing.map((bound) => bound.text)].join(", ");
  return text === description ? part : { ...part, description: text };
}

interface Bound {
  readonly text: string;
  /** If the description has these numbers, it has the bound. */
  readonly numbers: readonly string[];
}

function boundsOf(part: JsonObject): readonly Bound[] {
  const { minimum, maximum, maxLength, maxItems, default: unasked } = part;
  return [
    ...range(minimum, maximum),
    ...atMost(maxLength, "characters"),
    ...atMost(maxItems, "entries"),
    // Descriptions of flags explain `true`.
    ...(unasked === undefined || unasked === false || typeof unasked === "object" || unasked === ""
      ? []
      : [{ text: `default ${unasked}`, numbers: [String(unasked)] }]),
  ];
}

function range(least: Json | undefined, most: Json | undefined): readonly Bound[] {
  if (typeof least === "number" && typeof most === "number")
    return [{ text: `${least}–${most}`, numbers: [String(least), String(most)] }];
  if (typeof most === "number") return [{ text: `at most ${most}`, numbers: [String(most)] }];
  // Counts and ids start at 0 or 1.
  return typeof least === "number" && least > 1
    ? [{ text: `at least ${least}`, numbers: [String(least)] }]
    : [];
}

function atMost(most: Json | undefined, what: string): readonly Bound[] {
  return typeof most === "number" ? [{ text: `at most ${most} ${what}`, numbers: [String(most)] }] : [];
}

function hasNumber(description: string, number: string): boolean {
  return description.split(/[^\p{L}\p{N}.]+/u).some((word) => word.replace(/\.$/, "") === number);
}
