import type { JsonObject } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

describe.skipIf(realGodot === undefined)("a value that another program set back to its default", () => {
  const open = () => {
    const server = openTestServer({ flags: { godot: realGodot ?? "" } });
    const change = async (tool: string, args: JsonObject) => {
      const answer = await server.call(tool, args);
      expect(answer, JSON.stringify(answer.error)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    };
    return { ...server, change };
  };

  test("in a resource inside a scene is not saved again with an edit of another node", async () => {
    const { change, read, write } = open();
    const scene = "res://main.tscn";
    const set = (node: string, property: string, value: JsonObject | number) =>
      change("godot_inspector", { action: "set_property", scene, node, property, value });
    await set("Player/Sprite", "material", {
      resource: "CanvasItemMaterial",
      properties: { blend_mode: 3, light_mode: 1 },
    });
    write("main.tscn", read("main.tscn").replace("blend_mode = 3\n", ""));
    await set("Enemy", "z_index", 1);
    expect(read("main.tscn")).toContain("light_mode = 1");
    expect(read("main.tscn")).not.toContain("blend_mode");
  }, 120_000);

  test("in an exported property of a resource inside a scene is not saved again", async () => {
    const { change, read, write } = open();
    const scene = "res://main.tscn";
    write("stats.gd", "class_name Stats extends Resource\n@export var hp := 1\n@export var armor := 2\n");
    write("holder.gd", "extends Node2D\n@export var stats: Resource\n");
    const set = (node: string, property: string, value: JsonObject | number) =>
      change("godot_inspector", { action: "set_property", scene, node, property, value });
    await change("godot_scene", { action: "attach_script", scene, node: "Enemy", script: "res://holder.gd" });
    await set("Enemy", "stats", { resource: "Stats", properties: { hp: 7, armor: 8 } });
    write("main.tscn", read("main.tscn").replace("hp = 7\n", ""));
    await set("Player/Sprite", "z_index", 1);
    expect(read("main.tscn")).toContain("armor = 8");
    expect(read("main.tscn")).not.toContain("hp = ");
  }, 120_000);

  test("in a scene inside another one is not saved again with an edit of it", async () => {
    const { change, read, write } = open();
    const set = (scene: string, node: string, property: string, value: JsonObject | number) =>
      change("godot_inspector", { action: "set_property", scene, node, property, value });
    await set("res://enemy.tscn", "Body", "material", {
      resource: "CanvasItemMaterial",
      properties: { blend_mode: 3 },
    });
    await set("res://main.tscn", "Enemy", "z_index", 1);
    await set("res://boss.tscn", ".", "z_index", 1);
    write("enemy.tscn", read("enemy.tscn").replace("blend_mode = 3\n", ""));
    await set("res://enemy.tscn", ".", "z_index", 2);
    expect(read("enemy.tscn")).not.toContain("blend_mode");
    await set("res://main.tscn", "Enemy", "z_index", 2);
    await set("res://enemy.tscn", ".", "z_index", 3);
    expect(read("enemy.tscn")).not.toContain("blend_mode");
  }, 120_000);

  test("in a resource file is not saved again with an edit of another property", async () => {
    const { change, read, write } = open();
    const edit = (properties: JsonObject) =>
      change("godot_asset", { action: "resource.edit", path: "res://mat.tres", properties });
    await edit({ metallic: 0.5, roughness: 0.25 });
    write("mat.tres", read("mat.tres").replace("metallic = 0.5\n", ""));
    await edit({ roughness: 0.5 });
    expect(read("mat.tres")).toContain("roughness = 0.5");
    expect(read("mat.tres")).not.toContain("metallic = 0.5");
  }, 120_000);
});
