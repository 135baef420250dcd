import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "@toolpact/contract/outcome";
import { describe, expect, onTestFinished, test } from "vitest";
import { errors } from "../errors.ts";
import { Project } from "../project/project.ts";
import type { Godots } from "../workspace/godots.ts";
import { editSceneFile } from "./commit-edit.ts";
import type { GodotDriver } from "./driver.ts";
import type { Operation } from "./operations.ts";

const SCENE = `[gd_scene format=3]

[node name="Main" type="Node2D"]

[node name="Keep" type="Node2D" parent="."]
`;
const ADDED = '\n[node name="New" type="Node2D" parent="."]\n';
const WITHOUT_KEEP = SCENE.replace('\n[node name="Keep" type="Node2D" parent="."]\n', "");

describe("a Godot that did something else than it was asked", () => {
  test("is found out, the file is put back, and a fresh engine gets one more try", async () => {
    const { edit, saved } = stage("engine", [WITHOUT_KEEP + ADDED, WITHOUT_KEEP + ADDED]);
    expect(await edit()).toMatchObject({
      failure: { code: "E_INTERNAL", details: { surprises: [expect.stringContaining("Keep")] } },
    });
    expect(saved()).toBe(SCENE);
  });

  test("is forgiven when the fresh one does it right, with a warning", async () => {
    const { edit, saved } = stage("engine", [WITHOUT_KEEP + ADDED, SCENE + ADDED]);
    expect(await edit()).toMatchObject({
      ok: true,
      value: { difference: { added: ["New"] } },
      notes: { warnings: [expect.stringContaining("started anew")] },
    });
    expect(saved()).toBe(SCENE + ADDED);
  });

  test("is undone in the editor's own history", async () => {
    const { edit, saved, asked } = stage("editor", [WITHOUT_KEEP + ADDED]);
    expect(await edit()).toMatchObject({ failure: { code: "E_INTERNAL" } });
    expect(asked).toEqual(["scene.edit", "scene.undo"]);
    expect(saved()).toBe(SCENE);
  });

  test("is told when the file does not hold a value after all", async () => {
    const { edit } = stage("engine", [{ saves: SCENE + ADDED, notSaved: ["position"] }]);
    expect(await edit()).toMatchObject({
      ok: true,
      notes: { warnings: [expect.stringContaining("does not hold position of New")] },
    });
  });

  test("is put back when it died in the middle", async () => {
    const { edit, saved } = stage("engine", [{ dies: WITHOUT_KEEP }]);
    expect(await edit()).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
    expect(saved()).toBe(SCENE);
  });
});

type Deed =
  | string
  | { readonly dies: string }
  | { readonly saves: string; readonly notSaved: readonly string[] };

/** A project whose Godot writes what it is told to, whatever it is asked. */
function stage(mode: GodotDriver["mode"], deeds: readonly Deed[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "godot-surprise-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, "main.tscn");
  writeFileSync(file, SCENE);
  const left = [...deeds];
  const asked: Operation[] = [];
  const act = (operation: Operation) => {
    asked.push(operation);
    if (operation === "scene.undo") {
      writeFileSync(file, SCENE);
      return ok({});
    }
    const deed = left.shift() ?? "";
    if (typeof deed === "object" && "dies" in deed) {
      writeFileSync(file, deed.dies);
      return errors.fail("E_NOT_CONNECTED", "It died.");
    }
    const { saves, notSaved = undefined } = typeof deed === "string" ? { saves: deed } : deed;
    writeFileSync(file, saves);
    const change = { kind: "add", node: "New", type: "Node2D", ...(notSaved && { notSaved }) };
    return ok({ scene: "res://main.tscn", changes: [change], saved: true });
  };
  const driver = {
    mode,
    project: root,
    version: "4.6.3.stable",
    request: async (operation: Operation) => act(operation),
    close: async () => {},
  } as GodotDriver; // answers only what this test lets it be asked
  const godots = {
    way: async () => ok({ mode, driver, warnings: [] }),
    freshEngine: async () => ok(driver),
  } as unknown as Godots; // of which an edit uses no more
  const work = { project: new Project(root, () => 0), godots, signal: new AbortController().signal };
  return {
    asked,
    saved: () => readFileSync(file, "utf8"),
    edit: () =>
      editSceneFile(work, { scene: "res://main.tscn" }, "test", [
        { kind: "add", type: "Node2D", name: "New" },
      ]),
  };
}
