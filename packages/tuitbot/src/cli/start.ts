import { spawn } from "node:child_process";
import { localMachine, main } from "@toolpact/cli";
import type { Machine } from "./machine.ts";
import { program } from "./program.ts";

/** Runs tuitbot's command line in this process. */
export function start(): Promise<void> {
  return main(program, {
    ...localMachine(),
    fetch: globalThis.fetch,
    now: Date.now,
    openPage,
    prompts: async (signal) => (await import("./init/prompts.ts")).terminalPrompts(signal),
    readKey: async (signal) => (await import("./keyboard.ts")).readKey(process.stdin, signal),
    edit: async (text, ending, env) => (await import("./editor.ts")).editText(text, ending, env),
  } satisfies Machine);
}

/** The program that opens a page, by platform. */
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
