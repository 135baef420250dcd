import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@toolpact/contract";
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

/** One property set in scenes of different size by the files driver: its CPU time, and the longest time without a turn of the event loop. */
export async function benchBigScene(rounds = 5): Promise<readonly Figure[]> {
  const [small, large] = [await editOf(SIZES[0], rounds), await editOf(SIZES[1], rounds)];
  return [
    figure(`edit a scene of ${SIZES[0]} nodes, files`, small.cpuMs, "ms"),
    figure(`edit a scene of ${SIZES[1]} nodes, files`, large.cpuMs, "ms"),
    atMost(
      `CPU of an edit, ${SIZES[1]} against ${SIZES[0]} nodes`,
      large.cpuMs / small.cpuMs,
      "times",
      GROWTH_GOAL,
    ),
    atMost(`longest pause of other calls, ${SIZES[1]} nodes`, large.blockMs, "ms", BLOCK_GOAL),
  ];
}

function editOf(nodes: number, rounds: number): Promise<{ cpuMs: number; blockMs: number }> {
  return inScratchProject(async ({ folder, env }) => {
    const lines = Array.from(
      { length: nodes },
      (_, index) => `\n[node name="N${index}" type="Node2D" parent="."]\nposition = Vector2(${index}, 2)\n`,
    );
    writeFileSync(
      join(folder, SCENE),
      `[gd_scene format=3]\n\n[node name="Main" type="Node2D"]\n${lines.join("")}`,
    );
    const settings = readSettings({ flags: { project: folder, godot: "" }, env: {} });
    if (!settings.ok) throw new Error(settings.failure.message);
    const core = createCore({ settings: settings.value, env, cwd: folder, clock: systemClock });
    if (!core.ok) throw new Error(core.failure.message);
    const edit = async (x: number) => {
      const args = {
        action: "update",
        scene: `res://${SCENE}`,
        node: "N7",
        properties: { position: { x, y: 0 } },
      };
      await core.value.pipeline.call({ tool: "godot_scene", args, caller: { transport: "cli" } });
    };
    await edit(0);
    const took: { cpuMs: number; blockMs: number }[] = [];
    for (let round = 1; round <= rounds; round++) took.push(await watched(() => edit(round)));
    await core.value.close();
    return {
      cpuMs: median(took.map(({ cpuMs }) => cpuMs)),
      blockMs: median(took.map(({ blockMs }) => blockMs)),
    };
  });
}

/** CPU time of this thread, so that a busy machine does not count as a pause. */
export async function watched(work: () => Promise<void>): Promise<{ cpuMs: number; blockMs: number }> {
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
