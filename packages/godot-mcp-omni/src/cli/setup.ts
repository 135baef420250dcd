import { existsSync } from "node:fs";
import { launchOf, setUpClients, setupOptions } from "@toolpact/contract/cli";
import { failed } from "@toolpact/contract/outcome";
import { projectFolder } from "../config/find-project.ts";
import { SETTINGS } from "../config/settings.ts";
import { type Context, command, settingsOf } from "./context.ts";

export const setup = command({
  name: "setup",
  describe: "Add the server to the MCP clients on this machine",
  details: "Prints the change of each client's configuration file, and writes it only after you agree.",
  options: setupOptions,
  examples: [
    {
      line: "godot-mcp-omni --project ~/game setup",
      does: "prints the change for every installed client, and asks",
    },
    { line: "godot-mcp-omni setup --client cursor --yes", does: "writes it for one client" },
  ],
  async run({ client, name = "godot", yes }, context) {
    const settings = await settingsOf(context);
    if (!settings.ok) return settings;
    const project = projectFolder(settings.value.project, context.machine.cwd);
    const fix = "Name the project's folder, or an empty one for a new project: --project FOLDER.";
    if (!project.ok) return failed({ message: project.failure.message, fix });
    if (!existsSync(project.value)) return failed({ message: `There is no folder ${project.value}.`, fix });
    const args = ["--project", project.value, ...givenFlags(context), "serve"];
    const launch = launchOf("godot-mcp-omni", args, environmentSettings(context), context.machine);
    return setUpClients({ client, name, yes, launch }, context);
  },
});

/** The options of this call, so that every start has them. The token is not written to the client's file. */
function givenFlags({ globals }: Context): readonly string[] {
  const given: Readonly<Record<string, unknown>> = globals;
  return SETTINGS.flatMap(({ key, flag }) => {
    const value = given[flag];
    if (key === "token" || key === "project" || value === undefined || value === false) return [];
    return value === true ? [`--${flag}`] : [`--${flag}`, String(value)];
  });
}

/** Settings in the environment of this shell, which the client does not have. */
function environmentSettings({ terminal }: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.flatMap(({ key, env: name }): [string, string][] => {
      const value = terminal.env[name];
      return value === undefined || key === "token" || key === "project" ? [] : [[name, value]];
    }),
  );
}
