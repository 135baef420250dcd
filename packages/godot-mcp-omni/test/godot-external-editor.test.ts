import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { binaryAt, editorFor, makeProject, START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";

/** The setting of a user with an external script editor; here a program that does nothing. */
const SETTINGS = `[gd_resource type="EditorSettings" format=3]

[resource]
text_editor/external/use_external_editor = true
text_editor/external/exec_path = "/bin/true"
`;

describe.skipIf(!realGodot)("an editor that opens scripts in another program", () => {
  test(
    "starts it only where the gate for other programs is open",
    async () => {
      const project = makeProject({ "hero.gd": "extends Node\n" });
      const settings = join(project.home, ".config/godot");
      mkdirSync(settings, { recursive: true });
      writeFileSync(join(settings, "editor_settings-4.6.tres"), SETTINGS);
      const { editor } = await editorFor(project, binaryAt(realGodot));
      const open = (externalTools: boolean) =>
        editor.request("editor.edit_script", { path: "res://hero.gd", externalTools });
      expect(await open(false)).toMatchObject({
        failure: { code: "E_PERMISSION_DENIED", details: { gate: "ALLOW_EXTERNAL_TOOLS" } },
      });
      expect(await open(true)).toMatchObject({ ok: true });
    },
    START_MS,
  );
});
