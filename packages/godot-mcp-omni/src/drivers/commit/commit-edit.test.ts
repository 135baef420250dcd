import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "@toolpact/outcome";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { errors } from "../../errors.ts";
import type { Driver } from "../../operations/driver.ts";
import type { EditOperation, ParamsOf } from "../../operations/operations.ts";
import { Project } from "../../project/project.ts";
import { FilesDriver } from "../files/files-driver.ts";
import { type CommitContext, commitEdit } from "./commit-edit.ts";
import { commitFiles } from "./commit-files.ts";

const SCENE = `[gd_scene format=3]

[node name="Main" type="Node2D"]

[node name="Keep" type="Node2D" parent="."]
`;
const ADDED = '\n[node name="New" type="Node2D" parent="."]\n';
const WITHOUT_KEEP = SCENE.replace('\n[node name="Keep" type="Node2D" parent="."]\n', "");
const ADD_NEW = {
  operation: "scene.edit",
  params: { scene: "res://main.tscn", edits: [{ kind: "add", type: "Node2D", name: "New" }] },
} as const;
const NEW_ADDED = {
  scene: "res://main.tscn",
  changes: [{ kind: "add", node: "New", type: "Node2D" }],
  saved: true,
};

describe("a scene that Godot saved with changes nobody asked for", () => {
  test("is restored, and a freshly started engine tries once more", async () => {
    const { commit, saved, forgotten } = stage("engine", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED },
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining("Keep")] } },
    });
    expect(forgotten()).toBe(1);
    expect(saved("main.tscn")).toBe(SCENE);
  });

  test("is saved with a warning if the freshly started engine does the edit right", async () => {
    const { commit, saved } = stage("engine", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED },
      { saves: SCENE + ADDED, answers: NEW_ADDED },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({
      ok: true,
      value: { difference: { added: ["New"] }, warnings: [expect.stringContaining("started anew")] },
    });
    expect(saved("main.tscn")).toBe(SCENE + ADDED);
  });

  test("is undone in the editor's history", async () => {
    const { commit, saved, asked } = stage("editor", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED, undone: SCENE },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({ failure: { code: "E_INTERNAL" } });
    expect(asked).toEqual(["scene.edit", "undo"]);
    expect(saved("main.tscn")).toBe(SCENE);
  });

  test("has its exact bytes restored if the editor's undo writes different ones", async () => {
    const { commit, saved, asked } = stage("editor", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED, undone: WITHOUT_KEEP },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({ failure: { code: "E_INTERNAL" } });
    expect(asked).toEqual(["scene.edit", "undo", "reload"]);
    expect(saved("main.tscn")).toBe(SCENE);
  });

  test("has the exact content of the undone step if the undo of the editor would lose something", async () => {
    const { commit, saved, asked } = stage(
      "editor",
      [{ saves: WITHOUT_KEEP, answers: { scene: "res://main.tscn", step: "add" }, expected: SCENE }],
      { "main.tscn": SCENE + ADDED },
    );
    const undo = { operation: "scene.undo", params: { scene: "res://main.tscn" } } as const;
    expect(await commit("main.tscn", undo)).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringContaining("Keep")] },
    });
    expect(asked).toEqual(["scene.undo", "reload"]);
    expect(saved("main.tscn")).toBe(SCENE);
  });

  test("is restored if Godot dies while saving", async () => {
    const { commit, saved } = stage("engine", [{ saves: WITHOUT_KEEP, dies: true }]);
    const died = await commit("main.tscn", ADD_NEW);
    expect(died).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
    expect(saved("main.tscn")).toBe(SCENE);
    // Somebody else may have written it, so it is kept.
    const replaced = died.ok ? undefined : died.failure.details?.replaced;
    expect(readFileSync(String(replaced), "utf8")).toBe(WITHOUT_KEEP);
  });

  test("is reported and left to the editor if the editor cannot undo it", async () => {
    const { commit, saved, asked } = stage("editor", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED, cannotUndo: true },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({
      failure: {
        code: "E_INTERNAL",
        message: expect.stringContaining("could not undo"),
        details: { restored: false },
      },
    });
    expect(asked).toEqual(["scene.edit", "undo"]);
    expect(saved("main.tscn")).toBe(WITHOUT_KEEP + ADDED);
  });

  test("is reported if the old content cannot be written back", async () => {
    const { commit, project, forgotten } = stage("engine", [
      { saves: WITHOUT_KEEP + ADDED, answers: NEW_ADDED },
    ]);
    const full = async () => {
      throw Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
    };
    vi.spyOn(project.journal, "begin").mockResolvedValue({ id: 1, close: full, drop: full, rollBack: full });
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({
      failure: { message: expect.stringContaining("could not be restored (ENOSPC)") },
    });
    expect(forgotten()).toBe(0);
  });
});

describe("a file that a person saves", () => {
  const THEIRS = SCENE.replaceAll("Keep", "Theirs");

  test("while the engine starts is edited as saved, not as it was before", async () => {
    const { commit, saved } = stage("engine", [
      { duringStart: THEIRS, saves: THEIRS + ADDED, answers: NEW_ADDED },
    ]);
    expect(await commit("main.tscn", ADD_NEW)).toMatchObject({ ok: true });
    expect(saved("main.tscn")).toBe(THEIRS + ADDED);
  });

  test.each([
    ["while the engine starts", { duringStart: THEIRS, saves: THEIRS }],
    ["after the request was sent", { saves: THEIRS }],
  ])("%s stays when Godot refuses the edit, and adds no step to the history", async (_, deed) => {
    const { commit, saved, project } = stage("engine", [{ ...deed, refuses: true }]);
    const create = { operation: "scene.create", params: { scene: "res://level.tscn" } } as const;
    expect(await commit("level.tscn", create)).toMatchObject({ failure: { code: "E_PERMISSION_DENIED" } });
    expect(saved("level.tscn")).toBe(THEIRS);
    expect(await project.journal.entries()).toEqual([]);
  });
});

test("an edit of a folder is rejected", async () => {
  const { commit, project } = stage("engine", []);
  mkdirSync(join(project.root, "folder.tscn"));
  const params = { ...ADD_NEW.params, scene: "res://folder.tscn" };
  expect(await commit("folder.tscn", { ...ADD_NEW, params })).toMatchObject({
    failure: { code: "E_SCHEMA_VALIDATION" },
  });
});

test("a shader parameter that Godot writes as null does not count as a change", async () => {
  const material = '[sub_resource type="ShaderMaterial" id="1"]\n\n';
  const scene = SCENE.replace("[node", `${material}[node`).replace(
    'parent="."]\n',
    'parent="."]\nmaterial = SubResource("1")\n',
  );
  const saves = scene.replace('id="1"]\n', 'id="1"]\nshader_parameter/tint = null\n') + ADDED;
  const { commit, saved } = stage("engine", [{ saves, answers: NEW_ADDED }], { "main.tscn": scene });
  expect(await commit("main.tscn", ADD_NEW)).toMatchObject({ ok: true });
  expect(saved("main.tscn")).toBe(saves);
});

describe("a new scene", () => {
  const create = {
    operation: "scene.create",
    params: { scene: "res://level.tscn", rootName: "Level", rootType: "Node3D" },
  } as const;
  const answers = {
    scene: "res://level.tscn",
    root: { name: "Level", type: "Node3D" },
    overwritten: false,
  };
  const LEVEL = '[gd_scene format=3]\n\n[node name="Level" type="Node3D"]\n';

  test.each(["engine", "editor"] as const)("is created by the %s, and one undo removes it", async (mode) => {
    const { commit, saved, project } = stage(mode, [{ saves: LEVEL, answers }]);
    expect(await commit("level.tscn", create)).toMatchObject({ ok: true, value: { driver: { mode } } });
    expect(saved("level.tscn")).toBe(LEVEL);
    await project.step("undo", {});
    expect(saved("level.tscn")).toBeUndefined();
  });

  test.each([
    ["has a root of another class", LEVEL.replace("Node3D", "Node2D"), "Node2D"],
    ["has a root of another name", LEVEL.replace("Level", "Other"), "Other"],
    ["has more nodes than its root", `${LEVEL}${ADDED}`, "New is new"],
    ["cannot be read", "[node", "cannot be read"],
    ["is not there", undefined, "not there"],
  ])("that %s is taken away again", async (_, saves, why) => {
    const deed = { saves, answers };
    const { commit, saved } = stage("engine", [deed, deed]);
    expect(await commit("level.tscn", create)).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining(why)] } },
    });
    expect(saved("level.tscn")).toBeUndefined();
  });

  test("that came out wrong restores the scene it replaced", async () => {
    const deed = { saves: SCENE, answers };
    const { commit, saved } = stage("engine", [deed, deed], { "level.tscn": WITHOUT_KEEP });
    const replace = { ...create, params: { ...create.params, overwrite: true } };
    expect(await commit("level.tscn", replace)).toMatchObject({ failure: { code: "E_INTERNAL" } });
    expect(saved("level.tscn")).toBe(WITHOUT_KEEP);
  });
});

describe("a resource", () => {
  const BOX = '[gd_resource type="BoxShape3D" format=3]\n\n[resource]\nsize = Vector3(1, 2, 3)\n';
  const create = {
    operation: "resource.create",
    params: { path: "res://box.tres", type: "BoxShape3D", properties: { size: { x: 1, y: 2, z: 3 } } },
  } as const;
  const size = { name: "size", type: "Vector3", old: null, new: { x: 1, y: 2, z: 3 } };
  const created = { path: "res://box.tres", type: "BoxShape3D", overwritten: false, changed: [size] };

  test("is created, and one undo removes it", async () => {
    const { commit, saved, project } = stage("engine", [{ saves: BOX, answers: created }]);
    expect(await commit("box.tres", create)).toMatchObject({ ok: true });
    expect(saved("box.tres")).toBe(BOX);
    await project.step("undo", {});
    expect(saved("box.tres")).toBeUndefined();
  });

  test.each([
    ["holds another value", BOX.replace("2", "9"), "size"],
    ["holds the default", BOX.replace(/size.*\n/, ""), "size"],
    ["is of another class", BOX.replace("BoxShape3D", "SphereShape3D"), "SphereShape3D"],
    ["is not there", undefined, "not there"],
  ])("that %s is taken away again", async (_, saves, why) => {
    const deed = { saves, answers: created };
    const { commit, saved } = stage("engine", [deed, deed]);
    expect(await commit("box.tres", create)).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining(why)] } },
    });
    expect(saved("box.tres")).toBeUndefined();
  });

  test("that lost a file it should refer to is removed again", async () => {
    const FRAMES = `[gd_resource type="SpriteFrames" format=3]

[resource]
animations = [{"frames": [{"duration": 1.0, "texture": null}], "loop": true, "name": &"default", "speed": 5.0}]
`;
    const animations = [{ name: "default", frames: [{ texture: "res://icon.webp", duration: 1 }] }];
    const lost = [{ name: "default", frames: [{ texture: null, duration: 1 }] }];
    const deed = {
      saves: FRAMES,
      answers: {
        ...created,
        type: "SpriteFrames",
        changed: [{ name: "animations", type: "Array", old: null, new: lost }],
      },
    };
    const { commit, saved } = stage("engine", [deed, deed]);
    const params = { path: "res://frames.tres", type: "SpriteFrames", properties: { animations } };
    expect(await commit("frames.tres", { operation: "resource.create", params })).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining("animations")] } },
    });
    expect(saved("frames.tres")).toBeUndefined();
  });

  const MATERIAL =
    '[gd_resource type="StandardMaterial3D" format=3]\n\n[resource]\nmetallic = 0.5\nroughness = 0.25\n';
  const edit = {
    operation: "resource.edit",
    params: { path: "res://steel.tres", properties: { metallic: 1 } },
  } as const;
  const edited = {
    path: "res://steel.tres",
    changed: [{ name: "metallic", type: "float", old: 0.5, new: 1 }],
  };

  test("keeps its other values when it is edited", async () => {
    const saves = MATERIAL.replace("0.5", "1.0");
    const { commit, saved } = stage("engine", [{ saves, answers: edited }], { "steel.tres": MATERIAL });
    expect(await commit("steel.tres", edit)).toMatchObject({ ok: true });
    expect(saved("steel.tres")).toBe(saves);
  });

  test("that the editor saved differently is reported, and undo restores it", async () => {
    const saves = MATERIAL.replace("0.5", "1.0").replace("0.25", "0.75");
    const files = { "steel.tres": MATERIAL };
    const { commit, saved, project } = stage("editor", [{ saves, answers: edited }], files);
    expect(await commit("steel.tres", edit)).toMatchObject({
      failure: {
        code: "E_INTERNAL",
        message: expect.stringContaining("memory"),
        details: { restored: false },
      },
    });
    expect(saved("steel.tres")).toBe(saves);
    await project.step("undo", {});
    expect(saved("steel.tres")).toBe(MATERIAL);
  });

  test.each([
    ["lost another value", MATERIAL.replace("0.5", "1.0").replace(/roughness.*\n/, ""), "roughness is gone"],
    ["changed another value", MATERIAL.replace("0.5", "1.0").replace("0.25", "0.75"), "roughness was"],
    ["did not take the value", MATERIAL, "metallic"],
    ["is gone", undefined, "not there"],
  ])("that %s is put back", async (_, saves, why) => {
    const deed = { saves, answers: edited };
    const { commit, saved } = stage("engine", [deed, deed], { "steel.tres": MATERIAL });
    expect(await commit("steel.tres", edit)).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining(why)] } },
    });
    expect(saved("steel.tres")).toBe(MATERIAL);
  });
});

describe("project settings", () => {
  const FILE = 'config_version=5\n\n[application]\n\nconfig/name="Game"\nrun/main_scene="res://main.tscn"\n';
  const edit = {
    operation: "settings.set",
    params: { settings: { "application/config/name": "Other" } },
  } as const;
  const name = { name: "application/config/name", type: "String", old: "Game", new: "Other" };

  test("that the engine dropped are restored", async () => {
    const saves = FILE.replace("Game", "Other").replace(/run.*\n/, "");
    const deed = { saves, answers: { changed: [name] } };
    const { commit, saved } = stage("engine", [deed, deed], { "project.godot": FILE });
    expect(await commit("project.godot", edit)).toMatchObject({
      failure: { details: { surprises: ["application/run/main_scene is gone"] } },
    });
    expect(saved("project.godot")).toBe(FILE);
  });

  test("that the open editor dropped are reported", async () => {
    const saves = FILE.replace("Game", "Other").replace(/run.*\n/, "");
    const { commit } = stage("editor", [{ saves, answers: { changed: [name] } }], { "project.godot": FILE });
    expect(await commit("project.godot", edit)).toMatchObject({
      ok: true,
      value: { warnings: ["The editor left out application/run/main_scene."] },
    });
  });
});

describe("files that the server writes itself", () => {
  test("are all restored if another program changed one of them", async () => {
    const { project, saved } = stage("engine", [], { "a.txt": "a", "b.txt": "b" });
    const [a, b] = [await project.resolve("a.txt"), await project.resolve("b.txt")];
    if (!a.ok || !b.ok) throw new Error("Both lie in the project.");
    expect(
      await commitFiles(project, "two files", [
        { path: a.value, content: "new a", was: "a" },
        { path: b.value, content: "new b", was: "what it held before" },
      ]),
    ).toMatchObject({ failure: { details: { gate: "conflict", path: "res://b.txt" } } });
    expect([saved("a.txt"), saved("b.txt")]).toEqual(["a", "b"]);
  });

  test("are not written if the new text does not match the request", async () => {
    const { project, context, saved } = stage("engine", []);
    const path = await project.resolve("main.tscn");
    if (!path.ok) throw new Error("It lies in the project.");
    const files = new FilesDriver(project);
    const faulty: Driver = Object.assign(Object.create(files), {
      async prepare(...given: Parameters<Driver["prepare"]>) {
        const prepared = await files.prepare(...given);
        if (!prepared.ok || prepared.value.kind !== "written") return prepared;
        const change = { ...prepared.value.change, content: WITHOUT_KEEP };
        return ok({ ...prepared.value, change });
      },
    });
    expect(await commitEdit(context, faulty, { ...ADD_NEW, path: path.value, label: "test" })).toMatchObject({
      failure: { code: "E_INTERNAL" },
    });
    expect(saved("main.tscn")).toBe(SCENE);
  });
});

interface Deed {
  /** Content of the file afterwards; undefined for no file. */
  readonly saves: string | undefined;
  readonly answers?: object;
  readonly dies?: boolean;
  /** Content of the file after an undo. */
  readonly undone?: string;
  readonly cannotUndo?: boolean;
  /** Content that the user saves before Godot is ready. */
  readonly duringStart?: string;
  readonly refuses?: boolean;
  /** The expected content of the file after a step of the history. */
  readonly expected?: string;
}

/** A project with a fake Godot that performs the given deeds, regardless of the request. */
function stage(mode: "engine" | "editor", deeds: readonly Deed[], files: Record<string, string> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "godot-commit-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries({ "main.tscn": SCENE, ...files }))
    writeFileSync(join(root, name), text);
  const left = [...deeds];
  const asked: string[] = [];
  let forgotten = 0;
  const write = (file: string, text: string | undefined) =>
    text === undefined ? rmSync(file, { force: true }) : writeFileSync(file, text);
  const driverOn = (file: string): Driver => ({
    mode,
    version: "4.6.3.stable",
    request: async () => errors.fail("E_UNSUPPORTED", "This Godot is asked nothing."),
    async prepare(operation) {
      const deed = left.shift();
      if (deed === undefined) throw new Error("It was asked once too often.");
      const send = async (_signal: AbortSignal, beforeSending: () => Promise<void>) => {
        if (deed.duringStart !== undefined) write(file, deed.duringStart);
        await beforeSending();
        asked.push(operation);
        write(file, deed.saves);
        if (deed.refuses) return errors.fail("E_PERMISSION_DENIED", "It exists already.");
        // The test supplies the answer.
        return deed.dies ? errors.fail("E_NOT_CONNECTED", "It died.") : ok(deed.answers as never);
      };
      if (mode === "engine" || !["scene.edit", "scene.undo"].includes(operation))
        return ok({ kind: "requested", send });
      const takeBack = async () => {
        asked.push("undo");
        if (deed.cannotUndo) return errors.fail("E_UNSUPPORTED", "It cannot.");
        write(file, deed.undone);
        return ok({});
      };
      const reload = async () => {
        asked.push("reload");
        return ok({});
      };
      const { expected } = deed;
      return ok({
        kind: "requested",
        send,
        takeBack,
        reload,
        ...(expected !== undefined && { expected: () => expected }),
      });
    },
    ...(mode === "engine" && {
      async forget() {
        forgotten++;
      },
    }),
    async close() {},
  });
  const project = new Project(root, () => 0);
  // An edit asks the drivers only for this one.
  const context = { project, signal: new AbortController().signal } as CommitContext;
  return {
    asked,
    project,
    context,
    forgotten: () => forgotten,
    saved: (name: string) =>
      existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : undefined,
    async commit<O extends EditOperation>(
      name: string,
      edit: { readonly operation: O; readonly params: ParamsOf<O> },
    ) {
      const path = await project.resolve(name);
      if (!path.ok) throw new Error(path.failure.message);
      return commitEdit(context, driverOn(join(root, name)), { ...edit, path: path.value, label: "test" });
    },
  };
}
