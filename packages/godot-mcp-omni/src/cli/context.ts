import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type CommandContext,
  type CommandFailure,
  commandFor,
  commonOptions,
  EXIT,
  type LocalMachine,
  type Option,
  type Options,
  type OptionValues,
} from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { readSettings, SETTINGS, type Settings, settingsFile } from "../config/settings.ts";
import type { CoreOptions } from "../server/core.ts";
import type { GodotServer } from "../server/server.ts";

/** Every setting is an option of every command. */
const settingOptions: Options = Object.fromEntries(
  SETTINGS.map(({ flag, kind, env, describe, placeholder = "VALUE" }): [string, Option] => [
    flag,
    kind === "switch"
      ? { kind: "flag", describe: `${describe} (${env}=true)` }
      : {
          kind: "value",
          placeholder,
          describe: `${describe} (${env})`,
          ...(Array.isArray(kind) && { choices: kind }),
        },
  ]),
);

export const globalOptions = {
  ...settingOptions,
  config: {
    kind: "value",
    placeholder: "FILE",
    describe: "Settings file in JSON; the user's own by default",
  },
  ...commonOptions,
} as const;

export const command = commandFor<LocalMachine, typeof globalOptions>();

export type Context = CommandContext<LocalMachine, OptionValues<typeof globalOptions>>;

/** The settings of this call, or what is wrong with them. */
export async function settingsOf(context: Context): Promise<Outcome<Settings, CommandFailure>> {
  const { globals, machine, terminal } = context;
  const named = globals.config;
  const place = typeof named === "string" ? resolve(machine.cwd, named) : settingsFile(terminal.env);
  const file = await settingsIn(place, typeof named === "string");
  if (!file.ok) return file;
  // A flag that was not given must not override the environment.
  const flags = Object.fromEntries(Object.entries(globals).filter(([, value]) => value !== false));
  const settings = readSettings({
    flags: flags as Record<string, string | boolean>,
    env: terminal.env,
    file: file.value,
  });
  return settings.ok ? settings : failed({ ...commandFailure(settings.failure), exitCode: EXIT.usage });
}

/** Opens the server. `defaultToolsets` are the toolsets of this command when none are configured. */
export async function openServer(
  context: Context,
  defaultToolsets: readonly string[] = [],
): Promise<Outcome<GodotServer, CommandFailure>> {
  const settings = await settingsOf(context);
  if (!settings.ok) return settings;
  const { createServer } = await import("../server/server.ts");
  const toolsets = settings.value.toolsets.length === 0 ? defaultToolsets : settings.value.toolsets;
  const server = await createServer(coreOptions({ ...settings.value, toolsets }, context));
  return server.ok ? server : failed({ ...commandFailure(server.failure), exitCode: EXIT.usage });
}

function coreOptions(settings: Settings, { machine, terminal }: Context): CoreOptions {
  return {
    settings,
    env: terminal.env,
    cwd: machine.cwd,
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
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return ok(value as Readonly<Record<string, unknown>>);
    return failed({ message: `The settings file ${place} does not hold a JSON object.` });
  } catch {
    return failed({ message: `The settings file ${place} is not JSON.` });
  }
}
