import type { JsonObject } from "@toolpact/contract";
import { EXIT } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { openServer } from "./context.ts";
import { command } from "./machine.ts";

export const call = command({
  name: "call",
  describe: "Call one tool, with the guards and the answer an MCP client would get",
  args: { tool: { describe: "Name of the tool", required: true } },
  options: {
    json: {
      kind: "value",
      placeholder: "JSON",
      describe: "Its arguments as a JSON object; none unless given",
    },
  },
  examples: [
    { line: `godot-mcp-omni call godot_workspace --json '{"action":"status"}'`, does: "what is there" },
    {
      line: `godot-mcp-omni call godot_inspector --json '{"action":"scene_tree.get","scene":"res://main.tscn"}'`,
      does: "the tree of a scene",
    },
  ],
  async run({ tool, json }, context) {
    const args = objectOf(json ?? "{}");
    if (args === undefined)
      return failed({
        message: "--json is not a JSON object.",
        fix: `Write it in single quotes: --json '{"action":"status"}'.`,
        exitCode: EXIT.usage,
      });
    const opened = await openServer(context, ["all"]);
    if (!opened.ok) return opened;
    const core = await opened.value.core();
    try {
      const godots = await core.godots();
      // An editor that is open dials in by itself, and a single call must not come before it.
      if (godots.ok && args.mode === "editor") await godots.value.bridge();
      const answer = await core.pipeline.call({
        tool,
        args,
        caller: { transport: "cli" },
        signal: context.signal,
      });
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
    } finally {
      await opened.value.close();
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
