import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DriverContext } from "../src/drivers/ask.ts";
import { commitEdit } from "../src/drivers/commit/commit-edit.ts";
import type { EditOperation, ParamsOf } from "../src/operations/operations.ts";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { binaryAt, editorFor, makeProject } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer, type TestServer } from "./server-project.ts";

const FILES: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Game"
config/features=PackedStringArray("4.6")
`,
  "hero.gd": "extends Node2D\n@export var hp := 10\n",
  "gun.tscn": `[gd_scene format=3]

[node name="Gun" type="Node2D"]
position = Vector2(5, 5)
`,
  "redundant.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://gun.tscn" id="1"]

[node name="Level" type="Node2D"]

[node name="Gun" parent="." instance=ExtResource("1")]
position = Vector2(5, 5)

[node name="Edited" type="Node2D" parent="."]
`,
  "lossy.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://hero.gd" id="1"]
[ext_resource type="PackedScene" path="res://gun.tscn" id="2"]

[node name="Level" type="Node2D"]

[node name="Hero" type="Node2D" parent="."]
script = ExtResource("1")
speed_of_old = 7

[node name="Gun" parent="." instance=ExtResource("2")]
position = Vector2(8, 9)

[node name="Edited" type="Node2D" parent="."]
`,
  "zero.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://gun.tscn" id="2"]

[node name="Level" type="Node2D"]

[node name="Gun" parent="." instance=ExtResource("2")]
position = Vector2(0, 0)

[node name="Edited" type="Node2D" parent="."]
`,
  "child.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://gun.tscn" id="2"]

[node name="Level" type="Node2D"]

[node name="Gun" parent="." instance=ExtResource("2")]
position = Vector2(8, 9)

[node name="Edited" type="Node2D" parent="."]
`,
};

/** Overrides inside an instance in an instance. */
const NESTED: Readonly<Record<string, string>> = {
  "ammo.gd": "extends Node2D\n@export var ammo := 5\n",
  "armed.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://gun.tscn" id="1"]
[ext_resource type="Script" path="res://ammo.gd" id="2"]

[node name="Armed" type="Node2D"]
script = ExtResource("2")
ammo = 9

[node name="Gun" parent="." instance=ExtResource("1")]
rotation = 0.5
`,
  "nested.tscn": `[gd_scene format=3]

[ext_resource type="PackedScene" path="res://armed.tscn" id="1"]

[node name="Level" type="Node2D"]

[node name="Armed" parent="." instance=ExtResource("1")]
position = Vector2(8, 9)
ammo = 5

[node name="Gun" parent="Armed" index="0"]
position = Vector2(0, 0)
rotation = 0.0
modulate = Color(1, 0, 0, 1)

[node name="Extra" type="Node2D" parent="Armed/Gun"]

[node name="Edited" type="Node2D" parent="."]

[editable path="Armed"]
`,
};

describe.skipIf(realGodot === undefined)("edits in the open editor are read back", () => {
  let server: TestServer;
  const undo: (() => void | Promise<void>)[] = [];

  beforeAll(async () => {
    server = openTestServer({
      files: { ...FILES, ...NESTED },
      flags: { godot: realGodot ?? "" },
      later: (step) => undo.unshift(step),
    });
    await installAddon(new Project(server.root, () => 0));
    const launch = { action: "launch", headless: true, timeoutMs: 100_000 };
    expect(await server.call("godot_workspace", launch)).toMatchObject({ ok: true });
  }, 120_000);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  const set = (scene: string, value = 7) =>
    server.call("godot_inspector", {
      action: "set_property",
      scene: `res://${scene}`,
      node: "Edited",
      property: "z_index",
      value,
    });
  const step = (action: "undo" | "redo", scene: string) =>
    server.call("godot_scene", { action, scene: `res://${scene}` });
  const news = (scene: string, text = server.read(scene)) =>
    text.split("\n").filter((line) => !(FILES[scene] ?? "").split("\n").includes(line));
  const gone = (scene: string) =>
    (FILES[scene] ?? "").split("\n").filter((line) => !server.read(scene).split("\n").includes(line));

  test("a redundant override that Godot drops does not stop an edit, and is named", async () => {
    const answer = await set("redundant.tscn");
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "editor" } });
    expect(answer.warnings?.join()).toContain("position of Gun");
    expect(server.read("redundant.tscn")).toContain("z_index = 7");
  }, 60_000);

  test("what it would lose stays: the file is edited as text, and the editor shows it", async () => {
    const answer = await set("lossy.tscn");
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "files" } });
    expect(answer.warnings?.join()).toContain("speed_of_old");
    expect(news("lossy.tscn")).toEqual(["z_index = 7"]);
    expect(gone("lossy.tscn")).toEqual([]);
    const read = await server.call("godot_inspector", {
      action: "get_property",
      scene: "res://lossy.tscn",
      node: "Edited",
      property: "z_index",
    });
    expect(read).toMatchObject({ ok: true, execution: { mode: "editor" }, result: { value: 7 } });
    // It is in the journal, not in the editor's history, and undo finds it there.
    expect(await step("undo", "lossy.tscn")).toMatchObject({ ok: true, execution: { mode: "files" } });
    expect(server.read("lossy.tscn")).toBe(FILES["lossy.tscn"]);
  }, 60_000);

  test("undo and redo give back what the file held, with the properties of an instance", async () => {
    await set("child.tscn", 3);
    const three = server.read("child.tscn");
    await set("child.tscn", 4);
    const four = server.read("child.tscn");
    expect(await step("undo", "child.tscn")).toMatchObject({ ok: true, result: { saved: true } });
    expect(server.read("child.tscn")).toBe(three);
    expect(await step("redo", "child.tscn")).toMatchObject({ ok: true });
    expect(server.read("child.tscn")).toBe(four);
    expect(four).toContain("position = Vector2(8, 9)");
  }, 60_000);

  test.each(["redundant.tscn", "child.tscn", "zero.tscn", "gun.tscn"])(
    "%s is byte for byte as before after undo, and as edited after redo, as often as one likes",
    async (scene) => {
      const node = scene === "gun.tscn" ? "." : "Edited";
      server.write(scene, FILES[scene] ?? "");
      const texts = [server.read(scene)];
      for (const value of [1, 2, 1]) {
        const property = { scene: `res://${scene}`, node, property: "z_index", value };
        const edited = await server.call("godot_inspector", { action: "set_property", ...property });
        expect(edited).toMatchObject({ ok: true, execution: { mode: "editor" } });
        texts.push(server.read(scene));
      }
      for (const direction of ["undo", "redo", "undo"] as const)
        for (const step_ of [1, 2, 3]) {
          const answer = await step(direction, scene);
          expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true });
          expect(answer.warnings ?? []).toEqual([]);
          expect(server.read(scene)).toBe(texts[direction === "undo" ? 3 - step_ : step_]);
        }
      expect(await server.call("godot_workspace", { action: "save_all" })).toMatchObject({
        result: { saved: [] },
      });
    },
    60_000,
  );

  test("undo of any edit gives an instance back with all that is set inside it", async () => {
    const scene = "res://nested.tscn";
    const edits = [
      { action: "update", node: "Armed", properties: { position: [1, 1] } },
      { action: "update", node: "Armed/Gun", properties: { modulate: "blue" } },
      { action: "rename", node: "Armed", newName: "Hero" },
      { action: "duplicate", node: "Armed" },
      { action: "reparent", node: "Armed", parent: "Edited" },
      { action: "move", node: "Armed", index: 1 },
      { action: "remove", node: "Armed/Gun/Extra" },
      { action: "remove", node: "Armed" },
    ];
    for (const edit of edits) {
      const what = JSON.stringify(edit);
      const edited = await server.call("godot_scene", { ...edit, scene });
      expect(edited, what).toMatchObject({ ok: true, execution: { mode: "editor" } });
      expect(server.read("nested.tscn"), what).not.toBe(NESTED["nested.tscn"]);
      expect(await step("undo", "nested.tscn"), what).toMatchObject({ ok: true });
      expect(server.read("nested.tscn"), what).toBe(NESTED["nested.tscn"]);
    }
  }, 60_000);

  test("values of an instance stay where they differ from its scene and are the default of its class", async () => {
    expect(await set("zero.tscn", 3)).toMatchObject({ ok: true });
    const rotate = {
      action: "set_property",
      scene: "res://gun.tscn",
      node: ".",
      property: "rotation",
      value: 1,
    };
    expect(await server.call("godot_inspector", rotate)).toMatchObject({ ok: true });
    expect(await step("undo", "gun.tscn")).toMatchObject({ ok: true });
    expect(await set("zero.tscn", 4)).toMatchObject({ ok: true });
    expect(await step("undo", "zero.tscn")).toMatchObject({ ok: true });
    expect(server.read("zero.tscn")).toContain("z_index = 3");
    expect(server.read("zero.tscn")).toContain("position = Vector2(0, 0)");
  }, 60_000);

  test("save_all saves nothing where nothing is unsaved", async () => {
    await server.call("godot_workspace", { action: "open_scene", scene: "res://lossy.tscn" });
    expect(await server.call("godot_workspace", { action: "save_all" })).toMatchObject({
      result: { saved: [] },
    });
    expect(server.read("lossy.tscn")).toBe(FILES["lossy.tscn"]);
  }, 60_000);
});

describe.skipIf(realGodot === undefined)("what the editor does by itself is read back", () => {
  test("a save of a person's work names what it lost, and the journal has it; undo has its exact file", async () => {
    const { "project.godot": _, ...scenes } = FILES;
    const files = makeProject(scenes);
    const { editor } = await editorFor(files, binaryAt(realGodot));
    const project = new Project(files.folder, () => 0);
    // An edit asks the drivers for no other one.
    const context = { project, signal: new AbortController().signal } as DriverContext;
    const path = async (scene: string) => {
      const found = await project.resolve(scene);
      if (!found.ok) throw new Error(found.failure.message);
      return found.value;
    };
    const commit = async <O extends EditOperation>(operation: O, params: ParamsOf<O>, scene: string) =>
      commitEdit(context, editor, { operation, params, path: await path(scene), label: "test" });
    const read = (scene: string) => readFileSync(files.path(scene.slice("res://".length)), "utf8");

    const lossy = "res://lossy.tscn";
    const edits = [{ kind: "set", node: "Edited", properties: { z_index: 7 } }] as const;
    expect(await editor.request("scene.edit", { scene: lossy, edits, save: false })).toMatchObject({
      ok: true,
    });
    const saved = await commit("scene.save", { scene: lossy }, lossy);
    expect(saved).toMatchObject({ ok: true, value: { warnings: [expect.stringContaining("speed_of_old")] } });
    expect(await project.step("undo", {})).toMatchObject({ ok: true });
    expect(read(lossy)).toBe(FILES["lossy.tscn"]);

    const child = "res://child.tscn";
    expect(await commit("scene.edit", { scene: child, edits }, child)).toMatchObject({ ok: true });
    const seven = read(child);
    // The editor keeps what a person does in the meantime, and saves it with the next step.
    const eight = [{ kind: "set", node: "Edited", properties: { z_index: 8 } }] as const;
    expect(await commit("scene.edit", { scene: child, edits: eight }, child)).toMatchObject({ ok: true });
    const move = [{ kind: "set", node: "Gun", properties: { position: { x: 1, y: 1 } } }] as const;
    expect(await editor.request("scene.edit", { scene: child, edits: move, save: false })).toMatchObject({
      ok: true,
    });
    expect(await editor.request("scene.undo", { scene: child, save: false })).toMatchObject({ ok: true });
    expect(await commit("scene.undo", { scene: child }, child)).toMatchObject({ ok: true });
    expect(read(child)).toBe(seven);
    expect(await commit("scene.redo", { scene: child }, child)).toMatchObject({ ok: true });
    expect(read(child)).toContain("z_index = 8");
  }, 120_000);

  test("undo keeps what a person had not saved", async () => {
    const { "project.godot": _, ...scenes } = FILES;
    const files = makeProject(scenes);
    const { editor } = await editorFor(files, binaryAt(realGodot));
    const project = new Project(files.folder, () => 0);
    // An edit asks the drivers for no other one.
    const context = { project, signal: new AbortController().signal } as DriverContext;
    const read = (scene: string) => readFileSync(files.path(scene.slice("res://".length)), "utf8");
    const commit = async <O extends EditOperation>(operation: O, params: ParamsOf<O>, scene: string) => {
      const path = await project.resolve(scene);
      if (!path.ok) throw new Error(path.failure.message);
      const done = await commitEdit(context, editor, { operation, params, path: path.value, label: "test" });
      expect(done, JSON.stringify(done)).toMatchObject({ ok: true });
      return done.ok ? done.value.warnings.join() : "";
    };
    const set = (z_index: number) => [{ kind: "set", node: "Edited", properties: { z_index } }] as const;
    const move = (x: number) =>
      [{ kind: "set", node: "Gun", properties: { position: { x, y: 1 } } }] as const;

    // Before our edit, which saves it too.
    const child = "res://child.tscn";
    await editor.request("scene.edit", { scene: child, edits: move(1), save: false });
    expect(await commit("scene.edit", { scene: child, edits: set(7) }, child)).toContain("unsaved");
    await commit("scene.undo", { scene: child }, child);
    expect(read(child)).toContain("position = Vector2(1, 1)");
    expect(read(child)).not.toContain("z_index");

    // After our edit: the last step is the person's, and only that is undone.
    const redundant = "res://redundant.tscn";
    await commit("scene.edit", { scene: redundant, edits: set(7) }, redundant);
    await editor.request("scene.edit", { scene: redundant, edits: move(2), save: false });
    await editor.request("scene.edit", { scene: redundant, edits: move(3), save: false });
    const warnings = await commit("scene.undo", { scene: redundant }, redundant);
    expect(warnings).toContain("unsaved");
    expect(warnings).toContain("no copy of what it held");
    expect(read(redundant)).toContain("position = Vector2(2, 1)");
    expect(read(redundant)).toContain("z_index = 7");
  }, 120_000);
});
