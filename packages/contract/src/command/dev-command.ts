import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { DevProxy, type StartedServer } from "./dev-proxy.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

/** Editors write a file in several steps. */
const QUIET_MS = 100;
const TIME_TO_END_MS = 2_000;
const IGNORED = /(^|[\\/])(node_modules|\.git|dist)([\\/]|$)|~$|\.sw.$/;

export const devCommand: Command<Machine> = command({
  name: "dev",
  describe: "Serve a module on stdio, and start it again when a file changes",
  details:
    "The client stays connected: its handshake is repeated to the new server, requests wait meanwhile, and it is notified that the tool list may have changed. A server that exits is restarted on the next change.",
  args: { file: { describe: "The module that serves, such as src/server.ts", required: true } },
  options: {
    watch: {
      kind: "value",
      placeholder: "FOLDER",
      describe: "The folder to watch; that of the file unless given",
    },
    inspect: { kind: "flag", describe: "Open the MCP inspector on it, which npx fetches" },
  },
  examples: [
    { line: "toolpact dev src/server.ts", does: "serves it to the client that started this command" },
    { line: "toolpact dev src/server.ts --inspect", does: "opens it in the inspector" },
  ],
  async run({ file, watch: folder, inspect }, { terminal, signal }) {
    if (inspect) return openInspector(file, folder, (text) => terminal.err(text));
    const log = (text: string) => terminal.err(`toolpact dev: ${text}\n`);
    const proxy = new DevProxy({
      start: (onLine, onEnd) => startServer(file, onLine, onEnd),
      toClient: (line) => terminal.out(`${line}\n`),
    });
    let timer: NodeJS.Timeout | undefined;
    const watching = watch(resolve(folder ?? dirname(file)), { recursive: true }, (_event, name) => {
      if (name === null || IGNORED.test(name.split(sep).join("/"))) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        log(`${name} has changed; starting ${file} again.`);
        void proxy.restart();
      }, QUIET_MS);
    });
    const input = createInterface({ input: process.stdin });
    input.on("line", (line) => proxy.fromClient(line));
    const aborted = once(signal, "abort");
    await Promise.race([once(input, "close"), aborted]);
    clearTimeout(timer);
    watching.close();
    input.close();
    await proxy.end();
    return ok(undefined);
  },
});

function startServer(file: string, onLine: (line: string) => void, onEnd: () => void): StartedServer {
  const child = spawn(process.execPath, [...process.execArgv, file], { stdio: ["pipe", "pipe", "inherit"] });
  // A message to a server that just exited is answered when the exit is noticed.
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", onLine);
  const ended = once(child, "close");
  void ended.then(onEnd);
  return {
    send: (line) => child.stdin.write(`${line}\n`),
    async stop() {
      child.kill();
      const late = setTimeout(() => child.kill("SIGKILL"), TIME_TO_END_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

async function openInspector(file: string, folder: string | undefined, print: (text: string) => void) {
  const self = [process.execPath, process.argv[1] ?? "toolpact", "dev", file];
  const args = ["-y", "@modelcontextprotocol/inspector", ...self, ...(folder ? ["--watch", folder] : [])];
  const line = `npx ${args.join(" ")}`;
  print(`${line}\n`);
  const child = spawn("npx", args, { stdio: "inherit", shell: process.platform === "win32" });
  const code = await new Promise<number>((ended) => {
    child.once("error", () => ended(1));
    child.once("exit", (status) => ended(status ?? 0));
  });
  if (code === 0) return ok(undefined);
  return failed({
    message: "The inspector could not be started.",
    fix: `npx fetches it from the network. Where there is one, run: ${line}`,
  });
}
