import { type CommandContext, type CommandFailure, type CommandOutcome, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import type { Failure } from "../errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { Pipeline } from "../pipeline.ts";

export const callOptions = {
  json: {
    kind: "value",
    placeholder: "JSON",
    describe: "The tool's arguments as a JSON object; {} by default",
  },
} as const;

/** Parses the value of `--json`. */
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

/** Calls a tool once, through the same guards as a call by an MCP client. */
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
      return failed({ message: `${tool} asks a person, which is not possible here.` });
    case "rendered": {
      const envelope = answer.envelope ?? null;
      return ok({
        text: JSON.stringify(envelope, null, 2),
        json: envelope,
        ...(answer.failed && { exitCode: EXIT.failed }),
      });
    }
  }
}

export function commandFailure({ message, suggestedFix }: Failure): CommandFailure {
  return { message, ...(suggestedFix !== undefined && { fix: suggestedFix }) };
}

function objectOf(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
