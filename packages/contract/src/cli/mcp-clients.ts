import { join } from "node:path";
import type { JsonObject } from "../json.ts";

export type Launch =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface ClientMachine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

export interface McpClient {
  readonly id: string;
  readonly title: string;
  readonly format: "json" | "toml";
  readonly file: (machine: ClientMachine) => string;
  /** A folder that exists if the client is installed; the file's folder by default. */
  readonly folder?: (machine: ClientMachine) => string;
  readonly member: string;
  /** Undefined if the client does not support this launch. */
  readonly entry: (launch: Launch) => JsonObject | undefined;
  /** True if the client searches a long tool list itself, or does not reload a changed one. */
  readonly needsAllTools?: boolean;
  readonly after: string;
}

export const mcpClients: readonly McpClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    format: "json",
    file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"),
    member: "mcpServers",
    entry: (launch) => ({ type: launch.kind, ...plain(launch) }),
    needsAllTools: true,
    after: "Start claude and type /mcp.",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    file: (machine) => join(appFolder(machine, "Claude"), "claude_desktop_config.json"),
    member: "mcpServers",
    // Remote servers are added in the app's settings; its file supports only programs.
    entry: programOnly,
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
    needsAllTools: true,
    after: "Start codex and type /mcp.",
  },
  {
    id: "opencode",
    title: "opencode",
    format: "json",
    // The same folder on every platform.
    file: ({ home, env }) => join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode", "opencode.json"),
    member: "mcp",
    entry: opencodeEntry,
    after: "Run opencode mcp list.",
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    format: "json",
    file: ({ home }) => join(home, ".gemini", "settings.json"),
    member: "mcpServers",
    entry: (launch) => withUrlAs("httpUrl", launch),
    after: "Start gemini and type /mcp.",
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    format: "json",
    file: ({ home, env }) => join(env.QWEN_HOME || join(home, ".qwen"), "settings.json"),
    member: "mcpServers",
    entry: (launch) => withUrlAs("httpUrl", launch),
    needsAllTools: true,
    after: "Start qwen and type /mcp.",
  },
  {
    id: "antigravity",
    title: "Antigravity",
    format: "json",
    file: ({ home }) => join(home, ".gemini", "antigravity", "mcp_config.json"),
    member: "mcpServers",
    entry: (launch) => withUrlAs("serverUrl", launch),
    after: "Open the agent panel, MCP Servers, and refresh.",
  },
  {
    id: "copilot-cli",
    title: "GitHub Copilot CLI",
    format: "json",
    file: ({ home, env }) => join(env.COPILOT_HOME || join(home, ".copilot"), "mcp-config.json"),
    member: "mcpServers",
    // Older versions offer no tools without the list.
    entry: (launch) => ({
      type: launch.kind === "stdio" ? "local" : "http",
      ...plain(launch),
      tools: ["*"],
    }),
    after: "Start copilot and type /mcp.",
  },
  {
    id: "devin",
    title: "Devin Desktop (once Windsurf)",
    format: "json",
    file: (machine) => join(appFolder(machine, "devin", "~/.config"), "mcp_config.json"),
    member: "mcpServers",
    entry: plain,
    after: "Open the MCP settings and refresh.",
  },
  {
    id: "zed",
    title: "Zed",
    format: "json",
    file: (machine) =>
      join(appFolder(machine, machine.platform === "win32" ? "Zed" : "zed", "~/.config"), "settings.json"),
    member: "context_servers",
    entry: plain,
    after: "Open the agent panel's settings and look for the green dot.",
  },
  {
    id: "cline",
    title: "Cline",
    format: "json",
    file: (machine) =>
      join(extensionFolder(machine, "saoudrizwan.claude-dev"), "settings", "cline_mcp_settings.json"),
    folder: (machine) => extensionFolder(machine, "saoudrizwan.claude-dev"),
    member: "mcpServers",
    entry: (launch) => withType("streamableHttp", launch),
    after: "Open Cline's MCP Servers and look for the green dot.",
  },
  {
    id: "roo-code",
    title: "Roo Code",
    format: "json",
    file: (machine) =>
      join(extensionFolder(machine, "rooveterinaryinc.roo-cline"), "settings", "mcp_settings.json"),
    folder: (machine) => extensionFolder(machine, "rooveterinaryinc.roo-cline"),
    member: "mcpServers",
    entry: (launch) => withType("streamable-http", launch),
    after: "Open Roo Code's MCP Servers and look for the green dot.",
  },
  {
    id: "kiro",
    title: "Kiro",
    format: "json",
    file: ({ home }) => join(home, ".kiro", "settings", "mcp.json"),
    folder: ({ home }) => join(home, ".kiro"),
    member: "mcpServers",
    entry: plain,
    after: "Open the MCP servers panel, or start kiro-cli and type /mcp.",
  },
  {
    id: "junie",
    title: "JetBrains Junie",
    format: "json",
    file: ({ home }) => join(home, ".junie", "mcp", "mcp.json"),
    folder: ({ home }) => join(home, ".junie"),
    member: "mcpServers",
    entry: programOnly,
    after: "Open Settings, Tools, Junie, MCP Settings.",
  },
  {
    id: "lm-studio",
    title: "LM Studio",
    format: "json",
    file: ({ home }) => join(home, ".lmstudio", "mcp.json"),
    member: "mcpServers",
    entry: plain,
    after: "Open the Program tab and switch the server on.",
  },
  {
    id: "warp",
    title: "Warp",
    format: "json",
    file: ({ home }) => join(home, ".warp", ".mcp.json"),
    member: "mcpServers",
    entry: programOnly,
    after: "Open Settings, MCP Servers, and start it.",
  },
];

function plain(launch: Launch): JsonObject {
  if (launch.kind === "http")
    return { url: launch.url, ...(launch.headers && { headers: { ...launch.headers } }) };
  const { command, args, env } = launch;
  return { command, args: [...args], ...(env && { env: { ...env } }) };
}

/** One list for the program and its arguments. A server with a token header needs no OAuth. */
function opencodeEntry(launch: Launch): JsonObject {
  if (launch.kind === "http")
    return {
      type: "remote",
      ...plain(launch),
      ...(launch.headers && { oauth: false }),
      enabled: true,
    };
  const { command, args, env } = launch;
  return {
    type: "local",
    command: [command, ...args],
    ...(env && { environment: { ...env } }),
    enabled: true,
  };
}

function programOnly(launch: Launch): JsonObject | undefined {
  return launch.kind === "stdio" ? plain(launch) : undefined;
}

function withUrlAs(member: string, launch: Launch): JsonObject {
  const { url, ...others } = plain(launch);
  return url === undefined ? others : { [member]: url, ...others };
}

function withType(http: string, launch: Launch): JsonObject {
  return launch.kind === "stdio" ? plain(launch) : { type: http, ...plain(launch) };
}

/** `macOs` overrides the location on a Mac. */
function appFolder({ home, platform, env }: ClientMachine, app: string, macOs?: "~/.config"): string {
  switch (platform) {
    case "darwin":
      return macOs === undefined
        ? join(home, "Library", "Application Support", app)
        : join(home, ".config", app);
    case "win32":
      return join(env.APPDATA || join(home, "AppData", "Roaming"), app);
    default:
      return join(env.XDG_CONFIG_HOME || join(home, ".config"), app);
  }
}

function extensionFolder(machine: ClientMachine, extension: string): string {
  return join(appFolder(machine, "Code"), "User", "globalStorage", extension);
}
