import type { LocalMachine, Program } from "@toolpact/cli";
import { VERSION } from "../config/version.ts";
import { addon } from "./addon.ts";
import { call } from "./call.ts";
import { doctorCommand } from "./doctor.ts";
import { getGodot } from "./get-godot.ts";
import { globalOptions } from "./machine.ts";
import { serve } from "./serve.ts";
import { setup } from "./setup.ts";
import { resume, stop } from "./stop.ts";
import { trust, untrust } from "./trust.ts";
import { workflow } from "./workflow.ts";

export const program: Program<LocalMachine> = {
  name: "godot-mcp-omni",
  version: VERSION,
  describe: "Godot 4 for agents: an MCP server over files, a headless engine and the open editor.",
  globalOptions,
  examples: [
    { line: "godot-mcp-omni --project ~/game setup", does: "add it to Claude Code, Cursor and others" },
    { line: "godot-mcp-omni trust ~/game", does: "let Godot open it, which runs its code" },
    { line: "godot-mcp-omni --project ~/game addon install", does: "let an open editor take part" },
    { line: "godot-mcp-omni --project ~/game doctor", does: "find out what is wrong" },
    { line: "godot-mcp-omni get-godot", does: "fetch Godot on Debian" },
  ],
  commands: [serve, setup, trust, untrust, stop, resume, doctorCommand, addon, call, workflow, getGodot],
};
