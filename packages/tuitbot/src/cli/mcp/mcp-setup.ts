import { launchOf, setUpClients, setupOptions } from "@toolpact/contract/cli";
import { defaultProfile } from "../../profiles.ts";
import { type Context, configPlace } from "../context.ts";
import { command } from "../machine.ts";
import { profileOption } from "../serving-options.ts";

export const mcpSetup = command({
  name: "setup",
  describe: "Add tuitbot to the MCP clients on this machine",
  details: "Prints the change of each client's configuration file, and writes it only after you agree.",
  options: {
    ...setupOptions,
    profile: profileOption("The permission profile; write by default"),
    sandbox: { kind: "flag", describe: "Use the sandbox, a simulated X: no account, no network, no cost" },
  },
  examples: [
    { line: "tuitbot mcp setup", does: "shows the change for every client found, and asks" },
    { line: "tuitbot mcp setup --client cursor --profile readonly --yes", does: "writes it for one client" },
    {
      line: "tuitbot mcp setup --sandbox --name tuitbot-sandbox",
      does: "beside the real one, to try things out",
    },
  ],
  async run({ client, profile, name = "tuitbot", sandbox, yes }, context) {
    const args = await serveArgs(context, profile, sandbox);
    const launch = launchOf("tuitbot", args, await settingsOfThisShell(context), context.machine);
    return setUpClients({ client, name, yes, launch }, context);
  },
});

async function serveArgs(
  context: Context,
  profile: string | undefined,
  sandbox: boolean,
): Promise<readonly string[]> {
  const { configPath } = await import("../../config/load.ts");
  const { path, isNamed } = configPath(configPlace(context));
  return [
    // In full, since the client starts the server from a folder of its own.
    ...(isNamed ? ["--config", path] : []),
    "mcp",
    "serve",
    ...(profile === undefined || profile === defaultProfile ? [] : ["--profile", profile]),
    ...(sandbox ? ["--sandbox"] : []),
  ];
}

/** The client does not see what this shell sets. Secrets stay out of its file: they belong into the configuration. */
async function settingsOfThisShell({ terminal }: Context): Promise<Readonly<Record<string, string>>> {
  const { configKeys } = await import("../../config/keys.ts");
  return Object.fromEntries(
    configKeys().flatMap(({ env, isSecret }) => {
      const value = terminal.env[env];
      return value === undefined || isSecret ? [] : [[env, value]];
    }),
  );
}
