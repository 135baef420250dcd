import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { failed, ok } from "../outcome.ts";
import { type ClientChange, planClientChange, writeClientChange } from "./client-config.ts";
import type { CommandContext, CommandOutcome } from "./command.ts";
import { EXIT } from "./exit.ts";
import { type ClientMachine, type Launch, mcpClients } from "./mcp-clients.ts";
import { paint } from "./terminal.ts";

const clientIds = mcpClients.map(({ id }) => id);

/** The options of a command that adds a server to MCP clients. */
export const setupOptions = {
  client: {
    kind: "list",
    placeholder: "CLIENTS",
    describe: "Clients to set up; those found here unless named",
    choices: clientIds,
  },
  name: {
    kind: "value",
    placeholder: "NAME",
    describe: "What the client calls the server; the product's own name unless named",
  },
  yes: { kind: "flag", short: "y", describe: "Write without asking" },
} as const;

/** The machine whose clients are set up, and the program that they will start. */
export interface SetupMachine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The program that runs this one, and the file it runs. */
  readonly runtime: string;
  readonly script: string;
}

export interface ClientSetup {
  readonly client: readonly string[] | undefined;
  readonly name: string;
  readonly yes: boolean;
  readonly launch: Launch;
}

type SetupContext = CommandContext<SetupMachine, unknown>;

/** Shows what would be written into which file, and writes it once the person agrees. */
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
      message: "No MCP client was found here.",
      fix: `Name one: --client ${clientIds.join("|")}.`,
    });
  const changes: ClientChange[] = [];
  const problems: string[] = [];
  for (const candidate of wanted) {
    const planned = await planClientChange(candidate, name, launch, place);
    if (planned.ok) changes.push(planned.value);
    else problems.push(planned.failure);
  }
  if (!context.isJson) for (const change of changes) terminal.out(shown(change, context));
  const isAgreed = yes || (await agrees(changes, context));
  const done: ClientChange[] = [];
  if (isAgreed)
    for (const change of changes) {
      const written = await writeClientChange(change);
      if (written.ok) done.push(change);
      else problems.push(written.failure);
    }
  if (problems.length > 0 && problems.length === wanted.length)
    return failed({ message: problems.join("\n") });
  return ok({
    text: [...problems, ...ending(changes, isAgreed ? done : undefined)].join("\n"),
    json: {
      written: isAgreed && done.length === changes.length,
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
 * By full paths, because an app started from a menu does not see the PATH of a shell; by npx where npx runs the program
 * now, because the copy in its cache may be gone tomorrow.
 */
export function launchOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { runtime, script }: SetupMachine,
): Launch {
  const isOfNpx = script.split(/[\\/]/).includes("_npx");
  return {
    kind: "stdio",
    ...(isOfNpx
      ? { command: "npx", args: ["-y", program, ...args] }
      : { command: runtime, args: [script, ...args] }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** A client has a folder for its files. A file right in the home folder must be there itself. */
function isInstalled(file: string, home: string): boolean {
  return existsSync(dirname(file) === home ? file : dirname(file));
}

const HEADINGS: Readonly<Record<ClientChange["change"], string>> = {
  create: "a new file",
  add: "added to",
  replace: "replaces the entry in",
  none: "is there already in",
};

function shown({ client, file, change, snippet }: ClientChange, { terminal }: SetupContext): string {
  const body = change === "none" ? "" : `${snippet.trimEnd().replace(/^/gm, "  ")}\n`;
  return `${paint(terminal, "bold", client.title)}: ${HEADINGS[change]} ${file}\n${body}\n`;
}

async function agrees(
  changes: readonly ClientChange[],
  { terminal, signal, isJson }: SetupContext,
): Promise<boolean> {
  if (isJson || changes.every(({ change }) => change === "none")) return false;
  const answer = await terminal.ask("Write this? [y/N] ", signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

function ending(
  changes: readonly ClientChange[],
  done: readonly ClientChange[] | undefined,
): readonly string[] {
  if (changes.every(({ change }) => change === "none")) return ["Nothing to do."];
  if (done === undefined) return ["Nothing was written. Add --yes to write it."];
  return done
    .filter(({ change }) => change !== "none")
    .map(({ client }) => `${client.title}: done. ${client.after}`);
}
