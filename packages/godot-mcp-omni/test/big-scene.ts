import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, systemClock } from "@toolpact/contract";
import { inScratchProject } from "../bench/scratch-project.ts";
import { readSettings } from "../src/config/settings.ts";
import { createCore } from "../src/server/core.ts";

const SCENE = "big.tscn";

/** Edits of every kind. Each leaves a scene in which the next one can be done. */
export const EDITS: readonly JsonObject[] = [
  { action: "update", node: "N7", properties: { position: { x: 3, y: 0 } } },
  { action: "create", parent: ".", type: "Node2D" },
  { action: "create", parent: "N5", type: "Node2D", index: 0 },
  { action: "instance", parent: ".", source: "res://small.tscn" },
  { action: "attach_script", node: "N8", script: "res://small.gd" },
  { action: "set_unique_name", node: "N8" },
  { action: "rename", node: "N9", newName: "Renamed" },
  { action: "duplicate", node: "N10" },
  { action: "reparent", node: "N11", parent: "N12" },
  { action: "move", node: "N13", index: 100 },
  { action: "remove", node: "N14" },
  { action: "undo" },
];

/** Lets edits be made in a scene with so many nodes. */
export function inBigScene(
  nodes: number,
  work: (edit: (args: JsonObject) => Promise<void>) => Promise<void>,
): Promise<void> {
  return inScratchProject(async ({ folder, env }) => {
    const lines = Array.from(
      { length: nodes },
      (_, index) =>
        `\n[node name="N${index}" type="Node2D" parent="." unique_id=${index + 1}]\nposition = Vector2(${index}, 2)\n`,
    );
    const root = (name: string) => `[gd_scene format=3]\n\n[node name="${name}" type="Node2D"]\n`;
    writeFileSync(join(folder, SCENE), root("Main") + lines.join(""));
    writeFileSync(join(folder, "small.tscn"), root("Small"));
    writeFileSync(join(folder, "small.gd"), "extends Node2D\n");
    const settings = readSettings({ flags: { project: folder, godot: "" }, env: {} });
    if (!settings.ok) throw new Error(settings.failure.message);
    const core = createCore({ settings: settings.value, env, cwd: folder, clock: systemClock });
    if (!core.ok) throw new Error(core.failure.message);
    const { pipeline, close } = core.value;
    await work(async (given) => {
      const args = given.action === "undo" ? given : { ...given, scene: `res://${SCENE}` };
      const answer = await pipeline.call({ tool: "godot_scene", args, caller: { transport: "cli" } });
      if (answer.kind !== "rendered" || answer.failed) throw new Error(JSON.stringify([given, answer]));
    });
    await close();
  });
}
