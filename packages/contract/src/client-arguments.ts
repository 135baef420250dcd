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
