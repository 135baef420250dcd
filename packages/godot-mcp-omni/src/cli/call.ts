import { argumentsIn, callOptions, callTool } from "@toolpact/contract/cli";
import { command, openServer } from "./context.ts";

export const call = command({
  name: "call",
  describe: "Call one tool, with the same guards and answer as for an MCP client",
  args: { tool: { describe: "Name of the tool", required: true } },
  options: callOptions,
  examples: [
    {
      line: `godot-mcp-omni call godot_workspace --json '{"action":"status"}'`,
      does: "prints the state of the workspace",
    },
    {
      line: `godot-mcp-omni call godot_inspector --json '{"action":"scene_tree.get","scene":"res://main.tscn"}'`,
      does: "prints the node tree of a scene",
    },
  ],
  async run({ tool, json }, context) {
    const args = argumentsIn(json, { action: "status" });
    if (!args.ok) return args;
    const opened = await openServer(context, ["all"]);
    if (!opened.ok) return opened;
    const core = await opened.value.core();
    try {
      const godots = core.godots();
      // An open editor connects by itself; the call must wait for it.
      if (godots.ok && args.value.mode === "editor") await godots.value.bridge();
      return await callTool(core.pipeline, tool, args.value, context);
    } finally {
      await opened.value.close();
    }
  },
});
