import { join } from "node:path";
import { builtPackage } from "../build.ts";
import { root } from "../packages.ts";
import { run } from "../run.ts";
import type { ClientReport } from "./check-client.ts";
import type { RealClient } from "./client-table.ts";
import { installClient } from "./install-client.ts";
import type { TestedClient } from "./table.ts";

/** Builds the commands that the clients start. */
export async function buildDriven(): Promise<void> {
  for (const name of ["tuitbot", "godot-mcp-omni", "toolpact"]) await builtPackage(name);
}

/**
 * Installs a client and drives it in a network namespace with only loopback, which cuts the client and its servers
 * off from everything else. Returns the reason if this machine does not support that.
 */
export async function runInNamespace(
  client: RealClient,
  version: string = client.version,
): Promise<TestedClient | string> {
  if (process.platform !== "linux") return "network namespaces need Linux.";
  const installed = await installClient(client, version);
  if (typeof installed === "string") return installed;
  const { ok, output } = await runDriver("check-client.ts", client.id, installed.program);
  const line = output.trim().split("\n").at(-1) ?? "";
  if (!ok) return `it cannot be driven here: ${output.trim()}`;
  return { title: client.title, version, report: JSON.parse(line) as ClientReport };
}

/** Runs a script of this folder in a network namespace with only loopback. */
export function runDriver(
  script: string,
  id: string,
  program: string,
  ...more: readonly string[]
): ReturnType<typeof run> {
  const driver = join(root, "scripts/clients", script);
  const command = [process.execPath, "--conditions=toolpact-source", driver, id, program, ...more];
  return run("unshare", [
    "--net",
    // Ends everything the client has left running.
    ...["--pid", "--fork", "--kill-child", "--mount-proc"],
    ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
    "sh",
    "-c",
    // Without `exec`: the shell, as the first process, collects those whose parents have ended.
    'ip link set lo up && "$@"; exit $?',
    "sh",
    ...command,
  ]);
}
