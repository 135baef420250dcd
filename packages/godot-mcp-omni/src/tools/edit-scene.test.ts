import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { describe, expect, onTestFinished, test } from "vitest";
import { Drivers } from "../drivers/drivers.ts";
import { cannotDo, type GodotDriver } from "../operations/driver.ts";
import { Project } from "../project/project.ts";
import { Trust, TrustedProjects } from "../project/trust.ts";
import { editSceneFile } from "./edit-scene.ts";

const SCENE = '[gd_scene format=3]\n\n[node name="Main" type="Node2D"]\n';
const ADDED = '\n[node name="New" type="Node2D" parent="."]\n';

describe("an edit of a scene", () => {
  test("says which values the file does not hold after all", async () => {
    const { edit } = stage((file) => ({
      kind: "requested",
      async send() {
        writeFileSync(file, SCENE + ADDED);
        const change = { kind: "add", node: "New", type: "Node2D", notSaved: ["position"] } as const;
        return ok({ scene: "res://main.tscn", changes: [change], saved: true });
      },
    }));
    expect(await edit()).toMatchObject({
      ok: true,
      notes: {
        execution: { mode: "engine", godot: "4.6.3.stable" },
        warnings: [expect.stringContaining("does not hold position of New")],
      },
    });
  });

  test("is done by the next driver where the best one cannot, and the answer says which", async () => {
    const { edit, saved } = stage(() => undefined);
    expect(await edit()).toMatchObject({ ok: true, notes: { execution: { mode: "files" } } });
    expect(saved()).toContain('name="New"');
  });

  test("is refused where the driver that was asked for cannot do it", async () => {
    const { edit, saved } = stage(() => undefined);
    expect(await edit("engine")).toMatchObject({
      failure: { code: "E_UNSUPPORTED", details: { unsupportedBy: "engine" } },
    });
    expect(saved()).toBe(SCENE);
  });
});

/** A project with an engine that prepares the given edit; undefined if it cannot. */
function stage(prepare: (file: string) => object | undefined) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "godot-edit-scene-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, "main.tscn");
  writeFileSync(file, SCENE);
  const project = new Project(root, () => 0);
  const trust = new Trust({ root, projects: new TrustedProjects({}), always: true, readOnly: false });
  const workspace = new Drivers({ project, godotPath: "", env: {}, clock: systemClock, trust });
  const engine = {
    mode: "engine",
    version: "4.6.3.stable",
    prepare: async () => {
      const prepared = prepare(file);
      return prepared === undefined ? cannotDo("engine", "Not by this one.", "Use files.") : ok(prepared);
    },
  } as unknown as GodotDriver; // an edit asks no more of it
  workspace.engine = async () => ok(engine);
  const signal = new AbortController().signal;
  return {
    edit: (mode?: "engine") =>
      editSceneFile({ project, workspace, signal }, { scene: "res://main.tscn", mode }, "test", [
        { kind: "add", type: "Node2D", name: "New" },
      ]),
    saved: () => readFileSync(file, "utf8"),
  };
}
