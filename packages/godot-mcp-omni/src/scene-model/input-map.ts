import type { SettingsText } from "../formats/settings-text.ts";
import { parseVariant, type Variant } from "../formats/variant.ts";
import type { InputEvent, ListedInputAction, OtherInputEvent } from "../operations/results.ts";

type Keys = ReadonlyMap<string, number>;

export const MODIFIERS = ["Ctrl", "Shift", "Alt", "Meta"] as const;
export const DEFAULT_DEADZONE = 0.2;

/** The actions that `project.godot` declares. */
export function readInputMap(text: SettingsText, keys: Keys): ListedInputAction[] {
  const names = new Map([...keys].map(([name, code]) => [code, name]));
  return text
    .entries()
    .filter(([name]) => name.startsWith("input/"))
    .map(([name, value]) => actionOf(name.slice("input/".length), value, names));
}

function actionOf(name: string, text: string, names: ReadonlyMap<number, string>): ListedInputAction {
  const parsed = parseVariant(text);
  const entries = parsed.ok && parsed.value.kind === "dictionary" ? parsed.value.entries : [];
  const member = (key: string) =>
    entries.find(([known]) => known.kind === "string" && known.value === key)?.[1];
  const events = member("events");
  const deadzone = member("deadzone");
  return {
    name,
    deadzone: deadzone?.kind === "number" ? Number(deadzone.text) : DEFAULT_DEADZONE,
    events: events?.kind === "array" ? events.items.flatMap((item) => eventOf(item, names)) : [],
  };
}

function eventOf(value: Variant, names: ReadonlyMap<number, string>): (InputEvent | OtherInputEvent)[] {
  if (value.kind !== "object") return [];
  const member = (key: string) =>
    value.entries.find(([known]) => known.kind === "string" && known.value === key)?.[1];
  const count = (key: string) => {
    const found = member(key);
    return found?.kind === "number" ? Number(found.text) : 0;
  };
  const on = (key: string) => {
    const found = member(key);
    return found?.kind === "bool" && found.value;
  };
  switch (value.type) {
    case "InputEventKey": {
      const physical = count("keycode") === 0;
      const code = physical ? count("physical_keycode") : count("keycode");
      const modifiers = MODIFIERS.filter((modifier) => on(`${modifier.toLowerCase()}_pressed`));
      return [{ type: "key", key: [...modifiers, names.get(code) ?? String(code)].join("+"), physical }];
    }
    case "InputEventMouseButton":
      return [{ type: "mouse", button: count("button_index") }];
    case "InputEventJoypadButton":
      return [{ type: "joy_button", button: count("button_index"), device: count("device") }];
    case "InputEventJoypadMotion":
      return [{ type: "joy_axis", axis: count("axis"), value: count("axis_value"), device: count("device") }];
    default:
      return isOther(value.type) ? [{ type: value.type }] : [];
  }
}

function isOther(type: string): type is OtherInputEvent["type"] {
  return type.startsWith("InputEvent");
}
