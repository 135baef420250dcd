/** A setting that a client prompts for and passes to the server as an environment variable. */
export interface ServerSetting {
  /** Its key in client forms. */
  readonly key: string;
  readonly env: string;
  readonly title: string;
  readonly description: string;
  readonly type: "text" | "switch" | "file" | "folder";
  readonly isRequired?: boolean;
  /** A string default is set in every launch file: one click is then enough to start. */
  readonly default?: string | boolean;
}

/** The environment that a file starts the server with. */
export function defaultEnvironment({ settings }: ShippedServer): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settings.flatMap(({ env, default: value }) => (typeof value === "string" ? [[env, value]] : [])),
  );
}

/** A server as described in the files of clients and registries. Version and license are the package's. */
export interface ShippedServer {
  /** Name of the package and of its command. */
  readonly name: string;
  readonly title: string;
  /** At most 100 characters, the MCP registry's limit. */
  readonly description: string;
  /** Arguments of the command. */
  readonly args: readonly string[];
  readonly settings: readonly ServerSetting[];
}

export const shippedServers: readonly ShippedServer[] = [
  {
    name: "tuitbot",
    title: "tuitbot",
    description: "X (Twitter) for agents: you approve posts, repeated calls are refused, spending is capped.",
    args: ["mcp", "serve", "--list", "everyday"],
    settings: [
      {
        key: "sandbox",
        env: "TUITBOT_SANDBOX",
        title: "Sandbox",
        description:
          "until_signed_in: a simulated X, without account and cost, until you sign in with `npx tuitbot init`. true: always. false: never.",
        type: "text",
        default: "until_signed_in",
      },
      {
        key: "config",
        env: "TUITBOT_CONFIG",
        title: "Configuration file",
        description: "Your tuitbot configuration, if it is not ~/.tuitbot/config.toml.",
        type: "file",
      },
    ],
  },
  {
    name: "godot-mcp-omni",
    title: "Godot 4",
    description:
      "Godot 4 for agents: edit, run, see, debug, test and export a game, and check what was saved.",
    args: ["serve"],
    settings: [
      {
        key: "project",
        env: "GODOT_MCP_PROJECT",
        title: "Project folder",
        description: "The folder that holds project.godot, or an empty one to make a project in.",
        type: "folder",
        isRequired: true,
      },
      {
        key: "trust",
        env: "GODOT_MCP_TRUST",
        title: "Trust the project",
        description:
          "Let a Godot open the project and run its plugins and scripts. Leave it off for a project that you have only downloaded: the server then works on its files.",
        type: "switch",
        default: false,
      },
      {
        key: "godot",
        env: "GODOT_PATH",
        title: "Godot",
        description: "The Godot 4 to start, if it is not found by itself.",
        type: "file",
      },
    ],
  },
];
