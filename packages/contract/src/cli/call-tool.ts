import type { JsonObject } from "../json.ts";
import { failed, ok } from "../outcome.ts";
import type { Pipeline } from "../pipeline.ts";
import type { CommandContext, CommandFailure, CommandOutcome } from "./command.ts";
import { EXIT } from "./exit.ts";

/** The option that carries a tool's arguments. */
export const callOptions = {
  json: {
    kind: "value",
    placeholder: "JSON",
    describe: "Its arguments as a JSON object; none unless given",
  },
} as const;

/** The arguments in `--json`, or what to write instead. */
export function argumentsIn(json: string | undefined, example: JsonObject) {
  const args = objectOf(json ?? "{}");
  return args === undefined
    ? failed<CommandFailure>({
        message: "--json is not a JSON object.",
        fix: `Write it in single quotes: --json '${JSON.stringify(example)}'.`,
        exitCode: EXIT.usage,
      })
    : ok(args);
}

/** One call with the guards and the answer that an MCP client would get. */
export async function callTool(
  pipeline: Pipeline,
  tool: string,
  args: JsonObject,
  { signal }: Pick<CommandContext<unknown, unknown>, "signal">,
): Promise<CommandOutcome> {
  const answer = await pipeline.call({ tool, args, caller: { transport: "cli" }, signal });
  if (signal.aborted) return ok(undefined);
  switch (answer.kind) {
    case "unknown_tool":
      return failed({
        message: answer.message.replace(" Call tools/list for the names.", ""),
        exitCode: EXIT.usage,
      });
    case "asks":
      return failed({ message: `${tool} needs an answer from a person, who cannot be asked here.` });
    case "told": {
      const envelope = answer.envelope ?? null;
      return ok({
        text: JSON.stringify(envelope, null, 2),
        json: envelope,
        ...(answer.failed && { exitCode: EXIT.failed }),
      });
    }
  }
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Parsed from JSON, so whatever is an object is a JSON object.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
