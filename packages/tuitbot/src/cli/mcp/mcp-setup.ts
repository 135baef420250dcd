import { existsSync } from "node:fs";
import { EXIT } from "@toolpact/cli";
import type { JsonObject } from "@toolpact/contract";
import { launchOf, setUpClients, setupOptions } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import type { Config } from "../../config/schema.ts";
import { defaultProfile, isWorkflowProfile } from "../../profiles.ts";
import { type Context, configPlace, loadedConfig } from "../context.ts";
import { command } from "../machine.ts";
import { listOption, profileOption, servingOptions } from "../serving-options.ts";
import { withSignIn } from "../signed-in.ts";

export const mcpSetup = command({
  name: "setup",
  describe: "Add tuitbot to the MCP clients on this machine",
  details: "Prints the change of each client's configuration file, and writes it only after you agree.",
  options: {
    ...setupOptions,
    profile: profileOption("The permission profile; write by default"),
    toolsets: servingOptions.toolsets,
    list: listOption(
      "Tools in the list: by default all for clients that search it themselves, everyday for the others",
    ),
    sandbox: { kind: "flag", describe: "Use the sandbox, a simulated X: no account, no network, no cost" },
  },
  examples: [
    { line: "tuitbot mcp setup", does: "shows the change for every client found, and asks" },
    { line: "tuitbot mcp setup --client cursor --profile readonly --yes", does: "writes it for one client" },
    { line: "tuitbot mcp setup --list all", does: "all tools in the list, which a model has to read" },
    { line: "tuitbot mcp setup --toolsets everyday", does: "the everyday tools, and no other" },
    {
      line: "tuitbot mcp setup --sandbox --name tuitbot-sandbox",
      does: "next to the real one, to try things out",
    },
  ],
  async run({ client, profile, name = "tuitbot", toolsets, list, sandbox, yes }, context) {
    const { everydayTools, selectTools } = await import("../../server/selection.ts");
    const served = profile ?? defaultProfile;
    const whole = await selectTools(served, { toolsets });
    if (!whole.ok) return failed({ message: whole.failure, exitCode: EXIT.usage });
    const isShort = list !== "all" && toolsets === undefined && isWorkflowProfile(served);
    const env = await settingsOfThisShell(context);
    const launch = async (tools: readonly string[]) =>
      launchOf("tuitbot", await serveArgs(context, profile, tools, sandbox), env, context.machine);
    const all = isWorkflowProfile(served) ? ["--list", "all"] : [];
    const wholeList = await launch(toolsets === undefined ? all : ["--toolsets", toolsets.join(",")]);
    const shortList = await launch(["--list", "everyday"]);
    const warnings = sandbox ? [] : await missingForServing(context);
    const done = await setUpClients(
      {
        client,
        name,
        yes,
        launch: ({ needsAllTools = false }) =>
          isShort && (list === "everyday" || !needsAllTools) ? shortList : wholeList,
        ...(isShort &&
          list === undefined && {
            alternative: {
              key: "a",
              describe: `all ${whole.value.length} tools in the list, not ${everydayTools().length} and the rest by search; that is more for the model to read`,
              launch: () => wholeList,
            },
          }),
      },
      context,
    );
    if (!done.ok || done.value === undefined) return done;
    // Last, where they are read: the entry is of no use before they are seen to.
    const text = [done.value.text, ...warnings].join("\n");
    // `setUpClients` reports an object.
    const report = done.value.json as JsonObject;
    return ok({ ...done.value, text, json: { ...report, warnings } });
  },
});

/** Problems that a server started by a client would have, each with its fix. */
async function missingForServing(context: Context): Promise<string[]> {
  const { configPath } = await import("../../config/load.ts");
  const { path, isNamed } = configPath(configPlace(context));
  const config = await loadedConfig(context);
  if (isNamed && !existsSync(path))
    return [`${path} does not exist, and the server does not start without it. Run \`tuitbot config init\`.`];
  if (!config.ok) return [`${config.failure.message} The server does not start until it is right.`];
  return [
    ...(config.value.file === undefined
      ? [`There is no ${path}: the defaults are in force. Run \`tuitbot init\` to make one.`]
      : []),
    ...((await isSignedIn(config.value.values, context))
      ? []
      : [
          "Nobody is signed in to X: the server does not start until somebody is. Run `tuitbot init`, or `tuitbot auth login`.",
        ]),
  ];
}

/** True if a readable sign-in is stored. Sends nothing to X. */
async function isSignedIn(config: Config, context: Context): Promise<boolean> {
  const grant = await withSignIn(config, context, (tokens) => tokens.grant());
  return grant.ok && grant.value !== undefined;
}

async function serveArgs(
  context: Context,
  profile: string | undefined,
  tools: readonly string[],
  sandbox: boolean,
): Promise<readonly string[]> {
  const { configPath } = await import("../../config/load.ts");
  const { path, isNamed } = configPath(configPlace(context));
  const { account } = context.globals;
  return [
    // Absolute, because clients start the server from a different folder.
    ...(isNamed ? ["--config", path] : []),
    ...(account === undefined ? [] : ["--account", account]),
    "mcp",
    "serve",
    ...(profile === undefined || profile === defaultProfile ? [] : ["--profile", profile]),
    ...tools,
    // A sandbox hour passes in a minute, so posts soon have metrics.
    ...(sandbox ? ["--sandbox", "--speed", "60"] : []),
  ];
}

/** The client does not see what this shell sets. Secrets stay out of its file: they belong into the configuration. */
async function settingsOfThisShell({ terminal }: Context): Promise<Readonly<Record<string, string>>> {
  const { configKeys } = await import("../../config/keys.ts");
  const names = configKeys().flatMap(({ env, isSecret }) => (isSecret ? [] : [env]));
  return Object.fromEntries(
    ["TUITBOT_ACCOUNT", ...names].flatMap((name) => {
      const value = terminal.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
