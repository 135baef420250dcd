import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, editorFor, engineFor, makeProject, START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME } from "./server-project.ts";

const FILES = { "main.tscn": GAME["main.tscn"] ?? "", "enemy.tscn": GAME["enemy.tscn"] ?? "" };
const MAIN = "res://main.tscn";
const ENEMY = "res://enemy.tscn";

describe.skipIf(!realGodot)("a scene and one it is made of, edited in turn", () => {
  const add = (driver: RawGodotDriver, scene: string, name: string) => {
    const edits: SceneEdit[] = [{ kind: "add", type: "Node2D", name }];
    return driver.request("scene.edit", { scene, edits });
  };

  const editInTurn = async (driver: RawGodotDriver, read: (file: string) => string) => {
    const names = ["One", "Two", "Three", "Four"];
    for (const name of names)
      for (const scene of [MAIN, ENEMY]) expect(await add(driver, scene, name)).toMatchObject({ ok: true });
    for (const name of names) {
      expect(read("main.tscn")).toContain(`[node name="${name}" type="Node2D" parent="."`);
      expect(read("enemy.tscn")).toContain(`[node name="${name}" type="Node2D" parent="."`);
    }
    expect(read("main.tscn")).toContain('signal="tree_exited" from="Player" to="." method="queue_free"');
    expect(read("main.tscn").match(/\[node /g)).toHaveLength(5 + names.length);
    // The one in front shows what the other has become.
    expect(await driver.request("inspect", { scene: MAIN, node: "Enemy/Four" })).toMatchObject({
      ok: true,
    });
  };

  test(
    "stay whole in an editor, whichever program wrote the part",
    async () => {
      const project = makeProject(FILES);
      const { editor } = await editorFor(project, binaryAt(realGodot));
      const read = (file: string) => readFileSync(project.path(file), "utf8");
      await editInTurn(editor, read);

      writeFileSync(project.path("enemy.tscn"), read("enemy.tscn").replace('name="Four"', 'name="Fourth"'));
      expect(await editor.request("inspect", { scene: MAIN, node: "Enemy/Fourth" })).toMatchObject({
        ok: true,
      });
      await editor.request("editor.open_scene", { scene: ENEMY });
      writeFileSync(project.path("main.tscn"), read("main.tscn").replace('name="Four"', 'name="Fourth"'));
      writeFileSync(project.path("enemy.tscn"), read("enemy.tscn").replace('name="Three"', 'name="Third"'));
      expect(await add(editor, MAIN, "Five")).toMatchObject({ ok: true });
      expect(await editor.request("inspect", { scene: MAIN, node: "Enemy/Third" })).toMatchObject({
        ok: true,
      });
      expect(read("main.tscn")).toContain('name="Fourth"');
      expect(await add(editor, ENEMY, "Five")).toMatchObject({ ok: true });
      expect(read("enemy.tscn")).toContain('name="Third"');
      expect(await editor.request("editor.state", {})).toMatchObject({ ok: true });
    },
    START_MS,
  );

  test(
    "stay whole in the engine",
    async () => {
      const project = makeProject(FILES);
      const engine = engineFor(project, binaryAt(realGodot));
      await editInTurn(engine, (file) => readFileSync(project.path(file), "utf8"));
    },
    START_MS,
  );
});
