import type { Program } from "@toolpact/cli";
import { buildCommand } from "./build-command.ts";
import { devCommand } from "./dev-command.ts";
import { gateCommand } from "./gate-command.ts";
import { globalOptions, type Machine } from "./globals.ts";
import { inboxCommand } from "./inbox-command.ts";
import { lintCommand } from "./lint-command.ts";
import { openApiCommand } from "./openapi-command.ts";
import { stormCommand } from "./storm-command.ts";

/** The package `toolpact` adds its version. */
export const program: Program<Machine> = {
  name: "toolpact",
  version: "toolpact",
  describe: "Run and check MCP servers while you write them, and put a gate before those of others.",
  globalOptions,
  commands: [devCommand, lintCommand, buildCommand, openApiCommand, gateCommand, inboxCommand, stormCommand],
  examples: [
    ...devCommand.examples,
    ...lintCommand.examples,
    ...buildCommand.examples.slice(0, 1),
    ...gateCommand.examples,
    ...stormCommand.examples,
  ],
};
