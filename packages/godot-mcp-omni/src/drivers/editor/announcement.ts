import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, type Environment } from "../../godot/environment.ts";

/** A server's note to editors: where it listens and the token that opens it. Only this user can read it. */
export interface Announcement {
  withdraw(): Promise<void>;
}

/** Where servers and editors of this user meet; the addon computes the same. Outside every project. */
export function meetingPlace(env: Environment, platform: NodeJS.Platform): string {
  return env.GODOT_MCP_BRIDGE_DIR ?? join(cacheFolder(env, platform), "bridge");
}

export async function announce(
  folder: string,
  server: { readonly port: number; readonly token: string; readonly pid: number },
): Promise<Announcement> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await forgetTheDead(folder);
  const file = join(folder, `${server.pid}-${server.port}.json`);
  const draft = `${file}.draft`;
  await writeFile(draft, JSON.stringify(server), { mode: 0o600 });
  await rename(draft, file);
  return { withdraw: () => rm(file, { force: true }) };
}

/** A server that was killed could not take its note back. */
async function forgetTheDead(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".json")) continue;
    const file = join(folder, name);
    const pid = pidIn(await readFile(file, "utf8").catch(() => ""));
    if (pid === undefined || !isAlive(pid)) await rm(file, { force: true });
  }
}

function pidIn(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "pid" in value && typeof value.pid === "number"
      ? value.pid
      : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it lives, and is someone else's.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
