import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddNode, Place } from "./edits.ts";

/** Loads the scene, adds the node, saves, quits. */
const SCRIPT = `extends SceneTree

func _init() -> void:
	var request: Dictionary = JSON.parse_string(OS.get_cmdline_user_args()[0])
	var root: Node = load(request.scene).instantiate(PackedScene.GEN_EDIT_STATE_MAIN)
	var node: Node = ClassDB.instantiate(request.type)
	node.name = request.name
	root.add_child(node)
	node.owner = root
	var packed := PackedScene.new()
	packed.pack(root)
	quit(ResourceSaver.save(packed, request.scene))
`;

/** The way of servers that start a headless Godot for every edit. */
export function processPerEdit(godot: string, { project, home, scene }: Place): AddNode {
  const script = join(home, "add_node.gd");
  writeFileSync(script, SCRIPT);
  return async (index) => {
    const request = JSON.stringify({ scene, type: "Node2D", name: `Node${index}` });
    const child = spawn(godot, ["--headless", "--path", project, "--script", script, "--", request], {
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: home },
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`The Godot process ended with ${code}.`);
  };
}
