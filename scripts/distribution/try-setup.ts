import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse as parseToml } from "smol-toml";
import { type McpClient, mcpClients } from "../../packages/contract/src/cli/mcp-clients.ts";
import type { Attempt } from "./channels.ts";
import type { ShippedServer } from "./servers.ts";
import type { Launch, Stranger } from "./stranger.ts";

/** Commands that set a server up for every detected client. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  tuitbot: ["mcp", "setup", "--sandbox", "--yes"],
  "godot-mcp-omni": ["--project", "project", "setup", "--yes"],
};

/** Sets a server up with every client installed, and starts it from each of their files. */
export async function trySetup(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const home = stranger.newHome();
  const machine = { home, platform: process.platform, env: {} };
  for (const client of mcpClients) {
    const file = client.file(machine);
    const isInHome = dirname(file) === home;
    mkdirSync(client.folder?.(machine) ?? dirname(file), { recursive: true });
    if (isInHome) writeFileSync(file, "{}");
  }
  const words = COMMANDS[server.name] ?? [];
  await stranger.run(home, "npx", ["-y", server.name, ...words]);
  const launches = new Map<string, Launch>();
  for (const client of mcpClients) {
    const launch = launchOf(entryIn(client, client.file(machine), server));
    launches.set(JSON.stringify(launch), launch);
  }
  const seen: string[] = [];
  for (const launch of launches.values()) seen.push(await stranger.answers(server, launch));
  return { seen: `${mcpClients.length} files; ${[...new Set(seen)].join("; ")}` };
}

/** The entry format of most clients, and opencode's: one list with its arguments, and another name for variables. */
interface Entry {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

function launchOf({ command, args = [], env, environment }: Entry): Launch {
  const [program = "", ...words] = [command].flat();
  return { command: program, args: [...words, ...args], env: env ?? environment ?? {} };
}

function entryIn({ format, member, title }: McpClient, file: string, { name }: ShippedServer): Entry {
  const text = readFileSync(file, "utf8");
  const content: Record<string, unknown> = format === "json" ? JSON.parse(text) : parseToml(text);
  const [entry] = Object.values<Entry>(Object(content[member]));
  if (entry === undefined) throw new Error(`${file} of ${title} has no entry of ${name}.`);
  return entry;
}
