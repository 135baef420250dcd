import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planClientChange, writeClientChange } from "../../packages/contract/src/cli/client-config.ts";
import { type Launch, mcpClients } from "../../packages/contract/src/cli/mcp-clients.ts";
import { root } from "../packages.ts";
import type { ClientPlace, RealClient } from "./client-table.ts";
import type { ModelRequest } from "./dialects.ts";
import { resultsOf, type ScriptedModel, type Step, startScriptedModel } from "./scripted-model.ts";

/** The limit for one conversation; then the client is ended and the checks fail. */
const MAX_CONVERSATION_MS = 300_000;

export interface Conversation {
  /** The tools in all requests, by the client's names. */
  readonly offered: ReadonlySet<string>;
  /** The result of each step, as the model saw it; undefined if the client sent none. */
  readonly results: readonly (string | undefined)[];
  /** The last request, whole. */
  readonly lastRequest: string;
}

/** A user's machine with one client, and the model it talks to. */
export interface ClientMachine extends ClientPlace {
  readonly client: RealClient;
  readonly program: string;
  readonly model: ScriptedModel;
}

/** Sets up a new home folder in which the user has configured the client's model and nothing else. */
export async function newClientMachine(
  client: RealClient,
  program: string,
  folder: string,
): Promise<ClientMachine> {
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const path of [home, cwd]) mkdirSync(path, { recursive: true });
  const model = await startScriptedModel(client.deferral);
  const machine = { client, program, model, home, cwd, modelUrl: model.url };
  client.prepare?.(machine);
  return machine;
}

/** The built commands of this repository. */
export const PROGRAMS = {
  tuitbot: join(root, "packages/tuitbot/bin/tuitbot.js"),
  "godot-mcp-omni": join(root, "packages/godot-mcp-omni/bin/godot-mcp-omni.js"),
  toolpact: join(root, "packages/toolpact/bin/toolpact.js"),
} as const;

/** Runs one of our commands as the user of this machine. */
export function runOurs(
  machine: ClientMachine,
  program: keyof typeof PROGRAMS,
  args: readonly string[],
): Promise<number> {
  return runCommand(machine, process.execPath, [PROGRAMS[program], ...args]);
}

export function runAsUser(machine: ClientMachine, script: string, args: readonly string[]): Promise<number> {
  return runCommand(machine, process.execPath, [join(root, script), ...args]);
}

/** Runs a command as the user of this machine. Its output is stored next to the client's. */
export async function runCommand(
  machine: ClientMachine,
  command: string,
  args: readonly string[],
): Promise<number> {
  const child = spawn(command, [...args], {
    cwd: machine.cwd,
    env: { ...environment(machine), ...machine.client.env(machine) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = createWriteStream(join(machine.cwd, "..", "commands.log"), { flags: "a" });
  output.write(`$ ${[command, ...args].join(" ")}\n`);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  return endOf(child);
}

/** Adds a server to the client's own configuration file, as `setup` does. */
export async function addServer(
  { client, home }: ClientMachine,
  name: string,
  launch: Launch,
): Promise<void> {
  const known = mcpClients.find(({ id }) => id === client.id);
  if (known === undefined) throw new Error(`setup does not support ${client.id}.`);
  const place = { home, platform: process.platform, env: {} };
  const planned = await planClientChange(known, name, launch, place);
  if (!planned.ok) throw new Error(planned.failure);
  const written = await writeClientChange(planned.value);
  if (!written.ok) throw new Error(written.failure);
}

/** Starts tuitbot over HTTP on the sandbox as the user of this machine, at an unused address. */
export async function serveOverHttp(
  machine: ClientMachine,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const args = ["packages/tuitbot/bin/tuitbot.js", "mcp", "serve", "--sandbox", "--http", "0"];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environment(machine),
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  for await (const part of child.stdout) {
    printed += part;
    const url = /http:\S+\/mcp/.exec(printed)?.[0];
    if (url !== undefined) return { url, stop: () => void child.kill() };
  }
  throw new Error(`tuitbot ended before it served: ${printed}`);
}

/**
 * Connects the client to a model that plays these steps, and collects everything that reached the model. A client
 * that crashes before its first request is started once more.
 */
export async function converse(
  machine: ClientMachine,
  name: string,
  steps: readonly Step[],
  request: readonly string[] = [GO],
): Promise<Conversation> {
  const log = join(machine.cwd, "..", name);
  let turns = machine.model.play(steps);
  await endOf(startClient(machine, `${log}.log`, request));
  if (turns.length === 0) {
    turns = machine.model.play(steps);
    await endOf(startClient(machine, `${log}.second.log`, request));
  }
  const seen = seenIn(turns, steps);
  writeFileSync(`${log}.request.json`, seen.lastRequest);
  return seen;
}

/** The user's request in the arguments of every client. */
const GO = "go";

/** Starts the client without a window. `request` replaces the argument "go". */
export function startClient(
  machine: ClientMachine,
  log: string,
  request: readonly string[] = [GO],
): ChildProcess {
  const { client, program, cwd } = machine;
  const args = client.args.flatMap((argument) => (argument === GO ? request : [argument]));
  const child = spawn(program, args, {
    cwd,
    env: { ...environment(machine), ...client.env(machine) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  return child;
}

/** Returns the exit code. Ends the whole process group if it takes too long. */
async function endOf(child: ChildProcess): Promise<number> {
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), MAX_CONVERSATION_MS);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  return code ?? 1;
}

function seenIn(turns: readonly ModelRequest[], steps: readonly Step[]): Conversation {
  const last = turns.at(-1);
  return {
    offered: new Set(
      turns.flatMap(({ dialect, body }) =>
        dialect.offered(body).map(({ namespace = "", name }) => namespace + name),
      ),
    ),
    results: last === undefined ? [] : resultsOf(last, steps),
    lastRequest: JSON.stringify(last?.body ?? null),
  };
}

/** An environment without the developer's variables, with the developer's Node instead of the checkout's. */
export function environment({ home, cwd }: ClientMachine): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.endsWith("node_modules/.bin"));
  // Commands of the user, such as an npx that finds our unpublished packages.
  return {
    PATH: [join(home, "bin"), ...path].join(":"),
    HOME: home,
    // As set by a shell.
    PWD: cwd,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    NO_COLOR: "1",
  };
}
