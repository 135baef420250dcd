import type { Program } from "@toolpact/contract/cli";
import { approve } from "./commands/approve.ts";
import { auth } from "./commands/auth.ts";
import { backup } from "./commands/backup.ts";
import { call } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { demo } from "./commands/demo.ts";
import { doctor } from "./commands/doctor.ts";
import { drafts } from "./commands/drafts.ts";
import { globalOptions, type Machine } from "./commands/machine.ts";
import { mcpManifest } from "./commands/mcp-manifest.ts";
import { mcpServe } from "./commands/mcp-serve.ts";
import { mcpSetup } from "./commands/mcp-setup.ts";
import { restore } from "./commands/restore.ts";
import { run } from "./commands/run.ts";
import { sandbox } from "./commands/sandbox.ts";
import { tick } from "./commands/tick.ts";
import { version } from "./version.ts";

/** The command line of tuitbot. */
export const program: Program<Machine> = {
  name: "tuitbot",
  version,
  describe:
    "X (Twitter) for agents: an MCP server with six permission profiles, and the command line around it.",
  options: globalOptions,
  examples: [
    { line: "tuitbot demo", does: "see what it does, in a minute, without an account" },
    { line: "tuitbot auth login", does: "sign in to X" },
    { line: "tuitbot mcp setup", does: "add it to Claude Code, Claude Desktop, Cursor, VS Code or Codex" },
    { line: "tuitbot doctor", does: "find out what is wrong" },
  ],
  commands: [
    {
      name: "mcp",
      describe: "Serve MCP clients, and set them up",
      examples: [...mcpServe.examples.slice(0, 2), ...mcpSetup.examples.slice(0, 1)],
      commands: [mcpServe, mcpManifest, mcpSetup],
    },
    auth,
    approve,
    drafts,
    tick,
    run,
    call,
    doctor,
    config,
    backup,
    restore,
    sandbox,
    demo,
    completion,
  ],
};
