import { join } from "node:path";
import type { JsonObject } from "../json.ts";

/** How a client starts or reaches a server. */
export type Launch =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** The computer a client is configured on. */
export interface ClientMachine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** An MCP client: where it stores its servers, and in which format. */
export interface McpClient {
  readonly id: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** The user's file, which applies to all projects. */
  readonly file: (machine: ClientMachine) => string;
  /** The member of the file that holds the servers. */
  readonly member: string;
  /** Undefined if the client does not support this kind of launch. */
  readonly entry: (launch: Launch) => JsonObject | undefined;
  /** What to do after the file was written. */
  readonly after: string;
}

/** The supported clients. */
export const mcpClients: readonly McpClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    format: "json",
    file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"),
    member: "mcpServers",
    entry: (launch) => ({ type: launch.kind, ...plain(launch) }),
    after: "Start claude and type /mcp.",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    file: (machine) => join(appFolder(machine, "Claude"), "claude_desktop_config.json"),
    member: "mcpServers",
    // Remote servers are added in the app's settings; its file takes programs only.
    entry: (launch) => (launch.kind === "stdio" ? plain(launch) : undefined),
    after: "Quit Claude Desktop and start it again.",
  },
  {
    id: "cursor",
    title: "Cursor",
    format: "json",
    file: ({ home }) => join(home, ".cursor", "mcp.json"),
    member: "mcpServers",
    entry: plain,
    after: "Open Settings, MCP, and look for the green dot.",
  },
  {
    id: "vscode",
    title: "VS Code",
    format: "json",
    file: (machine) => join(appFolder(machine, "Code"), "User", "mcp.json"),
    member: "servers",
    entry: (launch) => ({ type: launch.kind, ...plain(launch) }),
    after: "Run MCP: List Servers from the command palette.",
  },
  {
    id: "codex",
    title: "Codex",
    format: "toml",
    file: ({ home, env }) => join(env.CODEX_HOME || join(home, ".codex"), "config.toml"),
    member: "mcp_servers",
    entry: (launch) =>
      launch.kind === "http" && launch.headers !== undefined
        ? { url: launch.url, http_headers: { ...launch.headers } }
        : plain(launch),
    after: "Start codex and type /mcp.",
  },
];

function plain(launch: Launch): JsonObject {
  if (launch.kind === "http")
    return { url: launch.url, ...(launch.headers && { headers: { ...launch.headers } }) };
  const { command, args, env } = launch;
  return { command, args: [...args], ...(env && { env: { ...env } }) };
}

function appFolder({ home, platform, env }: ClientMachine, app: string): string {
  switch (platform) {
    case "darwin":
      return join(home, "Library", "Application Support", app);
    case "win32":
      return join(env.APPDATA || join(home, "AppData", "Roaming"), app);
    default:
      return join(env.XDG_CONFIG_HOME || join(home, ".config"), app);
  }
}
