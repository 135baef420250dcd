import type { JsonObject } from "@toolpact/contract";
import { OUTSIDE, PROJECT, PROPERTIES } from "./truth-project.ts";

/** Steps of the campaign that a random choice makes concrete. */
export interface Actor {
  /** A number from 0 to the limit, without it. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly edit: (name: string, tool: string, args: JsonObject) => unknown;
  readonly walk: (direction: "undo" | "redo") => unknown;
  /** Another program writes these files. */
  readonly outside: (files: Readonly<Record<string, string>>) => unknown;
  /** The texture is lost, or comes back. */
  readonly texture: () => unknown;
  /** The server that uses Godot ends, and another one is started on its project. */
  readonly restart: () => unknown;
  readonly read: (file: string) => string;
}

const SCENES = ["main.tscn", "enemy.tscn", "boss.tscn"];

/** Each kind of step with its weight. */
export function actsOf(actor: Actor): readonly (readonly [weight: number, act: () => unknown])[] {
  const { below, pick, edit, walk, outside, texture, restart, read } = actor;
  let added = 0;
  const node = () => `N${below(added + 1)}`;
  const inScene = (action: string, args: JsonObject, tool = "godot_scene") => {
    const scene = `res://${pick(SCENES)}`;
    return edit(`${action} ${scene} ${args.node ?? args.name ?? ""}`, tool, { action, scene, ...args });
  };
  const set = () => {
    const [file, at, property, value] = pick(PROPERTIES);
    return edit(`set ${file} ${at} ${property}`, "godot_inspector", {
      ...{ action: "set_property", scene: `res://${file}`, node: at, property },
      value: value(below(60)),
    });
  };
  const create = () => {
    const type = pick(["Node2D", "Timer", "Label", "CollisionShape2D", "AnimationPlayer"]);
    const primitive = type === "CollisionShape2D" ? { primitive: pick(["circle", "rect"]) } : {};
    return inScene("create", { type, name: `N${added++}`, ...primitive });
  };
  const tiles = () =>
    edit("tiles", "godot_scene", {
      ...{ action: "set_tiles", scene: "res://main.tscn", node: "Map" },
      tiles: [{ x: below(9), y: below(9), atlas: { x: below(2), y: 0 }, source: 0 }],
    });
  const batch = () => {
    const name = `N${added++}`;
    return edit(`batch ${name}`, "godot_batch", {
      scene: "res://main.tscn",
      edits: [
        { kind: "add", type: "Node2D", name, as: "new" },
        { kind: "set", node: "$new", properties: { position: { x: below(9), y: 1.5 } } },
        { kind: "add", type: "Sprite2D", parent: "$new", properties: { texture: "res://tiles.png" } },
        { kind: "set", node: pick(["Hero", "Boss", "Gone"]), properties: { z_index: below(9) } },
      ],
    });
  };
  const material = () =>
    edit("material", "godot_inspector", {
      ...{ action: "set_property", scene: "res://enemy.tscn", node: "Sprite", property: "material" },
      value: { resource: "CanvasItemMaterial", properties: { blend_mode: below(4) } },
    });
  const tileSet = () =>
    edit("tile set", "godot_asset", {
      ...{ action: "resource.edit", path: "res://tiles.tres" },
      properties: { "physics_layer_0/collision_layer": below(30) + 1 },
    });
  const typo = () =>
    edit("typo", "godot_code", {
      ...{ action: "file.edit", path: `res://${pick(["enemy.gd", "hero.gd", "score.gd"])}` },
      ...{ find: ":=", replace: ":= =", maxReplacements: 2 },
    });
  const newScript = () =>
    edit("script", "godot_code", {
      ...{
        action: "script.create",
        path: `res://extra${below(3)}.gd`,
        extends: pick(["Node", "Hero", "Sprite2D"]),
      },
    });
  const renameClass = () => {
    const name = /class_name (\w+)/.exec(read("enemy.gd"))?.[1] ?? "Enemy";
    const to = pick(["Enemy", "Foe", "Beast"]);
    if (to !== name)
      return edit(`class ${name} ${to}`, "godot_understand", {
        ...{ action: "rename", target: "class", name, to, force: true },
      });
  };
  const connect = () =>
    inScene(
      pick(["connect_signal", "disconnect_signal"]),
      { node: ".", signal: "tree_entered", to: ".", method: pick(["hide", "show"]) },
      "godot_inspector",
    );
  const group = () =>
    inScene(
      pick(["groups.add", "groups.remove"]),
      { node: ".", group: pick(["alive", "heroes"]) },
      "godot_inspector",
    );
  return [
    [30, set],
    [8, create],
    [4, () => inScene("remove", { node: node() })],
    [4, () => inScene("rename", { node: node(), newName: `M${added++}` })],
    [3, () => inScene("reparent", { node: node(), parent: pick([node(), "."]) })],
    [2, () => inScene("duplicate", { node: node() })],
    [6, tiles],
    [3, batch],
    [2, material],
    [2, tileSet],
    [2, connect],
    [2, group],
    [6, typo],
    [2, newScript],
    [3, renameClass],
    [24, () => walk("undo")],
    [9, () => walk("redo")],
    [6, () => outside(pick(OUTSIDE))],
    [1, () => outside(PROJECT)],
    [2, texture],
    [0.3, restart],
  ];
}
