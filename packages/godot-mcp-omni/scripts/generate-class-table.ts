/**
 * Writes src/godot/generated/class-table.json from a real Godot:
 *
 *     GODOT_PATH=/path/to/godot node scripts/generate-class-table.ts [target]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const godot = process.env.GODOT_PATH;
if (godot === undefined || godot === "") {
  console.error("Set GODOT_PATH to a Godot 4 first.");
  process.exit(2);
}
const here = import.meta.dirname;
const target = path.resolve(process.argv[2] ?? path.join(here, "../src/godot/generated/class-table.json"));
const project = mkdtempSync(path.join(os.tmpdir(), "class-table-"));
writeFileSync(path.join(project, "project.godot"), "config_version=5\n");
const run = spawnSync(
  godot,
  ["--headless", "--path", project, "--script", path.join(here, "class-table.gd"), "--", target],
  { timeout: 150_000, encoding: "utf8", env: { ...process.env, HOME: project } },
);
rmSync(project, { recursive: true, force: true });
if (run.status !== 0) {
  console.error(run.stderr);
  process.exit(1);
}
console.log(`Wrote ${target}.`);
