import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Program {
  readonly child: ChildProcess;
  readonly greeting: Greeting;
  /** As Ctrl-C does; resolves to the exit code. */
  readonly stop: () => Promise<number | null>;
}

export interface Greeting {
  readonly url: string;
  readonly digest: string;
  readonly user: { readonly username: string; readonly id: string };
  readonly access_token: string;
  readonly bearer_token: string;
}

export async function startProgram(...options: readonly string[]): Promise<Program> {
  const args = [...source, "--port", "0", "--output", "json", ...options];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return {
    child,
    greeting: JSON.parse(line),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      const [code] = await ended;
      return code;
    },
  };
}

/** Runs from source instead of an older build. */
const source: readonly string[] = [
  "--conditions=toolpact-source",
  fileURLToPath(new URL("../src/main.ts", import.meta.url)),
];
