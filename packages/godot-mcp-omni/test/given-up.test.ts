import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { Project } from "../src/project/project.ts";
import { Trust, TrustedProjects } from "../src/project/trust.ts";
import { editSceneFile } from "../src/tools/edit-scene.ts";
import { Workspace } from "../src/workspace/workspace.ts";
import { makeProject, START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";

const SCENE = '[gd_scene format=3]\n\n[node name="Main" type="Node2D"]\n';

describe.skipIf(!realGodot)("an edit whose caller gives up", () => {
  test(
    "before the engine has started has no effect",
    async () => {
      const { project, workspace, edit, saved } = stage();
      const controller = new AbortController();
      // The last thing that is looked at before the engine is asked, and so started.
      const looked = vi.spyOn(project, "refusedWrite");
      const editing = edit(controller.signal, [{ kind: "add", type: "Node2D", name: "Ghost" }]);
      while (looked.mock.calls.length === 0) await nextTurn();
      await nextTurn();
      controller.abort();
      expect(await editing).toMatchObject({ failure: { code: "E_TIMEOUT" } });

      const engine = await workspace.engine();
      expect(
        engine.ok && (await engine.value.request("scene.tree", { scene: "res://main.tscn" })),
      ).toMatchObject({
        ok: true,
      });
      expect(saved()).toBe(SCENE);
      expect(await project.journal.entries()).toEqual([]);
    },
    START_MS,
  );

  test(
    "while the engine works on it is completed, and can be undone",
    async () => {
      const { project, edit, saved, underWay } = stage();
      const none = new AbortController().signal;
      expect(await edit(none, [{ kind: "add", type: "Node2D", name: "First" }])).toMatchObject({ ok: true });
      const before = saved();

      const controller = new AbortController();
      const many = Array.from(
        { length: 500 },
        (_, i): SceneEdit => ({ kind: "add", type: "Node2D", name: `Many${i}` }),
      );
      const editing = edit(controller.signal, many);
      await underWay(2);
      controller.abort();
      const next = edit(none, [{ kind: "add", type: "Node2D", name: "Last" }]);
      expect(await editing).toMatchObject({ ok: true });
      expect(await next).toMatchObject({ ok: true, value: { difference: { added: ["Last"] } } });
      expect(saved().match(/name="Many/g)).toHaveLength(500);

      expect(await project.step("undo", {})).toMatchObject({ ok: true });
      expect(await project.step("undo", {})).toMatchObject({ ok: true });
      expect(saved()).toBe(before);
    },
    START_MS,
  );
});

function stage() {
  const files = makeProject({ "main.tscn": SCENE });
  const project = new Project(files.folder, () => 0);
  const { env } = files;
  const trust = new Trust({
    root: files.folder,
    projects: new TrustedProjects(env),
    always: true,
    readOnly: false,
  });
  const workspace = new Workspace({ project, godotPath: realGodot, env, trust, serverVersion: "0.1.0" });
  onTestFinished(() => workspace.close());
  return {
    project,
    workspace,
    edit: (signal: AbortSignal, edits: readonly SceneEdit[]) =>
      editSceneFile(
        { project, workspace, signal },
        { scene: "res://main.tscn", mode: "engine" },
        "edit",
        edits,
      ),
    saved: () => readFileSync(files.path("main.tscn"), "utf8"),
    /** The journal records an edit just before Godot receives it. */
    async underWay(entries: number) {
      while ((await project.journal.entries()).length < entries) await nextTurn();
      await nextTurn();
    },
  };
}
