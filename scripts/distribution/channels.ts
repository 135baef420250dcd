import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageNamed, root } from "../packages.ts";
import { clientFiles } from "./client-files.ts";
import { installLinks } from "./install-links.ts";
import { serverJson } from "./server-json.ts";
import { type ShippedServer, shippedServers } from "./servers.ts";
import type { Launch, Stranger } from "./stranger.ts";
import { tryBundle } from "./try-bundle.ts";
import { tryContainer } from "./try-container.ts";
import { tryExecutable } from "./try-executable.ts";
import { trySetup } from "./try-setup.ts";
import { trySite } from "./try-site.ts";

/** An installation method. */
export interface Channel {
  readonly id: string;
  /** Its name in docs/install.md. */
  readonly title: string;
  /** Names of the servers it installs; may be empty. */
  readonly servers: readonly string[];
  /** True if it fetches our package from npm, and works only after publication. */
  readonly needsPublication?: true;
  /** How it is tested, for docs/install.md. */
  readonly trial: string;
  /** Limits of that test, for docs/install.md. */
  readonly untried?: string;
  /** Installs and starts it in an empty home. Throws if that fails. */
  readonly attempt: (stranger: Stranger, server: ShippedServer) => Promise<Attempt>;
}

/** A short report of the attempt, and the parts that could not be tested on this machine. */
export interface Attempt {
  readonly seen: string;
  readonly missing?: string;
}

const both = shippedServers.map(({ name }) => name);
const STARTED = "starts the command in its manifest";

export const channels: readonly Channel[] = [
  {
    id: "npx",
    title: "npm package with `npx`",
    servers: both,
    needsPublication: true,
    trial: "`npx` with an empty home and cache, from a local registry that has only our packages",
    attempt: tryPackage,
  },
  {
    id: "readme",
    title: "the configuration in the README, from a checkout",
    servers: both,
    trial: "starts it as written, with the paths filled in",
    attempt: started(readmeLaunch),
  },
  {
    id: "bundle",
    title: "desktop bundle (`.mcpb`)",
    servers: both,
    trial: "unpacks it and starts the command in its manifest",
    untried: "not installed in a desktop client",
    attempt: tryBundle,
  },
  {
    id: "claude-code-plugin",
    title: "Claude Code plugin",
    servers: both,
    needsPublication: true,
    trial: `follows the marketplace file to the plugin and ${STARTED}`,
    attempt: started(pluginLaunch(".claude-plugin")),
  },
  {
    id: "cursor-plugin",
    title: "Cursor plugin",
    servers: both,
    needsPublication: true,
    trial: `follows the marketplace file to the plugin and ${STARTED}`,
    untried: "not installed in Cursor",
    attempt: started(pluginLaunch(".cursor-plugin")),
  },
  {
    id: "gemini-extension",
    title: "Gemini CLI extension",
    servers: both,
    needsPublication: true,
    trial: STARTED,
    attempt: started(({ name }, stranger) =>
      launchIn(`packages/${name}/gemini-extension.json`, name, stranger),
    ),
  },
  {
    id: "agent-plugin",
    title: "Agent Plugins (VS Code, Copilot, Codex and others)",
    servers: both,
    needsPublication: true,
    trial: STARTED,
    untried: "not installed in VS Code",
    attempt: started(({ name }, stranger) => launchIn(`packages/${name}/mcp.json`, name, stranger)),
  },
  {
    id: "vscode-badge",
    title: "VS Code badge",
    servers: both,
    needsPublication: true,
    trial: "decodes the link and starts the command in it",
    untried: "not clicked",
    attempt: started(badgeLaunch("vscode.dev", (config) => config)),
  },
  {
    id: "cursor-badge",
    title: "Cursor badge",
    servers: both,
    needsPublication: true,
    trial: "decodes the link and starts the command in it",
    untried: "not clicked",
    attempt: started(badgeLaunch("cursor.com", (config) => Buffer.from(config, "base64").toString())),
  },
  {
    id: "registry",
    title: "MCP registry entry (`server.json`)",
    servers: both,
    needsPublication: true,
    trial: "validates it against the registry's schema and starts the package with its arguments",
    attempt: started(registryLaunch),
  },
  {
    id: "setup",
    title: "`mcp setup` for 18 clients",
    servers: both,
    trial: "runs it with the settings folders of all 18 present, and starts the command in each file",
    untried: "6 of the 18 were tried by hand",
    attempt: trySetup,
  },
  {
    id: "executable",
    title: "single executable",
    servers: both,
    trial: "builds it, then runs commands, an agent and tuitbot's web app in an empty folder without Node",
    untried: "Linux x64 only",
    attempt: tryExecutable,
  },
  {
    id: "container",
    title: "container image, `compose.yaml`",
    servers: ["tuitbot"],
    trial: "lints the Dockerfile and runs its steps as its user, with a health check and an agent",
    untried:
      "built once by hand, with buildah on another base image with the same Node; not yet on `node:26-alpine`",
    attempt: tryContainer,
  },
  {
    id: "documentation",
    title: "documentation site",
    servers: [],
    trial: "builds it, serves it and follows every link",
    attempt: trySite,
  },
];

const BLOCK = /<!-- ways to install -->\n[\s\S]*?<!-- end of ways to install -->/;

/** The page with the table of all channels. */
export function withChannels(page: string): string {
  if (!BLOCK.test(page)) throw new Error("docs/install.md has no place for the ways to install.");
  return page.replace(
    BLOCK,
    () => `<!-- ways to install -->\n${channelsTable()}\n<!-- end of ways to install -->`,
  );
}

function channelsTable(): string {
  const rows = channels.map(({ title, servers, needsPublication, trial, untried }) => {
    const has = both.map((name) => (servers.length === 0 ? "" : servers.includes(name) ? "yes" : "no"));
    const when = needsPublication ? "after publication" : "now";
    return `| ${[title, ...has, when, untried === undefined ? trial : `${trial}; ${untried}`].join(" | ")} |`;
  });
  return ["| method | tuitbot | Godot | works | the test |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** The maximum unpacked size of our packages. The sign-in of clients (oidc-provider) is 0.9 MB of tuitbot. */
const MAX_BYTES = 7_000_000;

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
  if (bytes > MAX_BYTES) throw new Error(`${name} has ${bytes} bytes unpacked.`);
  for (const file of ["dist/THIRD-PARTY-NOTICES.txt", "dist/sbom.cdx.json", "skills"])
    if (!existsSync(join(modules, name, file))) throw new Error(`${name} is published without ${file}.`);
  const env = Object.fromEntries(
    server.settings.flatMap(({ env, default: value }) => (value ? [[env, String(value)]] : [])),
  );
  const seen = await stranger.answers(server, { command: "npx", args: ["-y", name, ...args], env });
  return { seen: `${(bytes / 1e6).toFixed(2)} MB, one file; ${seen}` };
}

/** Tests a file by starting the server it describes. */
function started(launchOf: (server: ShippedServer, stranger: Stranger) => Launch): Channel["attempt"] {
  return async (stranger, server) => ({ seen: await stranger.answers(server, launchOf(server, stranger)) });
}

function launchIn(file: string, name: string, { publisher }: Stranger): Launch {
  const { mcpServers } = JSON.parse(clientFiles(publisher)[file] ?? "{}");
  const { command, args, env } = mcpServers[name];
  return { command, args, env };
}

function pluginLaunch(folder: string) {
  return ({ name }: ShippedServer, stranger: Stranger): Launch => {
    const files = clientFiles(stranger.publisher);
    const { plugins } = JSON.parse(files[`${folder}/marketplace.json`] ?? "{}");
    const listed = plugins.find((plugin: { readonly name: string }) => plugin.name === name);
    if (readdirSync(join(root, listed.source, "skills")).length === 0)
      throw new Error(`The plugin of ${name} has no skills.`);
    return launchIn(join(listed.source, folder, "plugin.json"), name, stranger);
  };
}

function badgeLaunch(host: string, decoded: (config: string) => string) {
  return (server: ShippedServer): Launch => {
    const links = [...installLinks(server).matchAll(/\]\((https:[^)]+)\)/g)].map(
      ([, url = ""]) => new URL(url),
    );
    const link = links.find((url) => url.host === host);
    return JSON.parse(decoded(link?.searchParams.get("config") ?? ""));
  };
}

/** The first configuration in the README, with its placeholders replaced. */
function readmeLaunch({ name }: ShippedServer): Launch {
  const page = readFileSync(join(root, `packages/${name}/README.md`), "utf8");
  const block = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)```/.exec(page)?.[1] ?? "";
  const [launch] = Object.values<Launch>(JSON.parse(block).mcpServers);
  if (launch === undefined) throw new Error(`The README of ${name} has no configuration.`);
  const filled = (word: string) => word.replace("/path/to/toolpact", root).replace("/path/to/game", ".");
  return { ...launch, args: launch.args.map(filled) };
}

function registryLaunch(server: ShippedServer, { publisher }: Stranger): Launch {
  const [entry] = serverJson(server, packageNamed(server.name), publisher).packages;
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
