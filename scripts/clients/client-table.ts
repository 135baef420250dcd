import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckName } from "./check-client.ts";
import type { Deferral } from "./scripted-model.ts";

/** A user's folders with only the client, and the model it talks to. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly modelUrl: string;
}

/** A published MCP client, started without a window. */
export interface RealClient {
  /** Its id in `mcp setup`. */
  readonly id: string;
  readonly title: string;
  readonly npm: string;
  /** The version that the tests drive. */
  readonly version: string;
  readonly bin: string;
  /** Writes settings the user would have made before: the model, trust in the folder. */
  readonly prepare?: (place: ClientPlace) => void;
  /** Arguments of one conversation that starts with the user's "go" and ends with the model's last text. */
  readonly args: readonly string[];
  readonly env: (place: ClientPlace) => Readonly<Record<string, string>>;
  /** The client's tool for reading a server's resource. */
  readonly resourceTool?: string;
  /** Arguments that run a server's prompt. */
  readonly prompt?: (server: string, prompt: string) => readonly string[];
  /** Commands that install plugins or extensions from a folder, and the names of their servers. */
  readonly plugins?: {
    readonly install: (folder: string) => readonly (readonly string[])[];
    readonly server?: (plugin: string) => string;
  };
  /** For clients that offer tools only after their own search. */
  readonly deferral?: Deferral;
  /** How to use it in a terminal, for clients that show forms there. */
  readonly window?: {
    readonly args?: readonly string[];
    /** The screen on which the user can type. */
    readonly ready: RegExp;
    /** The client's own confirmation before a call, answered with Enter. */
    readonly permission?: RegExp;
    /** Settings of a user who has completed the client's introduction. */
    readonly prepare?: (place: ClientPlace) => void;
  };
  /** Checks the client itself fails, with its behavior. */
  readonly limits?: Readonly<Partial<Record<CheckName, string>>>;
}

/** Our plugins, by the names of their packages. */
const PLUGINS = ["tuitbot", "godot-mcp-omni"] as const;

/** Servers whose tools Claude Code calls without confirmation. */
const ALLOWED_IN_CLAUDE = [
  "tuitbot",
  "pictures",
  "godot",
  "toolpact",
  ...PLUGINS.map((name) => `plugin_${name}_${name}`),
]
  .map((server) => `mcp__${server}`)
  .join(",");

export const REAL_CLIENTS: readonly RealClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    npm: "@anthropic-ai/claude-code",
    version: "2.1.327",
    bin: "claude",
    args: ["-p", "go", "--allowedTools", ALLOWED_IN_CLAUDE, "--verbose", "--output-format", "stream-json"],
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "sk-test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Otherwise a request is sent before the servers are connected, and their prompts are unknown.
      MCP_CONNECTION_NONBLOCKING: "0",
    }),
    resourceTool: "ReadMcpResourceTool",
    prompt: (server, prompt) => [`/mcp__${server}__${prompt}`],
    plugins: {
      install: (folder) => [
        ["plugin", "validate", folder],
        ["plugin", "marketplace", "add", folder],
        ...PLUGINS.map((name) => ["plugin", "install", `${name}@toolpact`]),
      ],
      server: (plugin) => `plugin_${plugin}_${plugin}`,
    },
    window: {
      args: ["--allowedTools", ALLOWED_IN_CLAUDE],
      ready: /for shortcuts|auto mode on/,
      prepare: ({ home, cwd }) =>
        addJson(join(home, ".claude.json"), {
          hasCompletedOnboarding: true,
          theme: "dark",
          customApiKeyResponses: { approved: ["sk-test"], rejected: [] },
          projects: { [cwd]: { hasTrustDialogAccepted: true } },
        }),
    },
    deferral: {
      name: (server, tool) => `mcp__${server}__${tool}`,
      search: { tool: "ToolSearch", input: (name) => ({ query: `select:${name}`, max_results: 5 }) },
    },
  },
  {
    id: "codex",
    title: "Codex",
    npm: "@openai/codex",
    version: "0.169.0",
    bin: "codex",
    prepare: ({ home, modelUrl }) =>
      write(
        join(home, ".codex/config.toml"),
        [
          'model = "gpt-5"',
          'model_provider = "scripted"',
          "",
          "[model_providers.scripted]",
          'name = "scripted"',
          `base_url = "${modelUrl}/v1"`,
          'wire_api = "responses"',
          'env_key = "OPENAI_API_KEY"',
          "request_max_retries = 1",
          "stream_max_retries = 0",
          "",
        ].join("\n"),
      ),
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", "go"],
    env: () => ({ OPENAI_API_KEY: "x" }),
    window: {
      ready: /OpenAI Codex/,
      permission: /Allow the \w+ MCP server/,
      prepare: ({ home, cwd }) =>
        appendFileSync(join(home, ".codex/config.toml"), `\n[projects."${cwd}"]\ntrust_level = "trusted"\n`),
    },
    resourceTool: "read_mcp_resource",
    plugins: {
      install: (folder) => [
        ["plugin", "marketplace", "add", folder],
        ...PLUGINS.map((name) => ["plugin", "add", `${name}@toolpact`]),
      ],
    },
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    npm: "@google/gemini-cli",
    version: "0.61.0",
    bin: "gemini",
    prepare: ({ home }) =>
      writeJson(join(home, ".gemini/settings.json"), {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true },
      }),
    args: ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-o", "stream-json", "-p", "go"],
    env: ({ modelUrl }) => ({
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    prompt: (_, prompt) => [`/${prompt}`],
    plugins: {
      install: (folder) =>
        PLUGINS.map((name) => ["extensions", "install", join(folder, "packages", name), "--consent"]),
    },
    // It sends the next request before it has read the changed list.
    limits: { found_tool: "one turn later" },
    resourceTool: "read_mcp_resource",
  },
  {
    id: "opencode",
    title: "opencode",
    npm: "opencode-ai",
    version: "1.18.33",
    bin: "opencode",
    prepare: ({ home, modelUrl }) =>
      writeJson(join(home, ".config/opencode/opencode.json"), {
        model: "scripted/scripted",
        permission: { "*": "allow" },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${modelUrl}/v1`, apiKey: "x" },
            models: {
              scripted: {
                tool_call: true,
                attachment: true,
                modalities: { input: ["text", "image"], output: ["text"] },
              },
            },
          },
        },
      }),
    args: ["run", "--format", "json", "go"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    resourceTool: "read_mcp_resource",
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    npm: "@qwen-code/qwen-code",
    version: "0.24.4",
    bin: "qwen",
    prepare: ({ home }) =>
      writeJson(join(home, ".qwen/settings.json"), { security: { auth: { selectedType: "openai" } } }),
    args: ["--approval-mode", "yolo", "-o", "stream-json", "-p", "go"],
    env: ({ modelUrl }) => ({
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_API_KEY: "x",
      OPENAI_MODEL: "scripted",
    }),
    prompt: (_, prompt) => [`/${prompt}`],
    plugins: {
      install: (folder) =>
        PLUGINS.map((name) => ["extensions", "install", join(folder, "packages", name), "--consent"]),
    },
    limits: { picture: "not for models it does not know" },
    deferral: { name: (server, tool) => `mcp__${server}__${tool}` },
  },
  {
    id: "copilot-cli",
    title: "Copilot CLI",
    npm: "@github/copilot",
    version: "1.0.102",
    bin: "copilot",
    prepare: ({ home, cwd }) => writeJson(join(home, ".copilot/config.json"), { trusted_folders: [cwd] }),
    args: ["--allow-all-tools", "--disable-builtin-mcps", "-p", "go"],
    env: ({ modelUrl }) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_PROVIDER_WIRE_API: "completions",
      COPILOT_MODEL: "gpt-5",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    }),
    window: { args: ["--allow-all-tools", "--disable-builtin-mcps"], ready: /❯|>/ },
    plugins: {
      install: (folder) => [
        ["plugin", "marketplace", "add", folder],
        ...PLUGINS.map((name) => ["plugin", "install", `${name}@toolpact`]),
      ],
    },
    limits: { picture: "not for models it does not know" },
  },
];

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function addJson(file: string, members: object): void {
  writeJson(file, { ...JSON.parse(readFileSync(file, "utf8")), ...members });
}

function writeJson(file: string, content: object): void {
  write(file, `${JSON.stringify(content, null, 2)}\n`);
}
