import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, systemClock } from "@toolpact/contract";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { readSettings } from "../src/config/settings.ts";
import { createCore } from "../src/server/core.ts";
import { inScratchProject } from "./scratch-project.ts";

const SIZES = [5_000, 50_000] as const;
/** Linear would be ten times. */
const GROWTH_GOAL = 12;
const BLOCK_GOAL = 50;
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

/** What edits by the files driver cost in scenes of different size: CPU time, and the longest time without a turn of the event loop. */
export async function benchBigScene(rounds = 3): Promise<readonly Figure[]> {
  const [small, large] = [await costOf(SIZES[0], rounds), await costOf(SIZES[1], rounds)];
  const [first] = large;
  const growth = large.map(({ cpuMs }, edit) => cpuMs / (small[edit]?.cpuMs ?? 0));
  return [
    figure(`set a property in a scene of ${SIZES[0]} nodes, files`, small[0]?.cpuMs ?? 0, "ms"),
    figure(`set a property in a scene of ${SIZES[1]} nodes, files`, first?.cpuMs ?? 0, "ms"),
    atMost(
      `CPU of all edits, ${SIZES[1]} against ${SIZES[0]} nodes`,
      sumOf(large) / sumOf(small),
      "times",
      GROWTH_GOAL,
    ),
    figure("the edit that grows most", Math.max(...growth), "times"),
    atMost(
      `longest pause of other calls by any edit, ${SIZES[1]} nodes`,
      Math.max(...large.map(({ blockMs }) => blockMs)),
      "ms",
      BLOCK_GOAL,
    ),
  ];
}

interface Cost {
  readonly cpuMs: number;
  readonly blockMs: number;
}

function sumOf(costs: readonly Cost[]): number {
  return costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** What each edit costs, in the middle one of several rounds. */
async function costOf(nodes: number, rounds: number): Promise<readonly Cost[]> {
  const took: Cost[][] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    took.push([]);
    await inBigScene(nodes, async (edit) => {
      for (const args of EDITS) took[round]?.push(await watched(() => edit(args)));
    });
  }
  return EDITS.map((_, edit) => {
    const all = took.slice(1).flatMap((round) => round[edit] ?? []);
    return {
      cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
      blockMs: median(all.map(({ blockMs }) => blockMs)),
    };
  });
}

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

/** CPU time of this thread, so that a busy machine does not count as a pause. */
export async function watched(work: () => Promise<void>): Promise<Cost> {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const start = cpu();
  let [last, blockMs, isDone] = [start, 0, false];
  const turn = () => {
    const now = cpu();
    blockMs = Math.max(blockMs, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  turn();
  return { cpuMs: cpu() - start, blockMs };
}
