import { describe, expect, it } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

describe.skipIf(realGodot === undefined)("a server with an open editor", () => {
  it("starts an editor, edits in it, and reports what reached the disk", async () => {
    const server = openTestServer({
      flags: { godot: realGodot ?? "" },
      files: {
        ...GAME,
        "project.godot": `${GAME["project.godot"]}\n[editor]\n\nrun/main_run_args="--headless"\n`,
        "broken.gd": 'extends Node\nfunc f():\n\tvar x: int = "no"\n\tnope()\n',
      },
    });
    const { call, read } = server;
    const done = async (tool: string, args: Parameters<typeof call>[1]) => {
      const answer = await call(tool, args);
      expect(
        answer.ok,
        `${tool} ${String(args.action)}: ${answer.summary} ${JSON.stringify(answer.error)}`,
      ).toBe(true);
      return answer;
    };
    await installAddon(new Project(server.root, () => 0));
    await done("godot_workspace", { action: "launch", headless: true, timeoutMs: 100_000 });
    expect(await done("godot_workspace", { action: "status" })).toMatchObject({
      result: {
        connected: true,
        modes: ["editor", "engine", "files"],
        addon: { enabled: true, current: true },
      },
    });

    await done("godot_workspace", { action: "open_scene", scene });
    const made = await done("godot_scene", {
      action: "create",
      type: "Area2D",
      name: "Zone",
      primitive: "circle",
    });
    expect(made).toMatchObject({
      execution: { mode: "editor" },
      result: { scene, difference: { added: ["Zone", "Zone/Zone_Collider2D"] }, saved: true },
    });
    expect(read("main.tscn")).toContain('[node name="Zone" type="Area2D" parent="."');
    await done("godot_scene", { action: "reparent", scene, node: "Player", parent: "Zone" });
    expect(read("main.tscn")).toContain('[node name="Sprite" type="Sprite2D" parent="Zone/Player"');
    expect(await done("godot_scene", { action: "undo", scene })).toMatchObject({
      execution: { mode: "editor" },
    });
    expect(read("main.tscn")).toContain('[node name="Sprite" type="Sprite2D" parent="Player"');
    await done("godot_scene", { action: "redo", scene });
    await done("godot_scene", { action: "undo", scene });

    await done("godot_scene", { action: "new", scene: "res://boss.tscn", overwrite: true });
    expect(await done("godot_scene", { action: "undo" })).toMatchObject({ execution: { mode: "files" } });
    expect(read("boss.tscn")).toBe(GAME["boss.tscn"]);
    await done("godot_workspace", { action: "open_scene", scene });

    expect(
      await call("godot_inspector", {
        action: "set_property",
        scene,
        node: "Player",
        property: "positon",
        value: 1,
      }),
    ).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION", suggestedFix: expect.stringContaining("position") },
    });
    expect(await done("godot_inspector", { action: "inspect", scene, node: "Player" })).toMatchObject({
      execution: { mode: "editor" },
      result: { properties: { position: { x: 3, y: 4 } } },
    });
    await done("godot_inspector", { action: "method_list", class: "Sprite2D", contains: "frame" });
    await done("godot_editor", { action: "select", nodes: ["Player"] });
    expect(await done("godot_editor", { action: "get_selection" })).toMatchObject({
      result: { selection: ["Player"] },
    });
    await done("godot_editor", { action: "switch_screen", screen: "2D" });
    await done("godot_editor", { action: "edit_script", path: "res://player.gd", line: 2 });
    expect(await done("godot_editor", { action: "list_open_scripts" })).toMatchObject({
      result: { scripts: ["res://player.gd"] },
    });
    await done("godot_editor", { action: "add_breakpoint", path: "res://player.gd", line: 7 });
    await done("godot_log", { action: "tail" });
    expect(await done("godot_workspace", { action: "get_state" })).toMatchObject({
      result: { current: scene },
    });
    await done("godot_workspace", { action: "save_all" });
    await done("godot_project", {
      action: "project_setting.set",
      settings: { "display/window/size/viewport_width": 640 },
    });
    expect(read("project.godot")).toContain("window/size/viewport_width=640\n");
    await done("godot_workspace", { action: "close_scene", scene });

    expect(await done("godot_diagnostics", { action: "scripts", paths: ["res://broken.gd"] })).toMatchObject({
      result: {
        problems: expect.arrayContaining([expect.objectContaining({ path: "res://broken.gd", line: 3 })]),
      },
    });
    expect(
      await done("godot_docs", { action: "get_member", class: "CharacterBody2D", member: "move_and_slide" }),
    ).toMatchObject({
      result: { version: expect.stringMatching(/^4\./) },
    });
    expect(server.bugs).toEqual([]);
  }, 300_000);
});
