import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addonFolder } from "../src/godot/package-folder.ts";

/** A project with the addon and two empty scenes, and a home without configuration. */
export interface ScratchProject {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

export const SCENE = "bench.tscn";
export const BATCH_SCENE = "batch.tscn";

export async function inScratchProject<T>(work: (project: ScratchProject) => Promise<T>): Promise<T> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-bench-")));
  try {
    const folder = join(base, "project");
    const home = join(base, "home");
    mkdirSync(home);
    cpSync(addonFolder, join(folder, "addons/godot_mcp_bridge"), { recursive: true });
    writeFileSync(
      join(folder, "project.godot"),
      'config_version=5\n\n[editor_plugins]\n\nenabled=PackedStringArray("res://addons/godot_mcp_bridge/plugin.cfg")\n',
    );
    for (const scene of [SCENE, BATCH_SCENE])
      writeFileSync(join(folder, scene), '[gd_scene format=3]\n\n[node name="Root" type="Node2D"]\n');
    return await work({ folder, env: { PATH: process.env.PATH, HOME: home } });
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}
