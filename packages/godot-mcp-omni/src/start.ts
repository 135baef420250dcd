import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { main } from "@toolpact/contract/cli";
import type { Machine } from "./commands/machine.ts";
import { program } from "./program.ts";

/** Runs the command line on this machine. */
export function start(): Promise<void> {
  return main(program, {
    home: homedir(),
    cwd: process.cwd(),
    platform: process.platform,
    pause,
    runtime: process.execPath,
    script: realpathSync(process.argv[1] ?? ""),
  } satisfies Machine);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}
