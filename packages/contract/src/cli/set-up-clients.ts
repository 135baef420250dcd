import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type CommandContext, type CommandOutcome, EXIT, type LocalMachine, paint } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { type ClientChange, planClientChange, writeClientChange } from "./client-config.ts";
import { type ClientMachine, type Launch, type McpClient, mcpClients } from "./mcp-clients.ts";

export const clientIds = mcpClients.map(({ id }) => id);

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
  readonly launch: LaunchFor;
  /** An alternative launch the user may choose. */
  readonly alternative?: { readonly key: string; readonly describe: string; readonly launch: LaunchFor };
}

type LaunchFor = (client: McpClient) => Launch;

type SetupContext = CommandContext<LocalMachine, unknown>;

/** Prints each change, and writes it if the user agrees. */
export async function setUpClients(
  { client, name, yes, launch, alternative }: ClientSetup,
  context: SetupContext,
): Promise<CommandOutcome> {
  const { machine, terminal } = context;
  const place: ClientMachine = { home: machine.home, platform: machine.platform, env: terminal.env };
  const wanted = mcpClients.filter((candidate) =>
    client === undefined ? isInstalled(candidate, place) : client.includes(candidate.id),
  );
  if (wanted.length === 0)
    return failed({
      message: "No MCP client is installed.",
      fix: `Name one: --client ${clientIds.join("|")}.`,
    });
  let { changes, problems } = await plan(wanted, name, launch, place);
  if (!context.isJson) for (const change of changes) terminal.out(formatChange(change, context));
  const isOther = wanted.some((one) => !isDeepStrictEqual(launch(one), alternative?.launch(one)));
  const answer = yes ? "yes" : await confirm(changes, isOther ? alternative : undefined, context);
  if (answer === "alternative" && alternative !== undefined)
    ({ changes, problems } = await plan(wanted, name, alternative.launch, place));
  const isConfirmed = answer !== "no";
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

async function plan(
  clients: readonly McpClient[],
  name: string,
  launch: LaunchFor,
  place: ClientMachine,
): Promise<{ readonly changes: readonly ClientChange[]; readonly problems: string[] }> {
  const changes: ClientChange[] = [];
  const problems: string[] = [];
  for (const client of clients) {
    const planned = await planClientChange(client, name, launch(client), place);
    if (planned.ok) changes.push(planned.value);
    else problems.push(planned.failure);
  }
  return { changes, problems };
}

/**
 * Full paths, because apps started from a menu have no shell PATH. Under npx: npx, because its cache is
 * temporary.
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
      : { command: runtime, args: script === runtime ? args : [script, ...args] }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** A client is installed if its folder exists; a file in the home folder must exist itself. */
function isInstalled({ file, folder }: McpClient, place: ClientMachine): boolean {
  const path = file(place);
  return existsSync(dirname(path) === place.home ? path : (folder?.(place) ?? dirname(path)));
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
  alternative: ClientSetup["alternative"],
  { terminal, signal, isJson }: SetupContext,
): Promise<"yes" | "alternative" | "no"> {
  if (isJson || changes.every(({ change }) => change === "none")) return "no";
  const other = alternative === undefined ? "" : `/${alternative.key}`;
  const offer = alternative === undefined ? "" : ` (${alternative.key}: ${alternative.describe})`;
  const answer = (await terminal.ask(`Write this?${offer} [y${other}/N] `, signal))?.trim() ?? "";
  if (alternative !== undefined && answer.toLowerCase() === alternative.key) return "alternative";
  return /^y(es)?$/i.test(answer) ? "yes" : "no";
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
