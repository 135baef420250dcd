import { EXIT } from "@toolpact/cli";
import { argumentsIn, callOptions, callTool } from "@toolpact/contract/internal/cli";
import { failed } from "@toolpact/outcome";
import { openServer } from "./context.ts";
import { command } from "./machine.ts";

export const call = command({
  name: "call",
  describe: "Call one tool, with the guards and the answer an MCP client would get",
  args: { tool: { describe: "Name of the tool", required: true } },
  options: callOptions,
  examples: [
    { line: `godot-mcp-omni call godot_workspace --json '{"action":"status"}'`, does: "what is there" },
    {
      line: `godot-mcp-omni call godot_inspector --json '{"action":"scene_tree.get","scene":"res://main.tscn"}'`,
      does: "the tree of a scene",
    },
  ],
  async run({ tool, json }, context) {
    const args = argumentsIn(json, { action: "status" });
    if (!args.ok) return args;
    const opened = await openServer(context, ["all"]);
    if (!opened.ok) return opened;
    const core = await opened.value.core();
    try {
      const unknown = core.toolbox.check(tool);
      if (unknown !== undefined) return failed({ message: unknown, exitCode: EXIT.usage });
      const workspace = core.workspace();
      // An open editor connects by itself; a single call must wait for it.
      if (workspace.ok && args.value.mode === "editor") await workspace.value.bridge();
      return await callTool(core.pipeline, tool, args.value, context);
    } finally {
      await opened.value.close();
    }
  },
});
