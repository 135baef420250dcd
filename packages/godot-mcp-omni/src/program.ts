import type { Program } from "@toolpact/contract/cli";
import { addon } from "./commands/addon.ts";
import { call } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { getGodot } from "./commands/get-godot.ts";
import { globalOptions, type Machine } from "./commands/machine.ts";
import { serve } from "./commands/serve.ts";
import { setup } from "./commands/setup.ts";
import { workflow } from "./commands/workflow.ts";
import { VERSION } from "./version.ts";

/** The command line of godot-mcp-omni. */
export const program: Program<Machine> = {
  name: "godot-mcp-omni",
  version: VERSION,
  describe: "Godot 4 for agents: an MCP server over files, a headless engine and the open editor.",
  options: globalOptions,
  examples: [
    { line: "godot-mcp-omni --project ~/game setup", does: "add it to Claude Code, Cursor and others" },
    { line: "godot-mcp-omni --project ~/game addon install", does: "let an open editor take part" },
    { line: "godot-mcp-omni --project ~/game doctor", does: "find out what is wrong" },
    { line: "godot-mcp-omni get-godot", does: "fetch a Godot on Debian" },
  ],
  commands: [serve, setup, doctorCommand, addon, call, workflow, getGodot, completion],
};
