import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { closedGate, type Gates } from "../../config/gates.ts";
import type { InputAction, InputEvent } from "../../drivers/answers.ts";
import { readInputMap, setInputActions } from "../../drivers/files/input-map.ts";
import { changeSettings, settingValue } from "../../drivers/files/project-settings.ts";
import { asked } from "../../drivers/read-target.ts";
import type { PropertyChange } from "../../drivers/scene-edit.ts";
import type { SceneWork } from "../../drivers/scene-target.ts";
import { errors, type GodotCode } from "../../errors.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { type ClassTable, loadClassTable } from "../../godot/class-table.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import type { Mode, Way } from "../../workspace/godots.ts";
import { type Answer, told } from "../answer.ts";
import { count } from "../words.ts";

const FILE = "res://project.godot";

interface Moded {
  readonly mode?: Mode | undefined;
}

/**
 * An editor that is open has the settings in memory and would write over the file, so it is asked. Otherwise the
 * file itself is changed: an engine would write all of it anew.
 */
async function settingsWay(
  { godots, signal }: SceneWork,
  { mode }: Moded,
): Promise<Outcome<Way, Failure<GodotCode>>> {
  return godots.way(mode ?? (godots.editor() === undefined ? "files" : "editor"), signal);
}

export async function getSettings(
  work: SceneWork,
  input: Moded & { readonly names?: readonly string[] | undefined; readonly prefix?: string | undefined },
): Promise<Answer> {
  const way = await settingsWay(work, input);
  if (!way.ok) return way;
  const { names, prefix } = input;
  if (way.value.driver !== undefined) {
    const params = { ...(names !== undefined && { names }), ...(prefix !== undefined && { prefix }) };
    const read = await asked(way.value.driver, "settings.get", params, { signal: work.signal });
    return read.ok
      ? toldSettings(read.value.value.settings, read.value.value.unknown, read.value.mode)
      : read;
  }
  const opened = await open(work);
  if (!opened.ok) return opened;
  const { text, classes } = opened.value;
  const settings: Record<string, JsonObject[string]> = {};
  const unknown: string[] = [];
  for (const name of names ?? []) {
    const value = settingValue(text, name, classes);
    if (value === undefined) unknown.push(name);
    else settings[name] = value;
  }
  if (names === undefined || prefix !== undefined)
    for (const [name] of text.entries())
      if (name.includes("/") && !name.startsWith("input/") && name.startsWith(prefix ?? ""))
        settings[name] = settingValue(text, name, classes);
  return toldSettings(settings, unknown, "files");
}

/** Settings that run code in the editor, or open doors to it, before anyone has pressed play. */
const DANGEROUS = ["editor/", "editor_plugins/"];

export async function setSettings(
  work: SceneWork & { readonly gates: Gates },
  input: Moded & { readonly settings: JsonObject },
): Promise<Answer> {
  const risky = Object.keys(input.settings).find((name) =>
    DANGEROUS.some((section) => name.startsWith(section)),
  );
  const refused =
    risky === undefined ? undefined : closedGate(work.gates, "allowDangerousOps", `Changing ${risky}`);
  if (refused !== undefined) return refused;
  const way = await settingsWay(work, input);
  if (!way.ok) return way;
  const { driver } = way.value;
  return work.project.inTurn(FILE, async (): Promise<Answer> => {
    if (driver !== undefined) {
      return byGodot(work, way.value, Object.keys(input.settings), async () => {
        const answer = await driver.request(
          "settings.set",
          { settings: input.settings },
          { signal: work.signal },
        );
        return answer.ok ? ok(toldChanges(answer.value.changed)) : answer;
      });
    }
    const opened = await open(work);
    if (!opened.ok) return opened;
    const { text, classes } = opened.value;
    const changed = changeSettings(text, input.settings, classes);
    if (!changed.ok) return changed;
    return save(work, opened.value, toldChanges(changed.value));
  });
}

export async function getInputMap(work: SceneWork, input: Moded): Promise<Answer> {
  const way = await settingsWay(work, input);
  if (!way.ok) return way;
  const actions =
    way.value.driver === undefined
      ? await actionsInFile(work)
      : await asked(way.value.driver, "input_map.get", {}, { signal: work.signal });
  if (!actions.ok) return actions;
  const { value, mode } = actions.value;
  return told(
    { actions: value.actions },
    { summary: `${count(value.actions.length, "input action")}.`, execution: { mode } },
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

export async function setInputMap(work: SceneWork, input: InputMapInput): Promise<Answer> {
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
  const way = await settingsWay(work, input);
  if (!way.ok) return way;
  const { driver } = way.value;
  const names = [...actions.map((action) => action.name), ...remove];
  return work.project.inTurn(FILE, async (): Promise<Answer> => {
    if (driver !== undefined) {
      return byGodot(
        work,
        way.value,
        names.map((name) => `input/${name}`),
        async () => {
          const answer = await driver.request("input_map.set", { actions, remove }, { signal: work.signal });
          return answer.ok ? ok(toldActions(answer.value.actions, remove)) : answer;
        },
      );
    }
    const opened = await open(work);
    if (!opened.ok) return opened;
    const { text, classes } = opened.value;
    const set = setInputActions(text, actions, remove, classes.keys);
    if (!set.ok) return set;
    const now = readInputMap(text, classes.keys).filter((action) => names.includes(action.name));
    return save(work, opened.value, toldActions(now, remove));
  });
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

interface Opened {
  readonly path: ProjectPath;
  readonly was: string;
  readonly text: SettingsText;
  readonly classes: ClassTable;
}

async function open({ project }: SceneWork): Promise<Outcome<Opened, Failure<GodotCode>>> {
  const read = await project.readText(FILE);
  if (!read.ok) return read;
  const text = SettingsText.parse(read.value.text);
  if (!text.ok) return text;
  return ok({
    path: read.value.path,
    was: read.value.text,
    text: text.value,
    classes: await loadClassTable(),
  });
}

async function actionsInFile(work: SceneWork) {
  const opened = await open(work);
  if (!opened.ok) return opened;
  return ok({
    value: { actions: readInputMap(opened.value.text, opened.value.classes.keys) },
    mode: "files" as const,
  });
}

interface Told {
  readonly value: object;
  readonly summary: string;
}

async function save({ project }: SceneWork, { path, was, text }: Opened, change: Told): Promise<Answer> {
  const written = await project.change(change.summary, [{ path, content: text.write(), was }]);
  return written.ok ? finished(project.absolute(FILE), change, "files") : written;
}

/** A Godot writes the whole file; a setting that nobody named and that came out otherwise is put back. */
async function byGodot(
  work: SceneWork,
  way: Way,
  names: readonly string[],
  request: () => Promise<Outcome<Told, Failure<GodotCode>>>,
): Promise<Answer> {
  const { project } = work;
  const before = await open(work);
  if (!before.ok) return before;
  const refused = project.refusedWrite(before.value.path);
  if (refused !== undefined) return refused;
  const entry = await project.journal.begin(`settings ${names.join(", ")}`, [FILE]);
  const change = await request();
  const after = await open(work);
  const lost = after.ok ? lostSettings(before.value.text, after.value.text, names) : ["all of them"];
  if (lost.length > 0 && way.mode === "engine") {
    await entry.rollBack();
    return errors.fail(
      "E_INTERNAL",
      "Other settings came out changed, so project.godot was put back as it was.",
      {
        details: { settings: lost.slice(0, 20) },
        suggestedFix: "Use mode files.",
      },
    );
  }
  await entry.close();
  return change.ok ? finished(project.absolute(FILE), change.value, way.mode) : change;
}

function lostSettings(before: SettingsText, after: SettingsText, names: readonly string[]): string[] {
  return before
    .entries()
    .filter(([name]) => name.includes("/") && !names.includes(name) && after.get(name) === undefined)
    .map(([name]) => name);
}

function finished(absolute: string, { value, summary }: Told, mode: Mode): Answer {
  return told(value, {
    summary,
    execution: { mode },
    files: [{ kind: "settings", pathAbs: absolute, resPath: FILE }],
  });
}

function toldSettings(settings: JsonObject, unknown: readonly string[], mode: Mode): Answer {
  return ok(
    { settings, unknown },
    {
      summary: `${count(Object.keys(settings).length, "setting")}${unknown.length === 0 ? "" : `; unknown: ${unknown.join(", ")}`}.`,
      execution: { mode },
    },
  );
}

function toldChanges(changed: readonly PropertyChange[]): Told {
  return {
    value: { changed },
    summary: `Set ${changed.map((row) => row.name).join(", ")}.`,
  };
}

function toldActions(actions: readonly InputAction[], removed: readonly string[]): Told {
  const parts = [
    ...(actions.length > 0 ? [`set ${actions.map((action) => action.name).join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
  ];
  return {
    value: { actions, removed },
    summary: `Input map: ${parts.join("; ")}.`,
  };
}
