import { completionCommand } from "@toolpact/contract/cli";
import type { Machine } from "./machine.ts";

export const completion = completionCommand<Machine>(
  "tuitbot",
  async () => (await import("./program.ts")).program,
);
