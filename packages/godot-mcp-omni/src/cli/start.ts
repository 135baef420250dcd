import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { main } from "@toolpact/contract/cli";
import type { Machine } from "./machine.ts";
import { program } from "./program.ts";

/** Runs the command line on this machine. */
export async function start(): Promise<void> {
  // A pause may be all that a command is at: it must not be the end of the process.
  const alive = setInterval(() => {}, 60_000);
  await main(program, {
    home: homedir(),
    cwd: process.cwd(),
    platform: process.platform,
    pause,
    runtime: process.execPath,
    script: realpathSync(process.argv[1] ?? ""),
  } satisfies Machine);
  clearInterval(alive);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}
