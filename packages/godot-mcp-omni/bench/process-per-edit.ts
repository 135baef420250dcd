import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddNode } from "./edits.ts";
import { SCENE, type ScratchProject } from "./scratch-project.ts";

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

/** The minimum work of a server that starts a headless Godot for every edit. */
export function processPerEdit(godot: string, { folder, env }: ScratchProject): AddNode {
  const script = join(env.HOME ?? folder, "add_node.gd");
  writeFileSync(script, SCRIPT);
  return async (index) => {
    const request = JSON.stringify({ scene: `res://${SCENE}`, type: "Node2D", name: `Node${index}` });
    const child = spawn(godot, ["--headless", "--path", folder, "--script", script, "--", request], {
      stdio: "ignore",
      env,
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`The Godot process ended with ${code}.`);
  };
}
