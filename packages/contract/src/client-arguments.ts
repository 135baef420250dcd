import type { JsonObject } from "./json.ts";

/** Gemini CLI adds this argument to every tool that it offers its model, and sends it on. */
const ADDED = "wait_for_previous";

/** The arguments without those that a client has added for itself, unless the tool has a parameter of that name. */
export function withoutClientArguments(
  args: JsonObject,
  hasParameter: (name: string) => boolean,
): JsonObject {
  if (!Object.hasOwn(args, ADDED) || hasParameter(ADDED)) return args;
  const { [ADDED]: _, ...own } = args;
  return own;
}

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
/** In all texts and names together. */
const MAX_CHARACTERS = 1_000_000;

/**
 * What is too much or not allowed in the arguments, as the end of a sentence, or undefined. Asked before any schema or digest
 * walks the value. The value is hostile: it is walked without recursion, and no further than the limits.
 */
export function excess(value: unknown): string | undefined {
  let elements = 0;
  let characters = 0;
  const values: unknown[] = [value];
  const depths: number[] = [0];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item === "string") characters += item.length;
    else if (typeof item === "object" && item !== null) {
      if (depth >= MAX_DEPTH) return `are nested deeper than ${MAX_DEPTH} levels`;
      const members = Array.isArray(item) ? item : Object.values(item);
      elements += members.length;
      if (elements > MAX_VALUES) return `have more than ${MAX_VALUES} values`;
      if (!Array.isArray(item)) {
        // Schemas overlook this one name, and assigning it changes what an object is.
        if (Object.hasOwn(item, "__proto__")) return "have a member with the name __proto__";
        for (const name of Object.keys(item)) characters += name.length;
      }
      for (const member of members) {
        values.push(member);
        depths.push(depth + 1);
      }
    }
    if (characters > MAX_CHARACTERS) return `have more than ${MAX_CHARACTERS} characters`;
  }
  return undefined;
}
