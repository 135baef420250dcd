import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";
import { packageOf } from "./client-files.ts";
import { serverJson } from "./server-json.ts";
import { type ShippedServer, shippedServers } from "./servers.ts";
import type { Launch, Stranger } from "./stranger.ts";
import { tryBundle } from "./try-bundle.ts";
import { tryContainer } from "./try-container.ts";
import { tryExecutable } from "./try-executable.ts";
import { trySetup } from "./try-setup.ts";
import { trySite } from "./try-site.ts";

/** A way in which a stranger gets at what is published. */
export interface Channel {
  readonly id: string;
  /** What it is called in the README. */
  readonly title: string;
  /** The names of the servers that it brings; none where it brings no server. */
  readonly servers: readonly string[];
  /** What is done to try it, for the README. */
  readonly trial: string;
  /** What else has to be known, for the README. */
  readonly untried?: string;
  /** Does what a stranger does. Throws where it does not work. */
  readonly attempt: (stranger: Stranger, server: ShippedServer) => Promise<Attempt>;
}

/** What was seen, in a few words, and what could not be tried on this machine and why. */
export interface Attempt {
  readonly seen: string;
  readonly missing?: string;
}

const both = shippedServers.map(({ name }) => name);
const STARTED = "starting the command that it names";

export const channels: readonly Channel[] = [
  {
    id: "npx",
    title: "npm package, by `npx`",
    servers: both,
    trial: "`npx` with an empty home and cache, from a registry that has nothing else",
    attempt: tryPackage,
  },
  {
    id: "readme",
    title: "the configuration in the README",
    servers: both,
    trial: "starting it as it is written",
    attempt: started(readmeLaunch),
  },
  {
    id: "bundle",
    title: "bundle for desktop clients (`.mcpb`)",
    servers: both,
    trial: "unpacking it, and starting it as its manifest says",
    attempt: tryBundle,
  },
  {
    id: "claude-code-plugin",
    title: "Claude Code plugin",
    servers: both,
    trial: `from the marketplace file to the plugin's, and ${STARTED}`,
    untried: "not installed in the client",
    attempt: started(pluginLaunch(".claude-plugin")),
  },
  {
    id: "cursor-plugin",
    title: "Cursor plugin",
    servers: both,
    trial: `from the marketplace file to the plugin's, and ${STARTED}`,
    untried: "not installed in the client",
    attempt: started(pluginLaunch(".cursor-plugin")),
  },
  {
    id: "gemini-extension",
    title: "Gemini CLI extension",
    servers: both,
    trial: STARTED,
    untried: "not installed in the client",
    attempt: started((server) => launchIn(`packages/${server.name}/gemini-extension.json`, server)),
  },
  {
    id: "agent-plugin",
    title: "Agent Plugins (VS Code, Copilot, Codex and others)",
    servers: both,
    trial: STARTED,
    untried: "not installed in the clients",
    attempt: started((server) => launchIn(`packages/${server.name}/mcp.json`, server)),
  },
  {
    id: "vscode-badge",
    title: "VS Code badge",
    servers: both,
    trial: "reading the link back, and starting what it installs",
    untried: "not clicked",
    attempt: started(badgeLaunch("vscode.dev", (config) => config)),
  },
  {
    id: "cursor-badge",
    title: "Cursor badge",
    servers: both,
    trial: "reading the link back, and starting what it installs",
    untried: "not clicked",
    attempt: started(badgeLaunch("cursor.com", (config) => Buffer.from(config, "base64").toString())),
  },
  {
    id: "registry",
    title: "MCP registry entry (`server.json`)",
    servers: both,
    trial: "the registry's schema, and starting the package with the entry's arguments",
    untried: "not published",
    attempt: started(registryLaunch),
  },
  {
    id: "setup",
    title: "`mcp setup` for 16 clients",
    servers: both,
    trial: "running it where all 16 are found, and starting what stands in their files",
    untried: "not started in the clients",
    attempt: trySetup,
  },
  {
    id: "executable",
    title: "one executable",
    servers: ["tuitbot"],
    trial: "building it, then commands, an agent and the page in an empty folder without Node",
    untried: "Linux x64 only",
    attempt: tryExecutable,
  },
  {
    id: "container",
    title: "container image, `compose.yaml`",
    servers: ["tuitbot"],
    trial: "linting, and the image's own steps as its user, with a health check and an agent",
    untried: "built once by hand, with buildah on a base with the same Node; not yet on `node:26-alpine`",
    attempt: tryContainer,
  },
  {
    id: "documentation",
    title: "documentation site",
    servers: [],
    trial: "building it, serving it, and following every link",
    attempt: trySite,
  },
];

const BLOCK = /<!-- ways to install -->\n[\s\S]*?<!-- end of ways to install -->/;

/** A page with the table of all channels in its place. */
export function withChannels(page: string): string {
  if (!BLOCK.test(page)) throw new Error("The README has no place for the ways to install.");
  return page.replace(
    BLOCK,
    () => `<!-- ways to install -->\n${channelsTable()}\n<!-- end of ways to install -->`,
  );
}

function channelsTable(): string {
  const rows = channels.map(({ title, servers, trial, untried }) => {
    const has = both.map((name) => (servers.length === 0 ? "" : servers.includes(name) ? "yes" : "no"));
    return `| ${[title, ...has, untried === undefined ? trial : `${trial}; ${untried}`].join(" | ")} |`;
  });
  return ["| way | tuitbot | Godot | tried by |", "|---|---|---|---|", ...rows].join("\n");
}

/** The unpacked size that a package of ours may have. */
const MOST_BYTES = 6_000_000;

async function tryPackage(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const { name, args } = server;
  const home = stranger.newHome();
  await stranger.run(home, "npx", ["-y", name, "--version"]);
  const place = join(home, ".npm/_npx");
  const modules = join(place, readdirSync(place)[0] ?? "", "node_modules");
  const installed = readdirSync(modules).filter((entry) => !entry.startsWith("."));
  if (installed.join() !== name) throw new Error(`npx also installs ${installed.join(", ")}.`);
  if (stranger.others().length > 0) throw new Error(`npx also asks for ${stranger.others().join(", ")}.`);
  const bytes = sizeOf(join(modules, name));
  if (bytes > MOST_BYTES) throw new Error(`${name} has ${bytes} bytes unpacked.`);
  for (const file of ["dist/THIRD-PARTY-NOTICES.txt", "dist/sbom.cdx.json", "skills"])
    if (!existsSync(join(modules, name, file))) throw new Error(`${name} is published without ${file}.`);
  const env = Object.fromEntries(
    server.settings.flatMap(({ env, default: value }) => (value ? [[env, String(value)]] : [])),
  );
  const seen = await stranger.answers(server, { command: "npx", args: ["-y", name, ...args], env });
  return { seen: `${(bytes / 1e6).toFixed(2)} MB, nothing beside it; ${seen}` };
}

/** Tries what a file says by starting it. */
function started(launchOf: (server: ShippedServer, stranger: Stranger) => Launch): Channel["attempt"] {
  return async (stranger, server) => ({ seen: await stranger.answers(server, launchOf(server, stranger)) });
}

function launchIn(file: string, { name }: ShippedServer): Launch {
  const { mcpServers } = JSON.parse(readFileSync(join(root, file), "utf8"));
  const { command, args, env } = mcpServers[name];
  return { command, args, env };
}

function pluginLaunch(folder: string) {
  return (server: ShippedServer): Launch => {
    const { plugins } = JSON.parse(readFileSync(join(root, folder, "marketplace.json"), "utf8"));
    const listed = plugins.find(({ name }: { readonly name: string }) => name === server.name);
    if (readdirSync(join(root, listed.source, "skills")).length === 0)
      throw new Error(`The plugin of ${server.name} has no skills.`);
    return launchIn(join(listed.source, folder, "plugin.json"), server);
  };
}

function badgeLaunch(host: string, decoded: (config: string) => string) {
  return ({ name }: ShippedServer): Launch => {
    const page = readFileSync(join(root, `packages/${name}/README.md`), "utf8");
    const links = [...page.matchAll(/\]\((https:[^)]+)\)/g)].map(([, url = ""]) => new URL(url));
    const link = links.find((url) => url.host === host);
    return JSON.parse(decoded(link?.searchParams.get("config") ?? ""));
  };
}

/** The first configuration in the README, with the placeholder of its project replaced. */
function readmeLaunch({ name }: ShippedServer): Launch {
  const page = readFileSync(join(root, `packages/${name}/README.md`), "utf8");
  const block = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)```/.exec(page)?.[1] ?? "";
  const [launch] = Object.values<Launch>(JSON.parse(block).mcpServers);
  if (launch === undefined) throw new Error(`The README of ${name} has no configuration.`);
  return { ...launch, args: launch.args.map((word) => word.replace("/path/to/game", ".")) };
}

function registryLaunch(server: ShippedServer, { publisher }: Stranger): Launch {
  const [entry] = serverJson(server, packageOf(server), publisher).packages;
  if (entry === undefined) throw new Error(`The entry of ${server.name} names no package.`);
  const { runtimeHint, identifier, version, packageArguments, environmentVariables } = entry;
  return {
    command: runtimeHint,
    args: ["-y", `${identifier}@${version}`, ...packageArguments.map(({ value }) => value)],
    env: Object.fromEntries(
      environmentVariables.flatMap(({ name, default: value }) => (value ? [[name, value]] : [])),
    ),
  };
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
