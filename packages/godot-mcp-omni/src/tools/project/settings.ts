import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { closedGate, type Gates } from "../../config/gates.ts";
import type { InputAction, InputEvent } from "../../drivers/answers.ts";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import { commitEdit, type Edit } from "../../drivers/commit-edit.ts";
import type { Driver, Mode } from "../../drivers/driver.ts";
import { errors } from "../../errors.ts";
import { type Answer, answerOf, executedBy } from "../answer.ts";
import { defined } from "../params.ts";
import { jsonObject, list, propertyChange, text } from "../shapes.ts";
import { count } from "../words.ts";

const FILE = "res://project.godot";

export const settingValues = z.strictObject({ settings: jsonObject, unknown: list(text) });
export const settingsChanged = z.strictObject({ changed: list(propertyChange) });

const device = z.int().exactOptional();
const inputEvent = z.union([
  z.strictObject({ type: z.literal("key"), key: text, physical: z.boolean().exactOptional() }),
  z.strictObject({ type: z.literal("mouse"), button: z.int() }),
  z.strictObject({ type: z.literal("joy_button"), button: z.int(), device }),
  z.strictObject({ type: z.literal("joy_axis"), axis: z.int(), value: z.number(), device }),
  z.strictObject({ type: z.templateLiteral(["InputEvent", z.string()]) }),
]);

export const inputActions = z.strictObject({
  actions: list(
    z.strictObject({ name: text, deadzone: z.number().exactOptional(), events: list(inputEvent) }),
  ),
});

export const inputMapChanged = inputActions.extend({ removed: list(text) });

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
) {
  const { names, prefix } = input;
  const read = await ask(context, settingsMode(context, input), "settings.get", defined({ names, prefix }));
  return answerOf(read, ({ settings, unknown }) => {
    const rest = unknown.length === 0 ? "" : `; unknown: ${unknown.join(", ")}`;
    return `${count(Object.keys(settings).length, "setting")}${rest}.`;
  });
}

/** Settings that run code in the editor, or open doors to it, before anyone has pressed play. */
const DANGEROUS = ["editor/", "editor_plugins/"];

export async function setSettings(
  context: DriverContext & { readonly gates: Gates },
  input: Moded & { readonly settings: JsonObject },
): Promise<Answer<z.input<typeof settingsChanged>>> {
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

export async function getInputMap(context: DriverContext, input: Moded) {
  const read = await ask(context, settingsMode(context, input), "input_map.get", {});
  return answerOf(read, ({ actions }) => `${count(actions.length, "input action")}.`);
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

export async function setInputMap(
  context: DriverContext,
  input: InputMapInput,
): Promise<Answer<z.input<typeof inputMapChanged>>> {
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
    actions.push(defined({ name, events: made, deadzone }));
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
  const at = defined({ device });
  if (type === "key" && key !== undefined) return defined({ type, key, physical });
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

function settingsAnswer<T extends object>(
  { project }: DriverContext,
  { driver, warnings }: { readonly driver: Driver; readonly warnings: readonly string[] },
  value: T,
  summary: string,
): Answer<T> {
  return ok(value, {
    summary,
    execution: executedBy(driver),
    files: [{ kind: "settings", pathAbs: project.absolute(FILE), resPath: FILE }],
    ...(warnings.length > 0 && { warnings }),
  });
}
