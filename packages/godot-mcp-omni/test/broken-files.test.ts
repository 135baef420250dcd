import type { JsonObject } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { mutated, seeded } from "./fuzz.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

/** Files of the game that are damaged, and the edits that then meet them. */
const FILES = ["main.tscn", "enemy.tscn", "mat.tres", "player.gd", "project.godot"] as const;

const scene = "res://main.tscn";

const EDITS: readonly (readonly [file: string, tool: string, args: JsonObject])[] = [
  [
    "main.tscn",
    "godot_inspector",
    { action: "set_property", scene, node: "Player", property: "position", value: [9, 8] },
  ],
  ["main.tscn", "godot_scene", { action: "create", scene, type: "Node2D", name: "New" }],
  ["main.tscn", "godot_scene", { action: "remove", scene, node: "Enemy" }],
  [
    "mat.tres",
    "godot_asset",
    { action: "resource.edit", path: "res://mat.tres", properties: { metallic: 0.5 } },
  ],
  [
    "player.gd",
    "godot_code",
    { action: "file.edit", path: "res://player.gd", find: "speed", replace: "pace" },
  ],
];

const SETTINGS: readonly [string, string, JsonObject] = [
  "project.godot",
  "godot_project",
  { action: "project_setting.set", settings: { "display/window/size/viewport_width": 800 } },
];

const READS: readonly (readonly [tool: string, args: JsonObject])[] = [
  ["godot_diagnostics", { action: "scenes" }],
  ["godot_inspector", { action: "scene_tree.get", scene }],
  ["godot_understand", { action: "overview" }],
];

/** Damages one file per seed, makes every edit, and takes each back. */
async function attack(seeds: readonly number[], mode: "files" | "engine") {
  const server = openTestServer({ flags: mode === "engine" ? { godot: realGodot ?? "" } : {} });
  const found: string[] = [];
  const ended = { done: 0, refused: 0 };
  // Godot opens nothing if its project file is broken, so only the files driver gets a broken one.
  const targets = mode === "files" ? FILES : FILES.filter((file) => file !== "project.godot");
  const edits = mode === "files" ? [...EDITS, SETTINGS] : EDITS;
  for (const seed of seeds) {
    const target = targets[seed % targets.length] ?? "main.tscn";
    const random = seeded(seed * 7_919 + 1);
    for (const [file, text] of Object.entries(GAME)) server.write(file, text);
    server.write(target, mutated(GAME[target] ?? "", random));
    const report = (what: string) => found.push(`seed ${seed}, ${target} damaged: ${what}`);
    for (const [tool, args] of READS) {
      const { error } = await server.call(tool, args);
      if (error?.code === "E_INTERNAL") report(`${tool} ${args.action}: ${error.message}`);
    }
    for (const [file, tool, args] of edits) {
      const before = server.read(file);
      const modes = tool === "godot_code" || tool === "godot_project" ? {} : { mode };
      const { ok, error } = await server.call(tool, { ...args, ...modes });
      if (error?.code === "E_INTERNAL" || error?.code === "E_TIMEOUT")
        report(`${tool} ${args.action}: ${error.message}`);
      if (!ok && server.read(file) !== before) report(`${tool} ${args.action} failed and changed ${file}`);
      ended[ok ? "done" : "refused"]++;
      if (!ok) continue;
      const undone = await server.call("godot_scene", { action: "undo", mode: "files" });
      if (!undone.ok || server.read(file) !== before)
        report(`undo of ${tool} ${args.action} did not restore ${file}: ${undone.summary}`);
    }
  }
  // Both outcomes occurred.
  expect(Math.min(ended.done, ended.refused)).toBeGreaterThan(0);
  return [...found, ...server.bugs];
}

const upTo = (count: number) => Array.from({ length: count }, (_, seed) => seed);

test("an edit of a damaged file fails and leaves it alone, or is done and undone byte for byte", async () => {
  expect(await attack(upTo(120), "files")).toEqual([]);
}, 120_000);

describe.skipIf(realGodot === undefined)("in mode engine", () => {
  test("an edit of a damaged file fails and leaves it alone, or is done and undone byte for byte", async () => {
    expect(await attack(upTo(12), "engine")).toEqual([]);
  }, 400_000);
});
