import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type CommandFailure, EXIT, type LocalMachine } from "@toolpact/cli";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import { commandFailure, launchOf } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { projectsGiven, workingFolder } from "../config/find-project.ts";
import { readSettings, type Settings, settingsFile } from "../config/settings.ts";
import type { CoreOptions } from "../server/core.ts";
import type { GodotServer } from "../server/server.ts";
import type { Context } from "./machine.ts";

/** Returns the settings of this call, or the reason they are invalid. */
export async function settingsOf(context: Context): Promise<Outcome<Settings, CommandFailure>> {
  const { globals, machine, terminal } = context;
  const named = globals.config;
  const place = typeof named === "string" ? resolve(machine.cwd, named) : settingsFile(terminal.env);
  const file = await settingsIn(place, typeof named === "string");
  if (!file.ok) return file;
  const given = projectsGiven(globals.project ?? []);
  if (!given.ok) return failed({ ...commandFailure(given.failure), exitCode: EXIT.usage });
  const { project, projects } = given.value;
  // Without the flag, the environment decides.
  const flags = Object.fromEntries(
    Object.entries({ ...globals, project }).filter(([, value]) => value !== false && value !== undefined),
  );
  const settings = readSettings({
    flags: flags as Record<string, string | boolean>,
    env: terminal.env,
    file: file.value,
  });
  if (!settings.ok) return failed({ ...commandFailure(settings.failure), exitCode: EXIT.usage });
  return ok({ ...settings.value, projects });
}

/** Opens the server. `otherwise` are the default toolsets of a command that needs others than clients get. */
export async function openServer(
  context: Context,
  otherwise: readonly string[] = [],
): Promise<Outcome<GodotServer, CommandFailure>> {
  const settings = await oneProject(context);
  return settings.ok ? openWith(settings.value, context, otherwise) : settings;
}

export async function oneProject(context: Context): Promise<Outcome<Settings, CommandFailure>> {
  const settings = await settingsOf(context);
  if (!settings.ok || settings.value.projects.length === 0) return settings;
  return failed({
    message: "This command works on one project, and several are named.",
    fix: "Give one --project FOLDER.",
    exitCode: EXIT.usage,
  });
}

export async function openWith(
  settings: Settings,
  context: Context,
  otherwise: readonly string[] = [],
): Promise<Outcome<GodotServer, CommandFailure>> {
  const { createServer } = await import("../server/server.ts");
  const toolsets = settings.toolsets.length === 0 ? otherwise : settings.toolsets;
  const server = await createServer(coreOptions({ ...settings, toolsets }, context));
  return server.ok ? server : failed({ ...commandFailure(server.failure), exitCode: EXIT.usage });
}

/** The shell command that starts this program, on the PATH or not. */
export function programOf(machine: LocalMachine): readonly string[] {
  const { command, args } = launchOf("godot-mcp-omni", [], {}, machine);
  return [command, ...args];
}

function coreOptions(settings: Settings, { machine, terminal }: Context): CoreOptions {
  return {
    settings,
    env: terminal.env,
    cwd: workingFolder(machine.cwd, terminal.env),
    program: programOf(machine),
    onBug: (message) => terminal.err(`godot-mcp-omni: ${message}\n`),
  };
}

async function settingsIn(
  place: string | undefined,
  isNamed: boolean,
): Promise<Outcome<Readonly<Record<string, unknown>>, CommandFailure>> {
  if (place === undefined) return ok({});
  const text = await readFile(place, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error)
    return text.code === "ENOENT" && !isNamed
      ? ok({})
      : failed({ message: `The settings file ${place} cannot be read (${text.code}).` });
  const value = parseJson(text);
  if (value === undefined) return failed({ message: `The settings file ${place} is not JSON.` });
  if (!isJsonObject(value))
    return failed({ message: `The settings file ${place} does not hold a JSON object.` });
  return ok(value);
}
