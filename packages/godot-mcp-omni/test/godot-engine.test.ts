import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadClassTable } from "../src/godot/class-table.ts";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { sampleFiles } from "./godot-sample.ts";
import { realGodot } from "./real-godot.ts";

const LEVEL = "res://level.tscn";
/** As the level, and changed by no test. */
const QUIET = "res://quiet.tscn";

const SCRIPTS = {
  "state.gd": "extends Node\n\nvar score := 0\n",
  "uses_state.gd": "extends Node\n\nfunc add() -> void:\n\tState.score += 1\n",
  "typo.gd": 'extends Node\n\nfunc go() -> void:\n\tvar number: int = "text"\n\tnowhere()\n',
  "heir_of_typo.gd": 'extends "res://typo.gd"\n',
  "stubborn.gd": "@tool\nextends Node\n\n@export var fixed := 1:\n\tset(_value):\n\t\tpass\n",
};

describe.skipIf(!realGodot)("the warm engine", () => {
  let project: TestProject;
  let engine: RawGodotDriver;
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);
  const edit = (...edits: SceneEdit[]) => engine.request("scene.edit", { scene: LEVEL, edits });
  const saved = (file = "level.tscn") => readFileSync(project.path(file), "utf8");

  beforeAll(async () => {
    const quiet = { "quiet.tscn": (sampleFiles["level.tscn"] ?? "").replace("level00000b1", "quiet00000b1") };
    project = makeProject({ ...sampleFiles, ...SCRIPTS, ...quiet }, later);
    project.write(
      "project.godot",
      `${readFileSync(project.path("project.godot"), "utf8")}\n[autoload]\n\nState="*res://state.gd"\n`,
    );
    engine = engineFor(project, binaryAt(realGodot), later);
    expect(await engine.request("scene.save", { scene: LEVEL })).toMatchObject({ ok: true });
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  describe("properties", () => {
    test.each([
      ["an unknown name", { positon: 1 }, { nearest: ["position"] }, /no property "positon"/],
      ["a wrong type", { position: "left" }, { expected: "Vector2" }, /Vector2 is expected as \{x:/],
      ["a member too few", { position: { x: 1 } }, { expected: "Vector2" }, /Vector2 is expected/],
      ["a fraction for a whole number", { z_index: 1.5 }, { expected: "int" }, /int is expected/],
      ["text for a number", { rotation: "1" }, { expected: "float" }, /float is expected/],
      ["an unknown choice", { process_mode: "Sometimes" }, { nearest: [] }, /no choice "Sometimes"/],
      ["a resource of another class", { material: { resource: "Gradient" } }, { given: "Gradient" }, /not a/],
      [
        "what is set by another edit",
        { script: "res://hero.gd" },
        { readOnly: true },
        /set by attach_script/,
      ],
    ])("refuse %s and change nothing", async (_, properties, details, message) => {
      const before = saved();
      const answer = await edit({ kind: "set", node: "Hero", properties });
      expect(answer).toMatchObject({
        ok: false,
        failure: { code: "E_SCHEMA_VALIDATION", details, message: expect.stringMatching(message) },
      });
      expect(saved()).toBe(before);
    });

    test("a property whose setter keeps the old value is reported as not set", async () => {
      const answer = await edit(
        { kind: "add", type: "Node", script: "res://stubborn.gd", as: "node" },
        { kind: "set", node: "$node", properties: { fixed: 5 } },
      );
      expect(answer).toMatchObject({
        ok: false,
        failure: { code: "E_SCHEMA_VALIDATION", details: { current: 1 } },
      });
    });

    test("a number that loses its upper bits is reported as not set", async () => {
      const answer = await edit(
        { kind: "add", type: "StaticBody2D", as: "body" },
        { kind: "set", node: "$body", properties: { collision_layer: 4294967296 } },
      );
      expect(answer).toMatchObject({
        ok: false,
        failure: { code: "E_SCHEMA_VALIDATION", details: { current: 1 } },
      });
    });

    test("answers say the old and the new value, and integers stay integers", async () => {
      const answer = await edit({
        kind: "set",
        node: "Hero",
        properties: { speed: 7, jump: 3, loot: { gold: 3, rate: 0.5 }, modulate: "#ff8000", mood: "Angry" },
      });
      expect(answer).toMatchObject({
        ok: true,
        value: {
          changes: [
            {
              properties: [
                { name: "speed", type: "int", old: 90, new: 7 },
                { name: "jump", type: "float", old: 2.5, new: 3 },
                { name: "loot", old: {}, new: { gold: 3, rate: 0.5 } },
                { name: "modulate", type: "Color", new: { r: 1, g: 0.5019608, b: 0, a: 1 } },
                { name: "mood", old: 0, new: 1 },
              ],
            },
          ],
        },
      });
      expect(saved()).toContain('loot = {\n"gold": 3,\n"rate": 0.5\n}');
      expect(saved()).toContain("speed = 7\njump = 3.0\nmood = 1\n");
    });
  });

  test("text is stored unchanged", async () => {
    const text = '\u0001\u000b\u001b \\v \\\u000b "quoted" \n\t ünïcödé 🎮 $1';
    expect(
      await edit({ kind: "set", node: "UI/Box/Start", properties: { tooltip_text: text } }),
    ).toMatchObject({
      value: { changes: [{ properties: [{ new: text }] }] },
    });
  });

  test("a batch is all or nothing, and says which edit failed", async () => {
    const before = saved();
    const answer = await edit(
      { kind: "add", type: "Node2D", name: "First", as: "first" },
      { kind: "reparent", node: "Hero", parent: "$first" },
      { kind: "remove", node: "Nobody" },
    );
    expect(answer).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND", details: { edit: 2 } } });
    expect(saved()).toBe(before);
    expect(await engine.request("scene.find", { scene: LEVEL, name: "First" })).toMatchObject({
      value: { total: 0 },
    });
  });

  test.each([
    ["the root is not removed", { kind: "remove", node: "." }, "E_UNSUPPORTED"],
    ["a node of an instance is not removed", { kind: "remove", node: "Coin/Sprite" }, "E_UNSUPPORTED"],
    [
      "a closed instance is not changed",
      { kind: "set", node: "Coin/Sprite", properties: { flip_h: true } },
      "E_UNSUPPORTED",
    ],
    [
      "a node does not go into itself",
      { kind: "reparent", node: "Hero", parent: "Hero/Arm" },
      "E_SCHEMA_VALIDATION",
    ],
    [
      "a scene does not hold itself",
      { kind: "instance", source: "res://hard_level.tscn" },
      "E_SCHEMA_VALIDATION",
    ],
    [
      "a taken name is not given twice",
      { kind: "rename", node: "Hero", name: "Items" },
      "E_SCHEMA_VALIDATION",
    ],
    ["a name with a slash is no name", { kind: "add", type: "Node", name: "a/b" }, "E_SCHEMA_VALIDATION"],
    ["a group has a name", { kind: "add", type: "Node", groups: [""] }, "E_SCHEMA_VALIDATION"],
    [
      "a group of the engine's own is not joined",
      { kind: "add", type: "Node", groups: ["_own"] },
      "E_SCHEMA_VALIDATION",
    ],
    ["an abstract class makes no node", { kind: "add", type: "CanvasItem" }, "E_SCHEMA_VALIDATION"],
    ["a resource is no node", { kind: "add", type: "Texture2D" }, "E_SCHEMA_VALIDATION"],
    ["an unknown class is near a known one", { kind: "add", type: "Sprit2D" }, "E_NOT_FOUND"],
    ["a path out of the scene is refused", { kind: "remove", node: "../Level" }, "E_SCHEMA_VALIDATION"],
    [
      "an unknown signal is not connected",
      { kind: "connect", node: "Hero", signal: "hurted", to: ".", method: "free" },
      "E_NOT_FOUND",
    ],
    [
      "an unknown method is not connected",
      { kind: "connect", node: "Hero", signal: "hurt", to: "Hero", method: "on_hitt" },
      "E_NOT_FOUND",
    ],
    [
      "a script of another base does not fit",
      { kind: "script", node: "UI", script: "res://hero.gd" },
      "E_SCHEMA_VALIDATION",
    ],
    ["a missing file is not found", { kind: "instance", source: "res://none.tscn" }, "E_NOT_FOUND"],
  ] as const)("%s", async (_, refused, code) => {
    const before = saved();
    expect(await edit(refused)).toMatchObject({ ok: false, failure: { code } });
    expect(saved()).toBe(before);
  });

  test("an existing scene is overwritten only when asked", async () => {
    const before = saved("coin.tscn");
    expect(await engine.request("scene.create", { scene: "res://coin.tscn" })).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED" },
    });
    expect(saved("coin.tscn")).toBe(before);
    expect(
      await engine.request("scene.create", { scene: "res://new/one.tscn", rootType: "Hero" }),
    ).toMatchObject({
      value: { root: { name: "One", type: "Hero", script: "res://hero.gd" }, overwritten: false },
    });
  });

  test("an inherited scene is made and keeps its base through an edit", async () => {
    const scene = "res://harder.tscn";
    await engine.request("scene.create", { scene, inherits: LEVEL, rootName: "Harder" });
    await engine.request("scene.edit", { scene, edits: [{ kind: "add", type: "Node", name: "More" }] });
    expect(saved("harder.tscn")).toMatch(/\[node name="Harder"[^\n]*instance=ExtResource/);
    expect(saved("harder.tscn").match(/\[node /g)).toHaveLength(2);
    expect(await engine.request("scene.tree", { scene })).toMatchObject({ value: { inherits: LEVEL } });
  });

  test("what was changed on disk by others is seen, in a scene and in what it is made of", async () => {
    const scene = "res://hard_level.tscn";
    await engine.request("scene.tree", { scene });
    project.write("coin.tscn", saved("coin.tscn").replace("Vector2(0, -4)", "Vector2(0, -8)"));
    project.write("level.tscn", saved().replace('name="Items"', 'name="Things"'));
    expect(await engine.request("scene.find", { scene, name: "Things" })).toMatchObject({
      value: { total: 1 },
    });
    expect(await engine.request("inspect", { scene, node: "Coin/Sprite" })).toMatchObject({
      value: { properties: { position: { x: 0, y: -8 } } },
    });
    await engine.request("scene.edit", { scene, edits: [{ kind: "rename", node: "Boss", name: "Chief" }] });
    expect(saved("hard_level.tscn")).not.toContain("Sprite");
    expect(saved("hard_level.tscn")).toContain('name="Chief"');
  });

  test("the root keeps its name, however often others change the file", async () => {
    const edits: SceneEdit[] = [{ kind: "group", node: ".", group: "seen", member: true }];
    project.write("lone.tscn", '[gd_scene format=3]\n\n[node name="Lone" type="Node"]\n');
    for (const name of ["A", "B", "C"]) {
      expect(await engine.request("scene.edit", { scene: "res://lone.tscn", edits })).toMatchObject({
        ok: true,
      });
      expect(saved("lone.tscn")).toContain('[node name="Lone"');
      project.write("lone.tscn", `${saved("lone.tscn")}\n[node name="${name}" type="Node" parent="."]\n`);
    }
    expect(await engine.request("scene.tree", { scene: "res://lone.tscn" })).toMatchObject({
      value: { root: { name: "Lone", children: [{ name: "A" }, { name: "B" }, { name: "C" }] } },
    });
  });

  test("scripts of the project never run, but their values are kept", async () => {
    await edit({ kind: "duplicate", node: "Hero", name: "Double" });
    expect(saved().match(/script = ExtResource\("1_hero"\)\nspeed = /g)).toHaveLength(2);
  });

  test("nodes are found by group, class and class_name", async () => {
    const find = (params: object) => engine.request("scene.find", { scene: QUIET, ...params });
    expect(await find({ group: "actors" })).toMatchObject({ value: { total: 1, nodes: [{ node: "Hero" }] } });
    expect(await find({ type: "Hero" })).toMatchObject({ value: { total: 1, nodes: [{ node: "Hero" }] } });
    expect(await find({ type: "CollisionObject2D" })).toMatchObject({ value: { total: 2 } });
    expect(await find({ nameContains: "a", limit: 1 })).toMatchObject({
      value: { total: 3, nodes: [{ node: "Hero/Arm" }] },
    });
  });

  test("an inspection is small and says only what differs", async () => {
    const answer = await engine.request("inspect", { scene: QUIET, node: "Hero" });
    expect(JSON.stringify(answer).length).toBeLessThan(4096);
    expect(answer).toEqual({
      ok: true,
      value: {
        scene: QUIET,
        node: "Hero",
        type: "Hero",
        script: "res://hero.gd",
        groups: ["actors"],
        properties: { position: { x: 10, y: 20 }, speed: 90 },
        defaults: expect.any(Number),
      },
    });
    expect(
      await engine.request("inspect", { scene: QUIET, node: "Hero", fields: ["visible"] }),
    ).toMatchObject({
      value: { properties: { visible: true } },
    });
  });

  test("a file that a person saves right before the request is sent is not replaced", async () => {
    const theirs = '[gd_resource type="SphereShape3D" format=3]\n\n[resource]\n';
    const made = await engine.prepare("resource.create", { path: "res://late.tres", type: "BoxShape3D" });
    if (!made.ok || made.value.kind !== "requested") throw new Error("An engine is sent a request.");
    expect(
      await made.value.send(new AbortController().signal, async () => project.write("late.tres", theirs)),
    ).toMatchObject({ failure: { code: "E_PERMISSION_DENIED" } });
    expect(saved("late.tres")).toBe(theirs);
  });

  test("settings keep their types, the input map reaches the file", async () => {
    expect(
      await engine.request("settings.set", { settings: { "display/window/size/viewport_width": 800 } }),
    ).toMatchObject({ value: { changed: [{ type: "int", new: 800 }] } });
    expect(
      await engine.request("input_map.set", {
        actions: [
          {
            name: "jump",
            events: [
              { type: "key", key: "Space" },
              { type: "joy_axis", axis: 1, value: -1 },
            ],
          },
        ],
      }),
    ).toMatchObject({ ok: true });
    const text = saved("project.godot");
    expect(text).toContain("window/size/viewport_width=800\n");
    expect(text).toContain('"physical_keycode":32');
    expect(text).toContain("InputEventJoypadMotion");
    expect(
      await engine.request("settings.set", { settings: { "display/window/size/viewport_widht": 1 } }),
    ).toMatchObject({
      failure: {
        code: "E_SCHEMA_VALIDATION",
        details: { nearest: expect.arrayContaining(["display/window/size/viewport_width"]) },
      },
    });
    expect(
      await engine.request("settings.set", { settings: { "display/window/size/viewport_width": "wide" } }),
    ).toMatchObject({ failure: { code: "E_SCHEMA_VALIDATION", details: { expected: "int" } } });
  });

  test("all scripts are checked at once, with file and line; autoloads are known", async () => {
    const answer = await engine.request("diagnostics", {});
    expect(answer).toMatchObject({ ok: true, value: { scripts: expect.any(Number) } });
    const problems = answer.ok ? answer.value.problems : [];
    expect(problems).toContainEqual({
      path: "res://typo.gd",
      line: 5,
      severity: "error",
      message: 'Function "nowhere()" not found in base self.',
    });
    expect(problems.filter(({ path }) => !path.includes("typo"))).toEqual([]);
  });

  test("resources are made, changed and never overwritten unasked", async () => {
    const path = "res://box.tres";
    const made = { path, type: "StyleBoxFlat", properties: { bg_color: { r: 1, g: 0, b: 0, a: 1 } } };
    expect(await engine.request("resource.create", made)).toMatchObject({ value: { overwritten: false } });
    expect(await engine.request("resource.create", made)).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED" },
    });
    expect(
      await engine.request("resource.edit", { path, properties: { border_width_left: 3 } }),
    ).toMatchObject({
      value: { changed: [{ old: 0, new: 3 }] },
    });
    expect(saved("box.tres")).toContain("border_width_left = 3");
    const uid = await engine.request("uid", { path });
    expect(uid).toMatchObject({ value: { uid: expect.stringMatching(/^uid:\/\//) } });
    if (uid.ok && uid.value.uid)
      expect(await engine.request("uid", { uid: uid.value.uid })).toMatchObject({ value: { path } });
  });

  test("paths stay inside the project", async () => {
    for (const scene of ["res://../out.tscn", "res://a/../../out.tscn", "res://.godot/x.tscn"])
      expect(await engine.request("scene.create", { scene })).toMatchObject({
        failure: { code: "E_PERMISSION_DENIED" },
      });
    for (const scene of ["/etc/x.tscn", "user://x.tscn", "x.tscn"])
      expect(await engine.request("scene.create", { scene })).toMatchObject({
        failure: { code: "E_SCHEMA_VALIDATION" },
      });
    expect(await edit({ kind: "instance", source: "res://../out.tscn" })).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED" },
    });
    expect(
      await edit({ kind: "set", node: "Hero/Arm/Hand", properties: { texture: "res://../out.png" } }),
    ).toMatchObject({ failure: { code: "E_PERMISSION_DENIED" } });
  });

  test("a value that a RESET animation takes back when the scene is saved is not called saved", async () => {
    const scene = "res://reset.tscn";
    await engine.request("scene.create", { scene });
    const position = (x: number) => ({ position: { x, y: 1 } });
    const answer = await engine.request("scene.edit", {
      scene,
      edits: [
        { kind: "add", type: "Node2D", name: "Box" },
        { kind: "add", type: "AnimationPlayer", as: "player" },
        {
          kind: "animation",
          player: "$player",
          animation: "RESET",
          node: "Box",
          property: "position",
          keys: [{ time: 0, value: position(3).position }],
        },
        { kind: "set", node: "Box", properties: position(9) },
      ],
    });
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && answer.value.changes[3]).toMatchObject({ notSaved: ["position"] });
    expect(saved("reset.tscn")).toContain("position = Vector2(3, 1)");
  });

  test("what a RESET animation does not touch is called saved, inside resources too", async () => {
    const scene = "res://reset_shader.tscn";
    project.write("glow.gdshader", "shader_type canvas_item;\nuniform float strength = 0.5;\n");
    await engine.request("scene.create", { scene });
    const shader = { path: "res://glow.gdshader" };
    const answer = await engine.request("scene.edit", {
      scene,
      edits: [
        { kind: "add", type: "Sprite2D", name: "Box", as: "box" },
        { kind: "add", type: "AnimationPlayer", as: "player" },
        {
          kind: "animation",
          player: "$player",
          animation: "RESET",
          node: "Box",
          property: "position",
          keys: [{ time: 0, value: { x: 0, y: 0 } }],
        },
        {
          kind: "set",
          node: "$box",
          properties: { material: { resource: "ShaderMaterial", properties: { shader } } },
        },
        { kind: "set", node: "$box", properties: { "material:shader_parameter/strength": 0.25 } },
        { kind: "set", node: "$box", properties: { position: { x: 3, y: 4 } } },
      ],
    });
    expect(answer).toMatchObject({ ok: true });
    const changes = answer.ok ? answer.value.changes : [];
    expect(saved("reset_shader.tscn")).toContain("shader_parameter/strength = 0.25");
    expect(changes[4]).not.toHaveProperty("notSaved");
    // The default of the class is not written, so the file says nothing about it.
    expect(saved("reset_shader.tscn")).not.toContain("position =");
    expect(changes[5]).toMatchObject({ notSaved: ["position"] });
  });

  test("every class of node can be added", async () => {
    const scene = "res://zoo.tscn";
    await engine.request("scene.create", { scene, rootType: "Node" });
    const { names, canMake, inherits } = await loadClassTable();
    const listed = names.filter((name) => canMake(name) && inherits(name, "Node"));
    expect(listed.length).toBeGreaterThan(200);
    const edits = listed.map((type): SceneEdit => ({ kind: "add", type }));
    expect(await engine.request("scene.edit", { scene, edits })).toMatchObject({ ok: true });
    expect(saved("zoo.tscn").match(/\[node /g)).toHaveLength(listed.length + 1);
  });
});
