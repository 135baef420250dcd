import { spawn } from "node:child_process";
import { root } from "./packages.ts";

export interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

export function run(command: string, args: readonly string[], cwd: string = root): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env: process.env });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => parts.push(part));
    child.on("error", (error) => resolve({ ok: false, output: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, output: Buffer.concat(parts).toString() }));
  });
}

export function runShown(command: string, args: readonly string[], cwd: string = root): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: "inherit", env: process.env });
    // Ctrl-C reaches both processes, and a second one would kill the command.
    process.on("SIGINT", () => void (process.stdin.isTTY || child.kill("SIGINT")));
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", () => resolve(1));
    child.on("close", (code) => resolve(code ?? 1));
  });
}
