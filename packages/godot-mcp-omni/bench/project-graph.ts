import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { findingUnused } from "../src/graph/problems.ts";
import { ProjectIndex } from "../src/graph/project-index.ts";
import { watched } from "./big-scene.ts";
import { inScratchProject } from "./scratch-project.ts";

const FILES = 10_000;
const COLD_GOAL = 2_000;
const CHANGE_GOAL = 100;
const BLOCK_GOAL = 50;

/** The graph of a project of 10,000 files: read for the first time, and again after one of them changed. CPU time, so that a busy machine does not count. */
export async function benchProjectGraph(files = FILES, rounds = 5): Promise<readonly Figure[]> {
  return inScratchProject(async ({ folder }) => {
    writeProject(folder, files);
    const cold: { cpuMs: number; blockMs: number }[] = [];
    const warm: { cpuMs: number; blockMs: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const index = new ProjectIndex(folder);
      const read = () => index.use(findingUnused).then(() => undefined);
      cold.push(await watched(read));
      writeFileSync(join(folder, "part0/script0.gd"), `${scriptText(0, 0)}\n# changed ${round}\n`);
      warm.push(await watched(read));
    }
    const of = (rows: typeof cold, name: "cpuMs" | "blockMs") => median(rows.map((row) => row[name]));
    return [
      atMost(`graph of ${files} files, first time`, of(cold, "cpuMs"), "ms", COLD_GOAL),
      atMost(`graph of ${files} files, after a change`, of(warm, "cpuMs"), "ms", CHANGE_GOAL),
      atMost(`longest pause of other calls, graph of ${files} files`, of(cold, "blockMs"), "ms", BLOCK_GOAL),
    ];
  });
}

const FOLDERS = 50;

/** A third each of scenes, scripts and the uid files beside them. */
function writeProject(folder: string, files: number): void {
  const perFolder = Math.ceil(files / 3 / FOLDERS);
  for (let part = 0; part < FOLDERS; part++) {
    const place = join(folder, `part${part}`);
    mkdirSync(place, { recursive: true });
    for (let index = 0; index < perFolder; index++) {
      writeFileSync(join(place, `script${index}.gd`), scriptText(part, index));
      writeFileSync(join(place, `script${index}.gd.uid`), `uid://s${part}x${index}\n`);
      writeFileSync(join(place, `scene${index}.tscn`), sceneText(part, index, perFolder));
    }
  }
}

function scriptText(part: number, index: number): string {
  const methods = Array.from(
    { length: 8 },
    (_, number) => `
## Does the work of step ${number}.
func step_${number}(amount: float, target: Node) -> void:
	if target == null or amount <= 0.0:
		return
	speed += amount * ${number}.5
	$Body/Sprite.modulate = Color(1, 0.5, speed)
	moved.emit(speed)
	get_tree().call_group("enemies", "step_${number}", amount)
`,
  );
  return `class_name Part${part}Script${index}
extends Node2D

signal moved(amount: float)

const NEXT := preload("res://part${(part + 1) % FOLDERS}/script${index}.gd")

@export var speed: float = 3.0
@onready var bar: Node = %Bar

${methods.join("\n")}`;
}

function sceneText(part: number, index: number, perFolder: number): string {
  const nodes = Array.from(
    { length: 12 },
    (_, number) =>
      `[node name="N${number}" type="Sprite2D" parent="." groups=["enemies"]]\nposition = Vector2(${number}, 2)\nscale = Vector2(2, 2)\n\n`,
  );
  return `[gd_scene load_steps=3 format=3 uid="uid://t${part}x${index}"]

[ext_resource type="Script" uid="uid://s${part}x${index}" path="res://part${part}/script${index}.gd" id="1_a"]
[ext_resource type="PackedScene" path="res://part${part}/scene${(index + 1) % perFolder}.tscn" id="2_b"]

[node name="Root" type="Node2D"]
script = ExtResource("1_a")

${nodes.join("")}[node name="Other" parent="." instance=ExtResource("2_b")]

[connection signal="tree_exited" from="N1" to="." method="step_1"]
`;
}
