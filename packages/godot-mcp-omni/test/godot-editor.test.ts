import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bridge, openBridge } from "../src/drivers/editor/bridge.ts";
import { launchEditor } from "../src/drivers/editor/launch-editor.ts";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { sampleFiles } from "./godot-sample.ts";
import { realGodot } from "./real-godot.ts";

const LEVEL = "res://level.tscn";
const ONE_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(!realGodot)("an editor", () => {
  let project: TestProject;
  let bridge: Bridge;
  let editor: RawGodotDriver;
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);
  const edit = (...edits: SceneEdit[]) => editor.request("scene.edit", { scene: LEVEL, edits });
  const saved = (file = "level.tscn") => readFileSync(project.path(file), "utf8");
  const anotherServer = async () => {
    const other = await openBridge({ folder: project.env.GODOT_MCP_BRIDGE_DIR ?? "" });
    later(() => other.close());
    return other;
  };
  const theEditorOf = async (server: Bridge) => {
    const found = await server.waitForEditor(project.folder, { timeoutMs: START_MS });
    if (!found.ok) throw new Error(JSON.stringify(found.failure));
    return found.value;
  };

  beforeAll(async () => {
    project = makeProject(sampleFiles, later);
    const bridgeFolder = project.env.GODOT_MCP_BRIDGE_DIR ?? "";
    const running = launchEditor({
      binary: binaryAt(realGodot),
      project: project.folder,
      env: project.env,
      bridgeFolder,
      headless: true,
    });
    later(async () => void (await running.kill()));
    // The editor is first and finds the server by itself.
    bridge = await anotherServer();
    editor = await theEditorOf(bridge);
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  test("opens a scene and answers when it is open", async () => {
    expect(await editor.request("editor.open_scene", { scene: LEVEL })).toMatchObject({
      value: { scene: LEVEL, root: { name: "Level", type: "Node2D" } },
    });
    expect(await editor.request("editor.state", {})).toMatchObject({
      value: { current: LEVEL, scenes: [{ scene: LEVEL, unsaved: false }], playing: null, headless: true },
    });
    expect(await editor.request("editor.open_scene", { scene: "res://none.tscn" })).toMatchObject({
      failure: { code: "E_NOT_FOUND" },
    });
  });

  test("works in the scene in front when none is named", async () => {
    await editor.request("editor.open_scene", { scene: "res://coin.tscn" });
    expect(await editor.request("scene.tree", {})).toMatchObject({ value: { scene: "res://coin.tscn" } });
    expect(await editor.request("editor.close_scene", { scene: "res://coin.tscn" })).toMatchObject({
      ok: true,
    });
    expect(await editor.request("scene.tree", {})).toMatchObject({ value: { scene: LEVEL } });
  });

  test("takes a batch as one step, and a failed batch as none", async () => {
    await editor.request("scene.save", { scene: LEVEL });
    const before = saved();
    expect(
      await edit(
        { kind: "add", type: "StaticBody2D", name: "Wall", as: "wall" },
        { kind: "add", type: "CollisionShape2D", parent: "$wall" },
      ),
    ).toMatchObject({ value: { changes: [{ node: "Wall" }, { node: "Wall/CollisionShape2D" }] } });
    expect(saved()).toContain('name="CollisionShape2D" type="CollisionShape2D" parent="Wall"');
    expect(
      await edit({ kind: "add", type: "Node", name: "Lost" }, { kind: "remove", node: "Nobody" }),
    ).toMatchObject({
      failure: { code: "E_NOT_FOUND", details: { edit: 1 } },
    });
    expect(await editor.request("scene.redo", { scene: LEVEL })).toMatchObject({
      failure: { code: "E_NOT_FOUND" },
    });
    expect(await editor.request("scene.undo", { scene: LEVEL })).toMatchObject({
      value: { step: "MCP: add", canUndo: false, canRedo: true },
    });
    expect(saved()).toBe(before);
  });

  test("leaves the file alone when asked to, and says so", async () => {
    const before = saved();
    const edits: SceneEdit[] = [{ kind: "add", type: "Node", name: "Draft" }];
    expect(await editor.request("scene.edit", { scene: LEVEL, edits, save: false })).toMatchObject({
      value: { saved: false },
    });
    expect(saved()).toBe(before);
    expect(await editor.request("editor.state", {})).toMatchObject({
      value: { scenes: [{ scene: LEVEL, unsaved: true }] },
    });
    expect(await editor.request("editor.close_scene", { scene: LEVEL })).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED", details: { gate: "unsaved_changes" } },
    });

    expect(await editor.request("editor.reload_scene", { scene: LEVEL, keepUnsaved: true })).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED", details: { gate: "unsaved_changes" } },
    });

    writeFileSync(project.path("level.tscn"), before.replace('name="Items"', 'name="Things"'));
    expect(await edit({ kind: "remove", node: "Hero" })).toMatchObject({
      failure: { code: "E_PERMISSION_DENIED" },
    });
    expect(saved()).toContain('name="Things"');
    writeFileSync(project.path("level.tscn"), before);

    expect(await editor.request("scene.undo", { scene: LEVEL, save: false })).toMatchObject({ ok: true });
    expect(await editor.request("editor.state", {})).toMatchObject({
      value: { scenes: [{ scene: LEVEL, unsaved: false }] },
    });
  });

  test("saves unsaved work along with an edit, and says so", async () => {
    const before = saved();
    const edits: SceneEdit[] = [{ kind: "add", type: "Node", name: "Draft" }];
    await editor.request("scene.edit", { scene: LEVEL, edits, save: false });
    expect(await edit({ kind: "add", type: "Node", name: "Next" })).toMatchObject({
      value: { saved: true, hadUnsaved: true },
    });
    expect(saved()).toContain('name="Draft"');
    await editor.request("scene.undo", { scene: LEVEL });
    await editor.request("scene.undo", { scene: LEVEL });
    expect(saved()).toBe(before);
  });

  test("reloads files that other programs changed", async () => {
    await editor.request("scene.tree", { scene: LEVEL });
    writeFileSync(project.path("level.tscn"), saved().replace('text = "Start"', 'text = "Go"'));
    expect(await editor.request("inspect", { scene: LEVEL, node: "UI/Box/Start" })).toMatchObject({
      value: { properties: { text: "Go" } },
    });
  });

  test("selects, plays, stops, opens scripts, sets breakpoints, tells its log", async () => {
    expect(await editor.request("editor.select", { scene: LEVEL, nodes: ["Hero", "Items"] })).toMatchObject({
      value: { selection: ["Hero", "Items"] },
    });
    expect(await editor.request("editor.play", { scene: "res://coin.tscn" })).toEqual({
      ok: true,
      value: { playing: true, scene: "res://coin.tscn" },
    });
    expect(await editor.request("editor.stop", {})).toEqual({ ok: true, value: { playing: false } });
    expect(await editor.request("editor.play", {})).toMatchObject({ failure: { code: "E_NOT_FOUND" } });
    expect(
      await editor.request("editor.breakpoint", { path: "res://coin.gd", line: 3, externalTools: false }),
    ).toMatchObject({
      value: { path: "res://coin.gd", line: 3, on: true },
    });
    expect(await editor.request("editor.state", {})).toMatchObject({ value: { scripts: ["res://coin.gd"] } });
    expect(await editor.request("editor.screen", { screen: "2D" })).toMatchObject({ ok: true });
    for (const [shown, hidden] of [
      ["2D", "3D"],
      ["3D", "2D"],
    ] as const) {
      expect(await editor.request("editor.screen", { screen: shown })).toMatchObject({ ok: true });
      expect(await editor.request("editor.screenshot", { view: hidden })).toMatchObject({
        ok: false,
        failure: { code: "E_UNSUPPORTED", message: expect.stringContaining(`The ${hidden} view is hidden`) },
      });
    }
    expect(await editor.request("editor.screenshot", {})).toMatchObject({
      failure: { code: "E_UNSUPPORTED" },
    });
    const log = await editor.request("editor.log", { limit: 5 });
    expect(log).toMatchObject({ ok: true, value: { next: expect.any(Number) } });
    expect(log.ok && log.value.entries).toHaveLength(5);
  });

  test("imports new files", async () => {
    writeFileSync(project.path("dot.png"), Buffer.from(ONE_PIXEL, "base64"));
    expect(await editor.request("project.import", {})).toEqual({
      ok: true,
      value: { imported: true, said: [] },
    });
    expect(
      await edit({ kind: "set", node: "Hero/Arm/Hand", properties: { texture: "res://dot.png" } }),
    ).toMatchObject({
      value: { changes: [{ properties: [{ new: { path: "res://dot.png" } }] }] },
    });
  });

  test("serves two servers at once, and neither disturbs the other", async () => {
    const second = await anotherServer();
    const also = await theEditorOf(second);
    const scene = "res://shared.tscn";
    expect(await editor.request("scene.create", { scene, rootType: "Node" })).toMatchObject({ ok: true });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? editor : also).request("scene.edit", {
          scene,
          edits: [{ kind: "add", type: "Node", name: `N${i}` }],
        }),
      ),
    );
    expect(answers.filter((answer) => !answer.ok)).toEqual([]);
    expect(saved("shared.tscn").match(/\[node /g)).toHaveLength(101);

    await second.close();
    expect(await also.request("scene.tree", { scene })).toMatchObject({
      failure: { code: "E_NOT_CONNECTED" },
    });
    expect(await editor.request("scene.tree", { scene })).toMatchObject({ ok: true });
  });

  test("is not disturbed by a stranger at the server's port", async () => {
    for (const noise of ["GET / HTTP/1.1\r\n\r\n", "\x05\x00\x00\x00{bad}", "\xff\xff\xff\xff"]) {
      const stranger = connect(bridge.port, "127.0.0.1");
      stranger.on("error", () => {});
      stranger.write(Buffer.from(noise, "latin1"));
      await new Promise((resolve) => stranger.on("close", resolve));
    }
    expect(await editor.request("uid", { path: LEVEL })).toMatchObject({ ok: true });
  });

  test("reconnects to a restarted server", async () => {
    await bridge.close();
    expect(await editor.request("uid", { path: LEVEL })).toMatchObject({
      failure: { code: "E_NOT_CONNECTED" },
    });
    bridge = await anotherServer();
    editor = await theEditorOf(bridge);
    expect(await editor.request("uid", { path: LEVEL })).toMatchObject({ ok: true });
  });
});
