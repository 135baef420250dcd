import type { JsonObject } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const FILES = {
  ...GAME,
  "stats.gd": "class_name Stats extends Resource\n@export var hp := 1\n@export var armor := 2\n",
  "holder.gd": "extends Node2D\n@export var stats: Resource\n",
};

async function open(mode: string) {
  const server = openTestServer({ files: FILES, flags: { godot: realGodot ?? "" } });
  if (mode === "editor") {
    await installAddon(new Project(server.root, () => 0));
    const launch = { action: "launch", headless: true, timeoutMs: 100_000 };
    expect(await server.call("godot_workspace", launch)).toMatchObject({ ok: true });
  }
  const change = async (tool: string, args: JsonObject) => {
    const answer = await server.call(tool, args);
    expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode } });
    expect(answer.warnings ?? []).toEqual([]);
  };
  const set = (scene: string, node: string, property: string, value: JsonObject | number) =>
    change("godot_inspector", { action: "set_property", scene: `res://${scene}`, node, property, value });
  return { ...server, change, set };
}

describe.skipIf(realGodot === undefined).each(["engine", "editor"])(
  "by %s, a value that another program set back to its default",
  { timeout: 180_000 },
  (mode) => {
    test("in a resource inside a scene is not saved again with an edit of another node", async () => {
      const { set, read, write } = await open(mode);
      await set("main.tscn", "Player/Sprite", "material", {
        resource: "CanvasItemMaterial",
        properties: { blend_mode: 3, light_mode: 1 },
      });
      write("main.tscn", read("main.tscn").replace("blend_mode = 3\n", ""));
      await set("main.tscn", "Enemy", "z_index", 1);
      expect(read("main.tscn")).toContain("light_mode = 1");
      expect(read("main.tscn")).not.toContain("blend_mode");
    });

    test("in an exported property of a resource inside a scene is not saved again", async () => {
      const { change, set, read, write } = await open(mode);
      const script = { action: "attach_script", node: "Enemy", script: "res://holder.gd" };
      await change("godot_scene", { ...script, scene: "res://main.tscn" });
      await set("main.tscn", "Enemy", "stats", { resource: "Stats", properties: { hp: 7, armor: 8 } });
      write("main.tscn", read("main.tscn").replace("hp = 7\n", ""));
      await set("main.tscn", "Player/Sprite", "z_index", 1);
      expect(read("main.tscn")).toContain("armor = 8");
      expect(read("main.tscn")).not.toContain("hp = ");
    });

    // Godot's editor ends when a scene with instances in others is reloaded a second time in the background.
    test.skipIf(mode === "editor")(
      "in a scene inside another one is not saved again with an edit of it",
      async () => {
        const { set, read, write } = await open(mode);
        await set("enemy.tscn", "Body", "material", {
          resource: "CanvasItemMaterial",
          properties: { blend_mode: 3 },
        });
        await set("main.tscn", "Enemy", "z_index", 1);
        await set("boss.tscn", ".", "z_index", 1);
        for (const again of [1, 2, 3]) {
          write("enemy.tscn", read("enemy.tscn").replace("blend_mode = 3\n", ""));
          await set("enemy.tscn", ".", "z_index", again);
          expect(read("enemy.tscn")).not.toContain("blend_mode");
          await set("main.tscn", "Enemy", "z_index", 1 + again);
          await set("enemy.tscn", ".", "z_index", 10 + again);
          expect(read("enemy.tscn")).not.toContain("blend_mode");
          await set("enemy.tscn", "Body", "material:blend_mode", 3);
        }
      },
    );

    test("in a resource file is not saved again with an edit of another property", async () => {
      const { change, read, write } = await open(mode);
      // The open scene holds it.
      await change("godot_scene", {
        ...{ action: "create", scene: "res://main.tscn", type: "MeshInstance3D", name: "Mesh" },
        properties: { material_override: "res://mat.tres" },
      });
      const edit = (properties: JsonObject) =>
        change("godot_asset", { action: "resource.edit", path: "res://mat.tres", properties });
      await edit({ metallic: 0.5, roughness: 0.25 });
      write("mat.tres", read("mat.tres").replace("metallic = 0.5\n", ""));
      await edit({ roughness: 0.5 });
      expect(read("mat.tres")).toContain("roughness = 0.5");
      expect(read("mat.tres")).not.toContain("metallic = 0.5");
    });
  },
);
