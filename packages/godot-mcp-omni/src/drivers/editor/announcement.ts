import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import { makeFolder } from "@toolpact/file-lock";
import { cacheFolder, type Environment } from "../../godot/environment.ts";

/** A server's announcement to editors: its port and its token. Only this user can read it. */
export interface Announcement {
  withdraw(): Promise<void>;
}

/** The folder of announcements, outside every project. The addon computes the same path. */
export function meetingPlace(env: Environment, platform: NodeJS.Platform): string {
  return env.GODOT_MCP_BRIDGE_DIR ?? join(cacheFolder(env, platform), "bridge");
}

export async function announce(
  folder: string,
  server: { readonly port: number; readonly token: string; readonly pid: number },
): Promise<Announcement> {
  await makeFolder(folder);
  await forgetTheDead(folder);
  const file = join(folder, `${server.pid}-${server.port}.json`);
  const draft = `${file}.draft`;
  await writeFile(draft, JSON.stringify(server), { mode: 0o600 });
  await rename(draft, file);
  return { withdraw: () => rm(file, { force: true }) };
}

/** Removes announcements of servers that were killed. */
async function forgetTheDead(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".json")) continue;
    const file = join(folder, name);
    const pid = pidIn(await readFile(file, "utf8").catch(() => ""));
    if (pid === undefined || !isAlive(pid)) await rm(file, { force: true });
  }
}

function pidIn(text: string): number | undefined {
  const value = parseJson(text);
  return isJsonObject(value) && typeof value.pid === "number" ? value.pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: the process exists and belongs to another user.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
