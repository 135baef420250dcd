import { completionCommand } from "@toolpact/contract/cli";
import type { Machine } from "./machine.ts";

export const completion = completionCommand<Machine>(
  "godot-mcp-omni",
  async () => (await import("./program.ts")).program,
);
