import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { builtServer } from "./built-server.ts";
import { type McpServer, startMcpServer } from "./mcp-server.ts";
import { inScratchProject, type ScratchProject } from "./scratch-project.ts";

/** As a multiple of the start by hand. */
const GOAL = 1.1;
const FIRST = "first frame";

/**
 * Time from the call to the answer of `godot_game run`, which comes with the first frame, against the same Godot
 * started directly until its game prints in the first frame. Both without a display, alternating; the first of each is dropped.
 */
export async function benchGameStart({ starts = 15 } = {}): Promise<readonly Figure[]> {
  const { realGodot: godot } = await import("../test/real-godot.ts");
  if (godot === undefined) return [];
  return inScratchProject(async (project) => {
    const { folder, env } = project;
    writeFileSync(
      join(folder, "project.godot"),
      'config_version=5\n\n[application]\n\nrun/main_scene="res://main.tscn"\n',
    );
    writeFileSync(
      join(folder, "main.tscn"),
      '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://main.gd" id="1"]\n\n[node name="Main" type="Node2D"]\nscript = ExtResource("1")\n',
    );
    writeFileSync(
      join(folder, "main.gd"),
      `extends Node2D\n\nvar is_first := true\n\nfunc _process(_delta: float) -> void:\n\tif is_first:\n\t\tprint("${FIRST}")\n\tis_first = false\n`,
    );
    const args = ["--project", folder, "--godot", godot, "--trust", "serve"];
    const server = await startMcpServer([await builtServer(), ...args], env);
    try {
      const byHand: number[] = [];
      const byServer: number[] = [];
      for (let round = 0; round <= starts; round++) {
        const [alone, ours] = [await startedByHand(godot, project), await startedBy(server)];
        if (round === 0) continue;
        byHand.push(alone);
        byServer.push(ours);
      }
      const [alone, ours] = [median(byHand), median(byServer)];
      return [
        figure("start of a game to its first frame, by hand", alone, "ms"),
        figure("start of a game to its first frame", ours, "ms"),
        atMost("start of a game against the start by hand", ours / alone, "times", GOAL),
      ];
    } finally {
      await server.close();
    }
  });
}

async function startedBy(server: McpServer): Promise<number> {
  const start = performance.now();
  await server.call("godot_game", { action: "run", display: "none" });
  const took = performance.now() - start;
  await server.call("godot_game", { action: "stop" });
  return took;
}

async function startedByHand(godot: string, { folder, env }: ScratchProject): Promise<number> {
  const start = performance.now();
  const game = spawn(godot, ["--headless", "--path", folder], { env, stdio: ["ignore", "pipe", "ignore"] });
  const gone = once(game, "exit");
  const took = await new Promise<number>((resolve) => {
    createInterface(game.stdout).on("line", (line) => {
      if (line === FIRST) resolve(performance.now() - start);
    });
  });
  game.kill("SIGKILL");
  await gone;
  return took;
}
