import { existsSync } from "node:fs";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import {
  type ClientChange,
  EXIT,
  type Launch,
  mcpClients,
  paint,
  planClientChange,
  writeClientChange,
} from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { findProject } from "../config/find-project.ts";
import { SETTINGS } from "../config/settings.ts";
import { settingsOf } from "./context.ts";
import { type Context, command } from "./machine.ts";

const clientIds = mcpClients.map(({ id }) => id);
const NAME = "godot";

export const setup = command({
  name: "setup",
  describe: "Add the server to the MCP clients on this machine",
  details: "Shows what would be written into which file, and writes it only once you agree.",
  options: {
    client: {
      kind: "list",
      placeholder: "CLIENTS",
      describe: "Clients to set up; those found here unless named",
      choices: clientIds,
    },
    name: {
      kind: "value",
      placeholder: "NAME",
      describe: `What the client calls the server; ${NAME} unless named`,
    },
    yes: { kind: "flag", short: "y", describe: "Write without asking" },
  },
  examples: [
    {
      line: "godot-mcp-omni --project ~/game setup",
      does: "shows the change for every client found, and asks",
    },
    { line: "godot-mcp-omni setup --client cursor --yes", does: "writes it for one client" },
  ],
  async run({ client, name, yes }, context) {
    const { machine, terminal } = context;
    const place = { home: machine.home, platform: machine.platform, env: terminal.env };
    const wanted = mcpClients.filter(({ id, file }) =>
      client === undefined ? isInstalled(file(place), machine.home) : client.includes(id),
    );
    if (wanted.length === 0)
      return failed({
        message: "No MCP client was found here.",
        fix: `Name one: --client ${clientIds.join("|")}.`,
      });
    const launch = await launchOf(context);
    if (!launch.ok) return launch;
    const changes: ClientChange[] = [];
    const problems: string[] = [];
    for (const candidate of wanted) {
      const planned = await planClientChange(candidate, name ?? NAME, launch.value, place);
      if (planned.ok) changes.push(planned.value);
      else problems.push(planned.failure);
    }
    if (!context.isJson) for (const change of changes) terminal.out(shown(change, context));
    const isAgreed = yes || (await agrees(changes, context));
    if (isAgreed) for (const change of changes) await writeClientChange(change);
    return ok({
      text: [...problems, ...ending(changes, isAgreed)].join("\n"),
      json: {
        written: isAgreed,
        clients: changes.map(({ client, file, change, snippet }) => ({
          client: client.id,
          file,
          change,
          snippet,
        })),
        problems,
      },
      ...(problems.length > 0 && { exitCode: EXIT.failed }),
    });
  },
});

/** A client has a folder for its files. A file right in the home folder must be there itself. */
function isInstalled(file: string, home: string): boolean {
  return existsSync(dirname(file) === home ? file : dirname(file));
}

/** By name where the shell finds this very program; by its full path otherwise, which works for apps too. */
async function launchOf(context: Context) {
  const { machine, terminal } = context;
  const settings = await settingsOf(context);
  if (!settings.ok) return settings;
  const project = await findProject(settings.value.project, machine.cwd);
  if (!project.ok)
    return failed({ message: project.failure.message, fix: "Name the project: --project FOLDER." });
  const flags = flagsGiven(context).filter(([flag]) => flag !== "--project");
  const args = ["--project", project.value, ...flags.flat(), "serve"];
  const found = await onPath("godot-mcp-omni", terminal.env.PATH ?? "");
  const isThis = found !== undefined && (await realpath(found)) === machine.script;
  const env = settingsOfThisShell(terminal.env);
  return ok<Launch>({
    kind: "stdio",
    ...(isThis
      ? { command: "godot-mcp-omni", args }
      : { command: machine.runtime, args: [machine.script, ...args] }),
    ...(Object.keys(env).length > 0 && { env }),
  });
}

/** What was asked for now is asked for on every start. */
function flagsGiven({ globals }: Context): string[][] {
  const given: Readonly<Record<string, unknown>> = globals;
  return SETTINGS.flatMap(({ flag }) => {
    const value = given[flag];
    if (flag === "token" || value === undefined || value === false) return [];
    return [value === true ? [`--${flag}`] : [`--${flag}`, String(value)]];
  });
}

/** The client does not see what this shell sets. The token stays out of its file. */
function settingsOfThisShell(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.flatMap(({ key, env: name }): [string, string][] => {
      const value = env[name];
      return value === undefined || key === "token" || key === "project" ? [] : [[name, value]];
    }),
  );
}

async function onPath(program: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, program);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}

const HEADINGS: Readonly<Record<ClientChange["change"], string>> = {
  create: "a new file",
  add: "added to",
  replace: "replaces the entry in",
  none: "is there already in",
};

function shown({ client, file, change, snippet }: ClientChange, { terminal }: Context): string {
  const body = change === "none" ? "" : `${snippet.trimEnd().replace(/^/gm, "  ")}\n`;
  return `${paint(terminal, "bold", client.title)}: ${HEADINGS[change]} ${file}\n${body}\n`;
}

async function agrees(
  changes: readonly ClientChange[],
  { terminal, signal, isJson }: Context,
): Promise<boolean> {
  if (isJson || changes.every(({ change }) => change === "none")) return false;
  const answer = await terminal.ask("Write this? [y/N] ", signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

function ending(changes: readonly ClientChange[], isAgreed: boolean): readonly string[] {
  if (changes.every(({ change }) => change === "none")) return ["Nothing to do."];
  return isAgreed
    ? changes
        .filter(({ change }) => change !== "none")
        .map(({ client }) => `${client.title}: done. ${client.after}`)
    : ["Nothing was written. Add --yes to write it."];
}
