import { type Package, packageNamed } from "../packages.ts";
import type { Publisher } from "./publisher.ts";
import { defaultEnvironment, type ServerSetting, type ShippedServer, shippedServers } from "./servers.ts";

/**
 * The files clients install the servers from, by path: the manifests of the desktop bundles, plugins for Claude
 * Code, Cursor, Gemini CLI and clients that read Agent Plugins, and the marketplaces that list them. A plugin is its
 * package's folder, including the skills the package ships.
 *
 * Plugins start the published package with npx. Without a publisher there are none: npx would run a package
 * somebody else has registered under our name.
 */
export function clientFiles(publisher: Publisher | undefined): Readonly<Record<string, string>> {
  const servers = shippedServers.map((server) => ({ server, pkg: packageNamed(server.name) }));
  const bundles = Object.fromEntries(
    servers.map(({ server, pkg }) => [
      `packages/${server.name}/mcpb/manifest.json`,
      jsonText(mcpbManifest(server, pkg)),
    ]),
  );
  if (publisher === undefined) return bundles;
  const marketplace = {
    name: "toolpact",
    description: "MCP servers with approval, receipts and budgets: X (Twitter) and Godot 4.",
    owner: { name: "Toolpact" },
    plugins: servers.map(({ server, pkg }) => ({
      name: server.name,
      source: `./packages/${server.name}`,
      description: server.description,
      version: pkg.version,
    })),
  };
  return {
    ...bundles,
    ".claude-plugin/marketplace.json": jsonText(marketplace),
    ".cursor-plugin/marketplace.json": jsonText(marketplace),
    ...Object.assign({}, ...servers.map(({ server, pkg }) => pluginFiles(server, pkg))),
  };
}

function pluginFiles(server: ShippedServer, pkg: Package): Readonly<Record<string, string>> {
  const folder = `packages/${server.name}`;
  const about = {
    name: server.name,
    version: pkg.version,
    description: server.description,
    author: { name: "Toolpact" },
    license: "MIT",
  };
  const launch = launchOf(server, pkg);
  const mcpServers = { [server.name]: launch };
  return {
    [`${folder}/.claude-plugin/plugin.json`]: jsonText({ ...about, mcpServers }),
    [`${folder}/.cursor-plugin/plugin.json`]: jsonText({ ...about, mcpServers }),
    [`${folder}/plugin.json`]: jsonText({
      $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
      ...about,
    }),
    [`${folder}/mcp.json`]: jsonText({
      $schema: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
      mcpServers: { [server.name]: { type: "stdio", ...launch } },
    }),
    [`${folder}/gemini-extension.json`]: jsonText({
      name: server.name,
      version: pkg.version,
      description: server.description,
      // No settings: a non-interactive installation stops at the prompt, and all of them are optional.
      mcpServers,
    }),
  };
}

/** The command that starts the published package. */
function launchOf(server: ShippedServer, { version }: Package) {
  const env = defaultEnvironment(server);
  return {
    command: "npx",
    args: ["-y", `${server.name}@${version}`, ...server.args],
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** The manifest of the desktop bundle, which holds the package's own files. */
function mcpbManifest({ name, title, description, args, settings }: ShippedServer, { version }: Package) {
  return {
    manifest_version: "0.3",
    name,
    display_name: title,
    version,
    description,
    author: { name: "Toolpact" },
    license: "MIT",
    server: {
      type: "node",
      entry_point: `bin/${name}.js`,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/bin/${name}.js`, ...args],
        env: Object.fromEntries(settings.map(({ env, key }) => [env, `\${user_config.${key}}`])),
      },
    },
    tools_generated: true,
    user_config: Object.fromEntries(settings.map((setting) => [setting.key, formField(setting)])),
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: ">=22.18" } },
  };
}

const MCPB_TYPES = { text: "string", switch: "boolean", file: "file", folder: "directory" } as const;

function formField({ type, title, description, isRequired = false, default: value }: ServerSetting) {
  return {
    type: MCPB_TYPES[type],
    title,
    description,
    required: isRequired,
    ...(value !== undefined && { default: value }),
  };
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
