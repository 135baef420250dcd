import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedGate, type Gates } from "../../config/gates.ts";
import { ask, commitWith, type DriverContext } from "../../drivers/ask.ts";
import type { Driver, Edit, Mode } from "../../operations/driver.ts";
import {
  type InputAction,
  inputEvent,
  type inputMapChanged,
  type settingsChanged,
} from "../../operations/results.ts";
import { missingFiles } from "../../scene-model/missing-files.ts";
import { defined } from "../params.ts";
import { answerOf, count, editNotes, type ToolAnswer } from "../product.ts";

const FILE = "res://project.godot";

interface Moded {
  readonly mode?: Mode | undefined;
}

/**
 * An open editor has the settings in memory and would overwrite the file, so the request goes to it. Otherwise the
 * file itself is changed: an engine would rewrite all of it.
 */
function settingsMode({ workspace }: DriverContext, { mode }: Moded): Mode {
  return mode ?? (workspace.editor() === undefined ? "files" : "editor");
}

export async function getSettings(
  context: DriverContext,
  input: Moded & { readonly names?: readonly string[] | undefined; readonly prefix?: string | undefined },
) {
  const { names, prefix } = input;
  const read = await ask(context, settingsMode(context, input), "settings.get", defined({ names, prefix }));
  return answerOf(read, ({ settings, unknown }) => {
    const rest = unknown.length === 0 ? "" : `; unknown: ${unknown.join(", ")}`;
    return `${count(Object.keys(settings).length, "setting")}${rest}.`;
  });
}

/** Settings that run code in the editor, or allow access to it, before the project is played. */
const DANGEROUS = ["editor/", "editor_plugins/"];

export async function setSettings(
  context: DriverContext & { readonly gates: Gates },
  input: Moded & { readonly settings: JsonObject },
): Promise<ToolAnswer<z.input<typeof settingsChanged>>> {
  const { settings } = input;
  const names = Object.keys(settings);
  const risky = names.find((name) => DANGEROUS.some((section) => name.startsWith(section)));
  const refused =
    risky === undefined ? undefined : closedGate(context.gates, "allowDangerousOps", `Changing ${risky}`);
  if (refused !== undefined) return refused;
  const label = `Set ${names.join(", ")}.`;
  const done = await commit(context, input, { operation: "settings.set", params: { settings }, label });
  if (!done.ok) return done;
  const missing = (await missingFiles(context.project, names)).map(({ message }) => message);
  const unnamed = Object.entries(settings).flatMap(([name, value]) => unnamedAutoload(name, value ?? null));
  const { driver, warnings, result } = done.value;
  const notes = { driver, warnings: [...warnings, ...missing, ...unnamed] };
  return settingsAnswer(context, notes, { changed: result.changed }, label);
}

/** A warning about an autoload that scripts cannot use by its name. */
function unnamedAutoload(setting: string, value: Json): string[] {
  const [, name] = /^autoload\/(.+)$/.exec(setting) ?? [];
  if (name === undefined || typeof value !== "string" || !/^(?:res|uid):\/\//.test(value)) return [];
  return [
    `Scripts cannot use ${name} by its name, only as /root/${name}: for that the value must be "*${value}".`,
  ];
}

export async function getInputMap(context: DriverContext, input: Moded) {
  const read = await ask(context, settingsMode(context, input), "input_map.get", {});
  return answerOf(read, ({ actions }) => `${count(actions.length, "input action")}.`);
}

export const actionInput = z.strictObject({
  name: z.string(),
  deadzone: z.number().min(0).max(1).exactOptional(),
  keys: z.array(z.string()).exactOptional(),
  events: z.array(inputEvent).exactOptional(),
});

export async function setInputMap(
  context: DriverContext,
  input: Moded & {
    readonly actions: readonly z.infer<typeof actionInput>[];
    readonly remove?: readonly string[] | undefined;
  },
): Promise<ToolAnswer<z.infer<typeof inputMapChanged>>> {
  const actions = input.actions.map(
    ({ keys = [], events = [], ...action }): InputAction => ({
      ...action,
      events: [...keys.map((key) => ({ type: "key" as const, key })), ...events],
    }),
  );
  const remove = input.remove ?? [];
  const parts = [
    ...(actions.length > 0 ? [`set ${actions.map((action) => action.name).join(", ")}`] : []),
    ...(remove.length > 0 ? [`removed ${remove.join(", ")}`] : []),
  ];
  const label = `Input map: ${parts.join("; ")}.`;
  const params = { actions, remove };
  const done = await commit(context, input, { operation: "input_map.set", params, label });
  if (!done.ok) return done;
  return settingsAnswer(context, done.value, { actions: done.value.result.actions, removed: remove }, label);
}

async function commit<O extends "settings.set" | "input_map.set">(
  context: DriverContext,
  input: Moded,
  edit: Omit<Edit<O>, "path">,
) {
  const path = await context.project.resolve(FILE);
  if (!path.ok) return path;
  return commitWith(context, settingsMode(context, input), { ...edit, path: path.value });
}

function settingsAnswer<T extends object>(
  { project }: DriverContext,
  { driver, warnings }: { readonly driver: Driver; readonly warnings: readonly string[] },
  value: T,
  summary: string,
): ToolAnswer<T> {
  const file = { absolute: project.absolute(FILE), res: FILE };
  return ok(value, { summary, ...editNotes("settings", file, { driver, warnings }) });
}
