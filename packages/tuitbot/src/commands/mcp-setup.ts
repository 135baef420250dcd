import { existsSync } from "node:fs";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import {
  type ClientChange,
  type Launch,
  mcpClients,
  paint,
  planClientChange,
  writeClientChange,
} from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { defaultProfile, profiles } from "../profiles.ts";
import { type Context, configPlace } from "./context.ts";
import { command } from "./machine.ts";

const clientIds = mcpClients.map(({ id }) => id);

export const mcpSetup = command({
  name: "setup",
  describe: "Add tuitbot to the MCP clients on this machine",
  details: "Shows what would be written into which file, and writes it only once you agree.",
  options: {
    client: {
      kind: "list",
      placeholder: "CLIENTS",
      describe: "Clients to set up; those found here unless named",
      choices: clientIds,
    },
    profile: {
      kind: "value",
      placeholder: "PROFILE",
      describe: "Tools to give; write unless named",
      choices: profiles,
    },
    name: {
      kind: "value",
      placeholder: "NAME",
      describe: "What the client calls the server; tuitbot unless named",
    },
    sandbox: { kind: "flag", describe: "Against a made-up X: no account, no network, no cost" },
    yes: { kind: "flag", short: "y", describe: "Write without asking" },
  },
  examples: [
    { line: "tuitbot mcp setup", does: "shows the change for every client found, and asks" },
    { line: "tuitbot mcp setup --client cursor --profile readonly --yes", does: "writes it for one client" },
    {
      line: "tuitbot mcp setup --sandbox --name tuitbot-sandbox",
      does: "beside the real one, to try things out",
    },
  ],
  async run({ client, profile, name, sandbox, yes }, context) {
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

    const launch = await launchOf(await serveArgs(context, profile, sandbox), context);
    const changes: ClientChange[] = [];
    const problems: string[] = [];
    for (const candidate of wanted) {
      const planned = await planClientChange(candidate, name ?? "tuitbot", launch, place);
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
      ...(problems.length > 0 && { exitCode: 1 }),
    });
  },
});

/** A client has a folder for its files. A file right in the home folder must be there itself. */
function isInstalled(file: string, home: string): boolean {
  return existsSync(dirname(file) === home ? file : dirname(file));
}

async function serveArgs(
  context: Context,
  profile: string | undefined,
  sandbox: boolean,
): Promise<readonly string[]> {
  const { configPath } = await import("../config/load.ts");
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

/** By name where the shell finds this very program; by its full path otherwise, which works for apps too. */
async function launchOf(args: readonly string[], context: Context): Promise<Launch> {
  const { machine, terminal } = context;
  const env = await settingsOfThisShell(context);
  const found = await onPath("tuitbot", terminal.env.PATH ?? "");
  const isThis = found !== undefined && (await realpath(found)) === machine.script;
  return {
    kind: "stdio",
    ...(isThis
      ? { command: "tuitbot", args }
      : { command: machine.runtime, args: [machine.script, ...args] }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** The client does not see what this shell sets. Secrets stay out of its file: they belong into the configuration. */
async function settingsOfThisShell({ terminal }: Context): Promise<Readonly<Record<string, string>>> {
  const { configKeys } = await import("../config/keys.ts");
  return Object.fromEntries(
    configKeys().flatMap(({ env, isSecret }) => {
      const value = terminal.env[env];
      return value === undefined || isSecret ? [] : [[env, value]];
    }),
  );
}

async function onPath(program: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, program);
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

const HEADINGS: Readonly<Record<ClientChange["change"], string>> = {
  create: "a new file",
  add: "added to",
  replace: "replaces tuitbot's entry in",
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
