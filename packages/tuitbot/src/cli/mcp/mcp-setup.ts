import { launchOf, setUpClients, setupOptions } from "@toolpact/contract/cli";
import { defaultProfile } from "../../profiles.ts";
import { type Context, command, configPlace } from "../context.ts";
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
    { line: "tuitbot mcp setup", does: "prints the change for every installed client, and asks" },
    { line: "tuitbot mcp setup --client cursor --profile readonly --yes", does: "writes it for one client" },
    {
      line: "tuitbot mcp setup --sandbox --name tuitbot-sandbox",
      does: "adds a second server, to try things out",
    },
  ],
  async run({ client, profile, name = "tuitbot", sandbox, yes }, context) {
    const args = await serveArgs(context, profile, sandbox);
    const launch = launchOf("tuitbot", args, await environmentSettings(context), context.machine);
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
    // An absolute path, because the client starts the server in another folder.
    ...(isNamed ? ["--config", path] : []),
    "mcp",
    "serve",
    ...(profile === undefined || profile === defaultProfile ? [] : ["--profile", profile]),
    ...(sandbox ? ["--sandbox"] : []),
  ];
}

/** Settings in the environment of this shell, which the client does not have. Secrets are not written to its file. */
async function environmentSettings({ terminal }: Context): Promise<Readonly<Record<string, string>>> {
  const { configKeys } = await import("../../config/keys.ts");
  return Object.fromEntries(
    configKeys().flatMap(({ env, isSecret }) => {
      const value = terminal.env[env];
      return value === undefined || isSecret ? [] : [[env, value]];
    }),
  );
}
