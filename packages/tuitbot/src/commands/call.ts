import type { JsonObject } from "@toolpact/contract";
import { EXIT } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { command } from "./machine.ts";
import { openServer } from "./open-server.ts";
import { servingOptions } from "./serving-options.ts";

export const call = command({
  name: "call",
  describe: "Call one tool, with the guards and the answer an MCP client would get",
  args: { tool: { describe: "Name of the tool, as in `tuitbot mcp manifest`", required: true } },
  options: {
    ...servingOptions,
    json: {
      kind: "value",
      placeholder: "JSON",
      describe: "Its arguments as a JSON object; none unless given",
    },
  },
  examples: [
    {
      line: `tuitbot call x_search_tweets --json '{"query":"bread"}' --sandbox`,
      does: "searches the made-up X",
    },
    { line: "tuitbot call health_check", does: "asks X who is signed in" },
  ],
  async run({ tool, json, ...options }, context) {
    const args = objectOf(json ?? "{}");
    if (args === undefined)
      return failed({
        message: "--json is not a JSON object.",
        fix: `Write it in single quotes: --json '{"query":"bread"}'.`,
        exitCode: EXIT.usage,
      });
    const opened = await openServer(options, context);
    if (!opened.ok) return opened;
    const { pipeline } = await opened.value.core();
    const answer = await pipeline.call({ tool, args, caller: { transport: "cli" }, signal: context.signal });
    if (context.signal.aborted) return ok(undefined);
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
  },
});

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
