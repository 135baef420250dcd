import { nearest } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { at, errors, type Result } from "../../errors.ts";
import type { SettingsText } from "../../formats/settings-text.ts";
import { type Entry, type Variant, writeVariant } from "../../formats/variant.ts";
import type { InputAction, InputEvent } from "../../operations/results.ts";
import { DEFAULT_DEADZONE, MODIFIERS } from "../../scene-model/input-map.ts";

type Keys = ReadonlyMap<string, number>;
type InputCode = "E_SCHEMA_VALIDATION" | "E_NOT_FOUND";

/** Same as in input_events.gd. */
const MODIFIER_NAMES: Readonly<Record<string, (typeof MODIFIERS)[number]>> = {
  ctrl: "Ctrl",
  control: "Ctrl",
  shift: "Shift",
  alt: "Alt",
  option: "Alt",
  meta: "Meta",
  cmd: "Meta",
  command: "Meta",
  super: "Meta",
  windows: "Meta",
};

/** Same as in input_events.gd. */
const KEY_ALIASES: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  spacebar: "space",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
  pgdown: "pagedown",
  leftarrow: "left",
  arrowleft: "left",
  rightarrow: "right",
  arrowright: "right",
  uparrow: "up",
  arrowup: "up",
  downarrow: "down",
  arrowdown: "down",
};

export function setInputActions(
  text: SettingsText,
  actions: readonly InputAction[],
  remove: readonly string[],
  keys: Keys,
): Result<void, InputCode> {
  if (actions.length + remove.length === 0)
    return errors.fail("E_SCHEMA_VALIDATION", "Give actions to set or names to remove.");
  for (const action of actions) {
    if (action.name === "" || action.name.includes("/"))
      return errors.fail("E_SCHEMA_VALIDATION", "The name of an action cannot contain a slash.");
    const events: Variant[] = [];
    for (const event of action.events) {
      const made = eventObject(event, keys);
      if (!made.ok) return at(action.name, made);
      events.push(made.value);
    }
    const deadzone = action.deadzone ?? DEFAULT_DEADZONE;
    text.set(
      `input/${action.name}`,
      writeVariant({
        kind: "dictionary",
        entries: [
          [string("deadzone"), number(Number.isInteger(deadzone) ? `${deadzone}.0` : String(deadzone))],
          [string("events"), { kind: "array", items: events }],
        ],
      }),
    );
  }
  for (const name of remove) {
    if (text.get(`input/${name}`) === undefined)
      return errors.fail("E_NOT_FOUND", `There is no input action "${name.slice(0, 80)}" in project.godot.`);
    text.unset(`input/${name}`);
  }
  return ok(undefined);
}

function eventObject(event: InputEvent, keys: Keys): Result<Variant, "E_SCHEMA_VALIDATION"> {
  const device = ("device" in event ? event.device : undefined) ?? -1;
  const head: Entry[] = [
    [string("resource_local_to_scene"), bool(false)],
    [string("resource_name"), string("")],
    [string("device"), number(String(device))],
  ];
  const made = (type: string, entries: Entry[]) =>
    ok<Variant>({
      kind: "object",
      type,
      entries: [...head, ...entries, [string("script"), { kind: "nil" }]],
    });
  switch (event.type) {
    case "key":
      return keyEvent(event, keys, made);
    case "mouse":
      if (event.button < 1) return bad("mouse", 'a "button" from 1');
      return made("InputEventMouseButton", [
        ...held([]),
        [string("button_mask"), number("0")],
        [string("button_index"), number(String(event.button))],
        [string("pressed"), bool(false)],
      ]);
    case "joy_button":
      if (event.button < 0) return bad("joy_button", 'a "button" from 0');
      return made("InputEventJoypadButton", [
        [string("button_index"), number(String(event.button))],
        [string("pressure"), number("0.0")],
        [string("pressed"), bool(false)],
      ]);
    case "joy_axis":
      if (event.axis < 0 || event.value === 0)
        return bad("joy_axis", 'an "axis" from 0 and a "value" of -1 or 1');
      return made("InputEventJoypadMotion", [
        [string("axis"), number(String(event.axis))],
        [
          string("axis_value"),
          number(Number.isInteger(event.value) ? `${event.value}.0` : String(event.value)),
        ],
      ]);
  }
}

/** The code of a key name as Godot prints it, or in a common spelling: `space`, `KEY_SPACE`, `page_up`, `esc`. */
function keyCode(name: string, keys: Keys): number | undefined {
  const exact = keys.get(name) ?? keys.get(name.length === 1 ? name.toUpperCase() : name);
  if (exact !== undefined || name.length === 1) return exact;
  const folded = (text: string) => text.toLowerCase().replace(/[ _-]/g, "");
  const wanted = folded(name.replace(/^KEY_/, ""));
  const known = KEY_ALIASES[wanted] ?? wanted;
  return [...keys].find(([key]) => folded(key) === known)?.[1];
}

function keyEvent(
  { key, physical = true }: Extract<InputEvent, { type: "key" }>,
  keys: Keys,
  made: (type: string, entries: Entry[]) => Result<Variant, "E_SCHEMA_VALIDATION">,
): Result<Variant, "E_SCHEMA_VALIDATION"> {
  const parts = key.split("+");
  const name = parts.pop() ?? "";
  const code = keyCode(name, keys);
  if (code === undefined) {
    const guess = nearest(name, [...keys.keys()]);
    return errors.fail("E_SCHEMA_VALIDATION", `"${key.slice(0, 40)}" is no key.`, {
      suggestedFix: `${guess === undefined ? "" : `Did you mean ${guess}? `}Write it as Godot prints it: Space, A, Left, Ctrl+S.`,
    });
  }
  const modifiers = parts.map((part) => MODIFIER_NAMES[part.toLowerCase()]);
  const stray = parts.find((_, index) => modifiers[index] === undefined);
  if (stray !== undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `"${stray.slice(0, 40)}" is no modifier: ${MODIFIERS.join(", ")}.`,
    );
  return made("InputEventKey", [
    ...held(modifiers.filter((modifier) => modifier !== undefined)),
    [string("pressed"), bool(false)],
    [string("keycode"), number(physical ? "0" : String(code))],
    [string("physical_keycode"), number(physical ? String(code) : "0")],
    [string("key_label"), number("0")],
    [string("unicode"), number("0")],
    [string("location"), number("0")],
    [string("echo"), bool(false)],
  ]);
}

function held(modifiers: readonly string[]): Entry[] {
  return [
    [string("window_id"), number("0")],
    [string("alt_pressed"), bool(modifiers.includes("Alt"))],
    [string("shift_pressed"), bool(modifiers.includes("Shift"))],
    [string("ctrl_pressed"), bool(modifiers.includes("Ctrl"))],
    [string("meta_pressed"), bool(modifiers.includes("Meta"))],
  ];
}

function bad(type: string, needs: string) {
  return errors.fail("E_SCHEMA_VALIDATION", `An event of type ${type} needs ${needs}.`);
}

function string(value: string): Variant {
  return { kind: "string", value };
}

function number(text: string): Variant {
  return { kind: "number", text };
}

function bool(value: boolean): Variant {
  return { kind: "bool", value };
}
