import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { main } from "@toolpact/contract/cli";
import type { Machine } from "./machine.ts";
import { program } from "./program.ts";

/** Runs tuitbot's command line on this machine. */
export function start(): Promise<void> {
  return main(program, {
    home: homedir(),
    cwd: process.cwd(),
    platform: process.platform,
    fetch: globalThis.fetch,
    now: Date.now,
    pause,
    openPage,
    readKey: async (signal) => (await import("./keyboard.ts")).readKey(process.stdin, signal),
    edit: async (text, ending, env) => (await import("./editor.ts")).editText(text, ending, env),
    runtime: process.execPath,
    script: realpathSync(process.argv[1] ?? ""),
  } satisfies Machine);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

/** The program that shows pages, by platform. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

function openPage(url: string): Promise<boolean> {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
