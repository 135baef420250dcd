import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type CommandContext, type CommandOutcome, EXIT, type LocalMachine, paint } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { type ClientChange, planClientChange, writeClientChange } from "./client-config.ts";
import { type ClientMachine, type Launch, mcpClients } from "./mcp-clients.ts";

const clientIds = mcpClients.map(({ id }) => id);

/** The options of a command that adds a server to MCP clients. */
export const setupOptions = {
  client: {
    kind: "list",
    placeholder: "CLIENTS",
    describe: "Clients to set up; all that are installed by default",
    choices: clientIds,
  },
  name: {
    kind: "value",
    placeholder: "NAME",
    describe: "Name of the server in the client; the product's name by default",
  },
  yes: { kind: "flag", short: "y", describe: "Write without asking" },
} as const;

export interface ClientSetup {
  readonly client: readonly string[] | undefined;
  readonly name: string;
  readonly yes: boolean;
  readonly launch: Launch;
}

type SetupContext = CommandContext<LocalMachine, unknown>;

/** Prints the change of each configuration file, and writes it if the person agrees. */
export async function setUpClients(
  { client, name, yes, launch }: ClientSetup,
  context: SetupContext,
): Promise<CommandOutcome> {
  const { machine, terminal } = context;
  const place: ClientMachine = { home: machine.home, platform: machine.platform, env: terminal.env };
  const wanted = mcpClients.filter(({ id, file }) =>
    client === undefined ? isInstalled(file(place), machine.home) : client.includes(id),
  );
  if (wanted.length === 0)
    return failed({
      message: "No MCP client is installed.",
      fix: `Name one: --client ${clientIds.join("|")}.`,
    });
  const changes: ClientChange[] = [];
  const problems: string[] = [];
  for (const candidate of wanted) {
    const planned = await planClientChange(candidate, name, launch, place);
    if (planned.ok) changes.push(planned.value);
    else problems.push(planned.failure);
  }
  if (!context.isJson) for (const change of changes) terminal.out(formatChange(change, context));
  const isConfirmed = yes || (await confirm(changes, context));
  const done: ClientChange[] = [];
  if (isConfirmed)
    for (const change of changes) {
      const written = await writeClientChange(change);
      if (written.ok) done.push(change);
      else problems.push(written.failure);
    }
  if (problems.length > 0 && problems.length === wanted.length)
    return failed({ message: problems.join("\n") });
  return ok({
    text: [...problems, ...summary(changes, isConfirmed ? done : undefined)].join("\n"),
    json: {
      written: isConfirmed && done.length === changes.length,
      clients: changes.map((planned) => ({
        client: planned.client.id,
        file: planned.file,
        change: planned.change,
        snippet: planned.snippet,
        written: done.includes(planned),
      })),
      problems,
    },
    ...(problems.length > 0 && { exitCode: EXIT.failed }),
  });
}

/**
 * How a client starts this program: by full paths, because an app started from a menu does not have the PATH of a
 * shell; with npx if npx runs the program now, because the copy in its cache may be deleted.
 */
export function launchOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { runtime, script }: LocalMachine,
): Extract<Launch, { kind: "stdio" }> {
  const isFromNpx = script.split(/[\\/]/).includes("_npx");
  return {
    kind: "stdio",
    ...(isFromNpx
      ? { command: "npx", args: ["-y", program, ...args] }
      : { command: runtime, args: [script, ...args] }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** A client is installed if the folder of its file exists; a file in the home folder must exist itself. */
function isInstalled(file: string, home: string): boolean {
  return existsSync(dirname(file) === home ? file : dirname(file));
}

const CHANGES: Readonly<Record<ClientChange["change"], string>> = {
  create: "a new file",
  add: "added to",
  replace: "replaces the entry in",
  none: "already in",
};

function formatChange({ client, file, change, snippet }: ClientChange, { terminal }: SetupContext): string {
  const body = change === "none" ? "" : `${snippet.trimEnd().replace(/^/gm, "  ")}\n`;
  return `${paint(terminal, "bold", client.title)}: ${CHANGES[change]} ${file}\n${body}\n`;
}

async function confirm(
  changes: readonly ClientChange[],
  { terminal, signal, isJson }: SetupContext,
): Promise<boolean> {
  if (isJson || changes.every(({ change }) => change === "none")) return false;
  const answer = await terminal.ask("Write this? [y/N] ", signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

function summary(
  changes: readonly ClientChange[],
  done: readonly ClientChange[] | undefined,
): readonly string[] {
  if (changes.every(({ change }) => change === "none")) return ["Nothing to do."];
  if (done === undefined) return ["Nothing was written. Add --yes to write it."];
  return done
    .filter(({ change }) => change !== "none")
    .map(({ client }) => `${client.title}: done. ${client.after}`);
}
