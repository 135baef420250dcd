import type { JsonObject } from "@toolpact/contract";
import { closedGate, type Gates } from "../../config/gates.ts";
import type { InputAction, InputEvent } from "../../drivers/answers.ts";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import { commitEdit, type Edit } from "../../drivers/commit-edit.ts";
import type { Driver, Mode } from "../../drivers/driver.ts";
import { errors } from "../../errors.ts";
import { type Answer, executedBy, told } from "../answer.ts";
import { count } from "../words.ts";

const FILE = "res://project.godot";

interface Moded {
  readonly mode?: Mode | undefined;
}

/**
 * An editor that is open has the settings in memory and would write over the file, so it is asked. Otherwise the
 * file itself is changed: an engine would write all of it anew.
 */
function settingsMode({ godots }: DriverContext, { mode }: Moded): Mode {
  return mode ?? (godots.editor() === undefined ? "files" : "editor");
}

export async function getSettings(
  context: DriverContext,
  input: Moded & { readonly names?: readonly string[] | undefined; readonly prefix?: string | undefined },
): Promise<Answer> {
  const { names, prefix } = input;
  const params = { ...(names !== undefined && { names }), ...(prefix !== undefined && { prefix }) };
  const read = await ask(context, settingsMode(context, input), "settings.get", params);
  if (!read.ok) return read;
  const { settings, unknown } = read.value.value;
  const strangers = unknown.length === 0 ? "" : `; unknown: ${unknown.join(", ")}`;
  return told(
    { settings, unknown },
    {
      summary: `${count(Object.keys(settings).length, "setting")}${strangers}.`,
      execution: { mode: read.value.mode },
    },
  );
}

/** Settings that run code in the editor, or open doors to it, before anyone has pressed play. */
const DANGEROUS = ["editor/", "editor_plugins/"];

export async function setSettings(
  context: DriverContext & { readonly gates: Gates },
  input: Moded & { readonly settings: JsonObject },
): Promise<Answer> {
  const { settings } = input;
  const names = Object.keys(settings);
  const risky = names.find((name) => DANGEROUS.some((section) => name.startsWith(section)));
  const refused =
    risky === undefined ? undefined : closedGate(context.gates, "allowDangerousOps", `Changing ${risky}`);
  if (refused !== undefined) return refused;
  const label = `Set ${names.join(", ")}.`;
  const done = await commit(context, input, { operation: "settings.set", params: { settings }, label });
  return done.ok ? settingsAnswer(context, done.value, { changed: done.value.result.changed }, label) : done;
}

export async function getInputMap(context: DriverContext, input: Moded): Promise<Answer> {
  const read = await ask(context, settingsMode(context, input), "input_map.get", {});
  if (!read.ok) return read;
  const { actions } = read.value.value;
  return told(
    { actions },
    { summary: `${count(actions.length, "input action")}.`, execution: { mode: read.value.mode } },
  );
}

export interface InputMapInput extends Moded {
  readonly actions?:
    | readonly {
        readonly name: string;
        readonly deadzone?: number | undefined;
        readonly keys?: readonly string[] | undefined;
        readonly events?: readonly LooseEvent[] | undefined;
      }[]
    | undefined;
  readonly remove?: readonly string[] | undefined;
}

interface LooseEvent {
  readonly type: InputEvent["type"];
  readonly key?: string | undefined;
  readonly physical?: boolean | undefined;
  readonly button?: number | undefined;
  readonly axis?: number | undefined;
  readonly value?: number | undefined;
  readonly device?: number | undefined;
}

export async function setInputMap(context: DriverContext, input: InputMapInput): Promise<Answer> {
  const actions: InputAction[] = [];
  for (const { name, deadzone, keys = [], events = [] } of input.actions ?? []) {
    const made: InputEvent[] = keys.map((key) => ({ type: "key", key }));
    for (const event of events) {
      const checked = eventOf(event);
      if (checked === undefined)
        return errors.fail(
          "E_SCHEMA_VALIDATION",
          `${name}: an event of type ${event.type} needs ${NEEDS[event.type]}.`,
        );
      made.push(checked);
    }
    actions.push({ name, events: made, ...(deadzone !== undefined && { deadzone }) });
  }
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

const NEEDS: Readonly<Record<InputEvent["type"], string>> = {
  key: "key",
  mouse: "button",
  joy_button: "button",
  joy_axis: "axis and value",
};

function eventOf({ type, key, physical, button, axis, value, device }: LooseEvent): InputEvent | undefined {
  const at = device === undefined ? {} : { device };
  if (type === "key" && key !== undefined) return { type, key, ...(physical !== undefined && { physical }) };
  if (type === "mouse" && button !== undefined) return { type, button };
  if (type === "joy_button" && button !== undefined) return { type, button, ...at };
  if (type === "joy_axis" && axis !== undefined && value !== undefined) return { type, axis, value, ...at };
  return undefined;
}

async function commit<O extends "settings.set" | "input_map.set">(
  context: DriverContext,
  input: Moded,
  edit: Omit<Edit<O>, "path">,
) {
  const path = await context.project.resolve(FILE);
  if (!path.ok) return path;
  return context.godots.use(settingsMode(context, input), context.signal, (driver) =>
    commitEdit(context, driver, { ...edit, path: path.value }),
  );
}

function settingsAnswer(
  { project }: DriverContext,
  { driver, warnings }: { readonly driver: Driver; readonly warnings: readonly string[] },
  value: object,
  summary: string,
): Answer {
  return told(value, {
    summary,
    execution: executedBy(driver),
    files: [{ kind: "settings", pathAbs: project.absolute(FILE), resPath: FILE }],
    ...(warnings.length > 0 && { warnings }),
  });
}
