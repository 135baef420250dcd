import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Reads the dock in a real editor, and presses its buttons like a user. */
export interface DockProbe {
  /** The texts of every visible label and button, from top to bottom; waits until one has what is expected. */
  shows(...texts: readonly string[]): Promise<readonly string[]>;
  texts(): readonly string[];
  /** Presses the button of this text, in the row that has the other text, once there is one and it is enabled. */
  press(text: string, inRow?: string): Promise<void>;
}

/** A plugin of the test project that reads the dock and presses its buttons. Give these files to the project. */
export const PROBE_FILES: Readonly<Record<string, string>> = {
  "addons/probe/plugin.cfg": `[plugin]\n\nname="Probe"\ndescription=""\nauthor=""\nversion="1"\nscript="plugin.gd"\n`,
  "addons/probe/plugin.gd": `@tool
extends EditorPlugin

var _folder := ProjectSettings.globalize_path("res://.probe")
var _shown := ""


func _process(_delta: float) -> void:
	var docks := EditorInterface.get_base_control().find_children("Agent", "MarginContainer", true, false)
	if docks.is_empty() or not DirAccess.dir_exists_absolute(_folder):
		return
	var press := _folder.path_join("press")
	if FileAccess.file_exists(press):
		var wanted := FileAccess.get_file_as_string(press).split("|")
		for button: Button in docks[0].find_children("*", "Button", true, false):
			var is_next := button.get_parent().get_children().any(func(one: Node) -> bool:
				return one is Label and one.text.contains(wanted[1]))
			if button.text == wanted[0] and not button.disabled and (wanted[1] == "" or is_next):
				DirAccess.remove_absolute(press)
				button.pressed.emit()
				break
	var texts := []
	for control: Control in docks[0].find_children("*", "Control", true, false):
		if (control is Label or control is Button) and control.visible:
			texts.append(control.text)
	var shown := JSON.stringify({"texts": texts, "width": docks[0].get_combined_minimum_size().x})
	if shown != _shown:
		_shown = shown
		var draft := FileAccess.open(_folder.path_join("draft"), FileAccess.WRITE)
		draft.store_string(shown)
		draft.close()
		DirAccess.rename_absolute(_folder.path_join("draft"), _folder.path_join("dock.json"))
`,
};

export const PROBE_PLUGIN = "res://addons/probe/plugin.cfg";

export function dockProbe(project: string): DockProbe & { width(): number } {
  const folder = join(project, ".probe");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gdignore"), "");
  const seen = (): { texts: readonly string[]; width: number } => {
    const file = join(folder, "dock.json");
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { texts: [], width: 0 };
  };
  const texts = () => seen().texts;
  return {
    texts,
    width: () => seen().width,
    async shows(...wanted) {
      for (const text of wanted)
        await expect.poll(() => texts().join("\n"), { timeout: 20_000 }).toContain(text);
      return texts();
    },
    async press(text, inRow = "") {
      const place = join(folder, "press");
      // The plugin must not see half of it.
      writeFileSync(`${place}ing`, `${text}|${inRow}`);
      renameSync(`${place}ing`, place);
      await expect.poll(() => existsSync(place), { timeout: 20_000 }).toBe(false);
    },
  };
}
