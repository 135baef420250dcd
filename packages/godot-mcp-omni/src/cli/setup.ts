import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { launchOf, setUpClients, setupOptions } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import { projectFolder } from "../config/find-project.ts";
import { SETTINGS } from "../config/settings.ts";
import { TrustedProjects, trustCommand } from "../project/trust.ts";
import { programOf, settingsOf } from "./context.ts";
import { type Context, command } from "./machine.ts";

export const setup = command({
  name: "setup",
  describe: "Add the server to the MCP clients on this machine",
  details: "Shows what would be written into which file, and writes it only once you agree.",
  options: setupOptions,
  examples: [
    {
      line: "godot-mcp-omni --project ~/game setup",
      does: "shows the change for every client found, and asks",
    },
    { line: "godot-mcp-omni setup --client cursor --yes", does: "writes it for one client" },
  ],
  async run({ client, name = "godot", yes }, context) {
    const settings = await settingsOf(context);
    if (!settings.ok) return settings;
    if (settings.value.projects.length > 0) {
      // Each client starts the server in a different folder.
      const named = settings.value.projects.flatMap(({ name: called, folder }) => [
        "--project",
        `${called}=${resolve(context.machine.cwd, folder)}`,
      ]);
      return setUpClients({ client, name, yes, launch: launching(named, context) }, context);
    }
    const project = projectFolder(settings.value.project, context.machine.cwd);
    const fix = "Name the project's folder, or an empty one for a new project: --project FOLDER.";
    if (!project.ok) return failed({ message: project.failure.message, fix });
    if (!existsSync(project.value)) return failed({ message: `There is no folder ${project.value}.`, fix });
    const launch = launching(["--project", project.value], context);
    const done = await setUpClients({ client, name, yes, launch }, context);
    if (!done.ok || done.value === undefined) return done;
    const projects = new TrustedProjects(context.terminal.env, context.machine.platform);
    const isThere = existsSync(join(project.value, "project.godot"));
    if (settings.value.trust || !isThere || projects.has(project.value)) return done;
    const offer = `The project is not trusted yet, so Godot does not open it. If it is yours: ${trustCommand(project.value, programOf(context.machine))}`;
    return ok({ ...done.value, text: `${done.value.text}\n${offer}` });
  },
});

/** Includes all toolsets for a client that cannot load more later, unless the user has chosen some. */
function launching(projects: readonly string[], context: Context): SetupLaunch {
  const set = settingsGiven(context);
  const isChosen = set.some(({ key }) => key === "toolsets");
  return ({ id, needsAllTools = false }) => {
    const toolsets = needsAllTools && !isChosen ? ["--toolsets", "all"] : [];
    const fit = set.filter(({ key }) => key !== "schemaStyle" || !WITHOUT_ONE_OF.has(id));
    const args = [...projects, ...fit.flatMap(({ flags }) => flags), ...toolsets, "serve"];
    const env = Object.fromEntries(fit.flatMap(({ env }) => env));
    return launchOf("godot-mcp-omni", args, env, context.machine);
  };
}

type SetupLaunch = Parameters<typeof setUpClients>[0]["launch"];

/** Claude Code drops tools whose schema has `oneOf`, and Codex drops their arguments: both get the flat schemas. */
const WITHOUT_ONE_OF: ReadonlySet<string> = new Set(["claude-code", "codex"]);

/**
 * The settings from this command and this shell, which the client does not see; both apply to every start. The token
 * is not written to the client's file.
 */
function settingsGiven({ globals, terminal }: Context) {
  const given: Readonly<Record<string, unknown>> = globals;
  return SETTINGS.filter(({ key }) => key !== "token" && key !== "project").flatMap(({ key, flag, env }) => {
    const value = given[flag];
    const ofShell = terminal.env[env];
    const isGiven = value !== undefined && value !== false;
    if (!isGiven && ofShell === undefined) return [];
    return {
      key,
      flags: isGiven ? [`--${flag}`, ...(value === true ? [] : [String(value)])] : [],
      env: ofShell === undefined ? [] : [[env, ofShell] as const],
    };
  });
}
