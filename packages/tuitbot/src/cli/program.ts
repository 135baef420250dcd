import type { Program } from "@toolpact/cli";
import { version } from "../version.ts";
import { agents } from "./agents.ts";
import { approve } from "./approve/approve.ts";
import { auth } from "./auth.ts";
import { loops } from "./autopilot/loops.ts";
import { rehearse } from "./autopilot/rehearse.ts";
import { run } from "./autopilot/run.ts";
import { tick } from "./autopilot/tick.ts";
import { backup, restore } from "./backup.ts";
import { call } from "./call.ts";
import { config } from "./config.ts";
import { log, resume, spend, stats, status, stop, undo } from "./daily/daily-commands.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { drafts } from "./drafts/drafts.ts";
import { init } from "./init/init.ts";
import { globalOptions, type Machine } from "./machine.ts";
import { mcpManifest } from "./mcp/mcp-manifest.ts";
import { mcpServe } from "./mcp/mcp-serve.ts";
import { mcpSetup } from "./mcp/mcp-setup.ts";
import { notify } from "./notify.ts";
import { people } from "./people.ts";
import { rules } from "./rules/rules.ts";
import { sandbox } from "./sandbox.ts";
import { serve } from "./serve.ts";
import { web } from "./web.ts";

/** The command line of tuitbot. */
export const program: Program<Machine> = {
  name: "tuitbot",
  version,
  describe:
    "X (Twitter) for agents: an MCP server with six permission profiles, and the command line around it.",
  globalOptions,
  examples: [
    { line: "tuitbot demo", does: "see it work, in a minute, without an account" },
    { line: "tuitbot init", does: "set up your account, step by step" },
    {
      line: "tuitbot mcp setup",
      does: "add it to Claude Code, Cursor, VS Code, Codex or another MCP client",
    },
    { line: "tuitbot doctor", does: "find and fix problems" },
  ],
  // The most frequently used commands come first.
  commands: [
    init,
    status,
    web,
    serve,
    approve,
    rules,
    notify,
    drafts,
    stats,
    spend,
    log,
    undo,
    stop,
    resume,
    run,
    tick,
    rehearse,
    loops,
    {
      name: "mcp",
      describe: "Serve MCP clients, and set them up",
      examples: [...mcpServe.examples.slice(0, 2), ...mcpSetup.examples.slice(0, 1)],
      commands: [mcpServe, mcpManifest, mcpSetup],
    },
    auth,
    people,
    agents,
    doctor,
    config,
    call,
    backup,
    restore,
    sandbox,
    demo,
  ],
};
