import { argumentsIn, callOptions, callTool } from "@toolpact/contract/internal/cli";
import { command } from "./machine.ts";
import { openServer } from "./open-server.ts";
import { servingOptions } from "./serving-options.ts";

export const call = command({
  name: "call",
  describe: "Call one tool, with the guards and the answer an MCP client would get",
  args: { tool: { describe: "Name of the tool, as in `tuitbot mcp manifest`", required: true } },
  options: {
    ...servingOptions,
    ...callOptions,
  },
  examples: [
    {
      line: `tuitbot call x_search_tweets --json '{"query":"bread"}' --sandbox`,
      does: "searches the sandbox",
    },
    { line: "tuitbot call health_check", does: "asks X who is signed in" },
  ],
  async run({ tool, json, ...options }, context) {
    const args = argumentsIn(json, { query: "bread" });
    if (!args.ok) return args;
    const opened = await openServer(options, context, { joins: "signed_out" });
    if (!opened.ok) return opened;
    const { core, close } = opened.value;
    const { pipeline } = await core();
    try {
      return await callTool(pipeline, tool, args.value, context);
    } finally {
      await close();
    }
  },
});
