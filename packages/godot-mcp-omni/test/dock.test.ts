import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../src/config/version.ts";
import type { ConnectedEditor } from "../src/drivers/editor/bridge.ts";
import { Project } from "../src/project/project.ts";
import { resumeChanges, stopChanges } from "../src/project/state-folder.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { dockProbe, PROBE_FILES, PROBE_PLUGIN } from "./dock-probe.ts";
import { fakeEditor } from "./fake-editor.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer, type TestServer } from "./server-project.ts";

const scene = "res://main.tscn";
const HOSTILE = "[b]bold[/b] %s \u202Egnp.exe";

describe.skipIf(realGodot === undefined)("the dock in a real editor", () => {
  let server: TestServer;
  let dock: ReturnType<typeof dockProbe>;
  const undo: (() => void | Promise<void>)[] = [];

  beforeAll(async () => {
    server = openTestServer({
      flags: { godot: realGodot ?? "" },
      files: { ...GAME, ...PROBE_FILES },
      later: (step) => undo.unshift(step),
    });
    const settings = server.read("project.godot");
    server.write(
      "project.godot",
      `${settings}\n[editor_plugins]\n\nenabled=PackedStringArray("${PROBE_PLUGIN}")\n`,
    );
    await installAddon(new Project(server.root, () => Date.now()));
    dock = dockProbe(server.root);
    const launched = await server.call("godot_workspace", {
      action: "launch",
      headless: true,
      timeoutMs: 100_000,
    });
    expect(launched).toMatchObject({ ok: true });
  }, 120_000);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  it("says that a server is connected, and what the agent did last", async () => {
    await dock.shows("Connected: godot-mcp-omni", "Stop agents");
    await server.call("godot_scene", { action: "remove", scene, node: "Nobody" });
    await dock.shows("scene remove res://main.tscn Nobody: There is no node");
  });

  it("undoes an edit in the editor's history when a person presses Undo, and the file has its old bytes", async () => {
    const before = server.read("main.tscn");
    const made = await server.call("godot_scene", { action: "create", scene, type: "Node2D", name: "Wall" });
    expect(made).toMatchObject({ ok: true, execution: { mode: "editor" } });
    expect(server.read("main.tscn")).toContain('name="Wall"');
    await dock.shows("Undo");
    await dock.press("Undo", "Wall");
    await dock.shows("undone");
    expect(server.read("main.tscn")).toBe(before);
    expect(readFileSync(path.join(server.root, ".godot_mcp/audit.log"), "utf8")).toContain(
      "the editor's dock",
    );
  });

  it("undoes an edit of the journal, and only that one", async () => {
    const content = "extends Node\n";
    await server.call("godot_code", { action: "script.create", path: "res://new_one.gd", content });
    await dock.press("Undo", "new_one.gd");
    await expect.poll(() => existsSync(path.join(server.root, "new_one.gd"))).toBe(false);
    expect(existsSync(path.join(server.root, "addons/godot_mcp_bridge/plugin.cfg"))).toBe(true);
  });

  it("does not undo a step that is no longer the last of the scene", async () => {
    await server.call("godot_scene", { action: "create", scene, type: "Node2D", name: "First" });
    await server.call("godot_scene", { action: "create", scene, type: "Node2D", name: "Second" });
    // A person goes one step back on their own, and the server does not hear of it.
    const bridge = await server.openBridge();
    const [editor] = bridge.editors();
    await editor?.request("scene.undo", { scene });
    await dock.press("Undo", "Second");
    await dock.shows("history has moved on");
    expect(server.read("main.tscn")).toContain('name="First"');
    await editor?.request("scene.undo", { scene });
  });

  it("stops every change when a person presses the button, until they resume", async () => {
    await dock.shows("Stop agents");
    await dock.press("Stop agents");
    await dock.shows("Resume", "Agents can read, and change nothing");
    const before = server.read("main.tscn");
    for (const mode of ["editor", "files"] as const)
      expect(
        await server.call("godot_scene", { action: "create", scene, type: "Node2D", name: "No", mode }),
      ).toMatchObject({
        ok: false,
        error: {
          code: "E_PERMISSION_DENIED",
          message: expect.stringContaining("A person has stopped all changes of this project in the editor"),
          details: { gate: "STOPPED", by: "dock", at: expect.any(String) },
        },
      });
    expect(server.read("main.tscn")).toBe(before);
    expect(await server.call("godot_inspector", { action: "scene_tree.get", scene })).toMatchObject({
      ok: true,
    });
    expect(await server.call("godot_workspace", { action: "status" })).toMatchObject({
      ok: true,
      result: { stopped: { by: "dock" } },
    });
    expect(
      await server.call("godot_editor", { action: "capture_viewport", savePath: "res://shot.png" }),
    ).toMatchObject({ ok: false, error: { details: { gate: "STOPPED" } } });
    await dock.press("Resume");
    await dock.shows("Stop agents");
    expect(
      await server.call("godot_scene", { action: "create", scene, type: "Node2D", name: "Yes" }),
    ).toMatchObject({ ok: true });
  });

  it("shows an order that was given on the command line", async () => {
    await stopChanges(server.root, Date.now());
    await dock.shows("Resume");
    expect(resumeChanges(server.root)).toBe(true);
    await dock.shows("Stop agents");
  });

  it("shows hostile names as plain lines, and stays as narrow as it was", async () => {
    const width = dock.width();
    const name = `${HOSTILE}${"W".repeat(400)}`;
    await server.call("godot_code", {
      action: "file.write",
      path: `res://${name.slice(0, 60)}.txt`,
      content: "x",
    });
    await server.call("godot_inspector", { action: "inspect", scene, node: `a\nb\u0007${name}` });
    const texts = await dock.shows("[b]bold[/b] %s", "inspector inspect");
    for (const text of texts) {
      expect(text).not.toMatch(/[\p{C}]/u);
      expect(text.length).toBeLessThan(520);
    }
    expect(dock.width()).toBe(width);
  });

  it("shows forged messages as a few plain lines, and its buttons still work", async () => {
    const width = dock.width();
    const bridge = await server.openBridge();
    // Every editor of the bridge has a dock.
    const [editor = expect.fail()] = bridge.editors() as readonly ConnectedEditor[];
    const edit = { id: [], label: `${HOSTILE}\n\u0007`, files: 7, at: "never", canUndo: "yes" };
    const forged: readonly JsonObject[] = [
      { dock: 5 },
      { dock: { server: {}, trusted: "true", howToTrust: `${HOSTILE}\nrun this\n`.repeat(1_000) } },
      { dock: { server: VERSION, trusted: true, last: { line: [], at: {}, failure: { a: 1 } } } },
      { dock: { server: VERSION, trusted: true, client: `${HOSTILE}\n${"W".repeat(9_000)}` } },
      {
        dock: {
          server: VERSION,
          trusted: true,
          client: "forged",
          now: Array.from({ length: 5_000 }, () => "\u202Ex"),
          edits: [null, 3, "x", ...Array.from({ length: 2_000 }, (_, id) => ({ ...edit, id }))],
        },
      },
      { told: 1, ok: "true", text: `${HOSTILE}\n\u0007told ${"W".repeat(90_000)}` },
    ];
    for (const message of forged) editor.tell(message);
    const texts = await dock.shows("Connected: forged", "told");
    for (const text of texts) {
      expect(text).not.toMatch(/[\p{C}]/u);
      expect(text.length).toBeLessThan(520);
    }
    expect(texts.filter((text) => text === "Undo").length).toBeLessThanOrEqual(20);
    expect(dock.width()).toBe(width);
    await dock.press("Stop agents");
    await dock.shows("Resume");
    await dock.press("Resume");
    await dock.shows("Stop agents");
  });

  it("is told by status and doctor which version of the addon the editor runs", async () => {
    expect(await server.call("godot_workspace", { action: "status" })).toMatchObject({
      result: { addon: { version: VERSION, running: VERSION, server: VERSION, current: true } },
    });
    const bridge = await server.openBridge();
    expect(bridge.editors()[0]).toMatchObject({ addon: VERSION });
  });
});

describe("the addon as the asset library takes it", () => {
  const folder = path.join(import.meta.dirname, "../addons/godot_mcp_bridge");
  const file = (name: string) => readFileSync(path.join(folder, name), "utf8");

  it("has a licence, an icon, a page and a version that is this package's", () => {
    expect(file("LICENSE")).toBe(readFileSync(path.join(folder, "../../LICENSE"), "utf8"));
    expect(file("icon.svg")).toMatch(/^<svg [^>]*width="128" height="128"/);
    expect(file("README.md")).toContain("# Godot MCP Bridge");
    for (const key of ["name", "description", "author", "script"])
      expect(file("plugin.cfg")).toMatch(new RegExp(`^${key}="[^"]+"$`, "m"));
    expect(file("plugin.cfg")).toContain(`version="${VERSION}"`);
  });

  it("is reported by status and doctor where it is another version than the server", async () => {
    const { root, call, read, write } = openTestServer();
    await installAddon(new Project(root, () => 0));
    const config = "addons/godot_mcp_bridge/plugin.cfg";
    write(config, read(config).replace(VERSION, "0.0.9"));
    const said = expect.stringContaining(`is version 0.0.9, this server ${VERSION}`);
    expect(await call("godot_workspace", { action: "status" })).toMatchObject({
      result: { addon: { version: "0.0.9", server: VERSION, current: false } },
      warnings: [said],
    });
    expect(await call("godot_workspace", { action: "doctor_report" })).toMatchObject({
      result: { checks: expect.arrayContaining([expect.objectContaining({ name: "addon", message: said })]) },
    });
  });

  it("is told of an open editor that still runs an older one", async () => {
    const { root, call, openBridge } = openTestServer();
    await installAddon(new Project(root, () => 0));
    const { folder: meeting } = await openBridge();
    const editor = await fakeEditor(meeting, undefined, { project: root, addon: "0.0.9" });
    await expect
      .poll(() => call("godot_workspace", { action: "status" }))
      .toMatchObject({
        result: { addon: { running: "0.0.9" } },
        warnings: [expect.stringContaining("runs version 0.0.9 of the addon")],
      });
    // Such an editor hears of the server's version as well, and its dock compares.
    await expect
      .poll(() => editor.heard)
      .toEqual(expect.arrayContaining([{ dock: expect.objectContaining({ server: VERSION }) }]));
  });
});

describe("an undo from the dock", () => {
  it("is rejected from an editor of an untrusted or different project", async () => {
    const { root, call, read, openBridge } = openTestServer({ flags: { trust: false } });
    await call("godot_code", { action: "file.write", path: "res://a.txt", content: "one" });
    const { folder: meeting } = await openBridge();
    const [here, elsewhere] = [
      await fakeEditor(meeting, undefined, { project: root, addon: VERSION }),
      await fakeEditor(meeting, undefined, { project: "/elsewhere", addon: VERSION }),
    ];
    const told = async () => {
      for (;;) {
        const message = await here.next();
        if ("told" in message || "dock" in message) return message;
      }
    };
    expect(await told()).toMatchObject({ dock: { trusted: false, howToTrust: expect.any(String) } });
    elsewhere.send({ ask: 1, undo: "journal:1" });
    here.send({ ask: 2, undo: "journal:1" });
    expect(await told()).toMatchObject({ told: 2, ok: false, text: expect.stringContaining("not trusted") });
    expect(read("a.txt")).toBe("one");
    expect(elsewhere.heard.filter((message) => "dock" in message || "told" in message)).toEqual([]);
  });
});
