import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import type { McpCore } from "./app.ts";

const MOST_VALUES = 100;

/** Values that begin with what the person typed, for a prompt's argument or a part of a resource's address. */
export function completionsFor(
  { prompts = [], resources = [] }: McpCore,
  { ref, argument }: CompleteRequest["params"],
): CompleteResult {
  const complete =
    ref.type === "ref/prompt"
      ? prompts
          .find((prompt) => prompt.name === ref.name)
          ?.arguments.find(({ name }) => name === argument.name)?.complete
      : ownMember(resources.find((resource) => resource.uri === ref.uri)?.complete ?? {}, argument.name);
  const values = complete?.(argument.value) ?? [];
  return {
    completion: {
      values: values.slice(0, MOST_VALUES),
      total: values.length,
      hasMore: values.length > MOST_VALUES,
    },
  };
}

/** The name is the caller's own, and every object answers to `toString`. */
function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
