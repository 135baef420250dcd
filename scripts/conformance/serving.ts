import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Serving {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface Ended {
  readonly said: string;
}

export async function startServing(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Serving | Ended> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const ended = once(child, "exit");
  // Read continuously, because a full pipe would block the server.
  let said = "";
  child.stderr.on("data", (part) => {
    said += part;
  });
  let printed = "";
  for await (const part of child.stdout) {
    printed += part;
    const url = /http:\S+\/mcp/.exec(printed)?.[0];
    if (url === undefined) continue;
    return {
      url,
      async stop() {
        child.kill();
        await ended;
      },
    };
  }
  await ended;
  return { said };
}
