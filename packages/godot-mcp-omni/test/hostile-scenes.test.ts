import { existsSync } from "node:fs";
import { systemClock } from "@toolpact/contract";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDisplay } from "../src/game/display.ts";
import { Project } from "../src/project/project.ts";
import { mutated, seeded } from "./fuzz.ts";
import { START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

/** Scenes that no Godot would have written: what a clone, a merge conflict or a full disk leaves behind. */
const ODD: Readonly<Record<string, string>> = {
  empty: "",
  blank: "\n\n",
  "byte order mark": "\uFEFF",
  "heading alone": "[gd_scene format=3]\n",
  "not text": "\u0000\u0001\u0002",
  "no root": '[gd_scene format=3]\n\n[node name="A" type="Node" parent="."]\n',
  "parent of itself":
    '[gd_scene format=3]\n\n[node name="A" type="Node"]\n\n[node name="B" type="Node" parent="B"]\n',
  "instance of itself":
    '[gd_scene format=3]\n\n[ext_resource type="PackedScene" path="res://odd.tscn" id="1"]\n\n[node name="A" instance=ExtResource("1")]\n',
  "merge conflict": `<<<<<<< ours\n${GAME["main.tscn"]}=======\n>>>>>>> theirs\n`,
  "cut short": (GAME["main.tscn"] ?? "").slice(0, 150),
  "deep nesting": `[gd_scene format=3]\n\n[node name="A" type="Node"]\nx = ${"[".repeat(5_000)}\n`,
  "deep tree": `[gd_scene format=3]\n\n[node name="R" type="Node"]\n${deepTree(1_000)}`,
  prototype:
    '[gd_scene format=3]\n\n[node name="__proto__" type="constructor"]\n__proto__ = 1\ntoString = 2\n',
  "long line": `[gd_scene format=3]\n\n[node name="A" type="Node"]\nx = "${"a".repeat(3_000_000)}"\n`,
};

const CALLS = [
  ["godot_inspector", { action: "scene_tree.get" }],
  ["godot_inspector", { action: "query", name: "A" }],
  ["godot_inspector", { action: "inspect", node: "." }],
  ["godot_inspector", { action: "signals.connections.list" }],
  ["godot_scene", { action: "create", type: "Node2D", name: "New" }],
  ["godot_scene", { action: "rename", node: "Player", newName: "Hero" }],
  ["godot_scene", { action: "duplicate", node: "Player" }],
  ["godot_scene", { action: "remove", node: "Player" }],
] as const;

async function survives(text: string, what: string) {
  const { call, write, read, bugs } = openTestServer({ files: { ...GAME, "odd.tscn": text } });
  for (const [tool, args] of CALLS) {
    write("odd.tscn", text);
    const answer = await call(tool, { ...args, scene: "res://odd.tscn" });
    expect(bugs, `${what}: ${tool} ${args.action}`).toEqual([]);
    expect(answer.error?.code, `${what}: ${tool} ${args.action}: ${answer.summary}`).not.toBe("E_INTERNAL");
    // A refused edit leaves the file alone.
    if (!answer.ok) expect(read("odd.tscn") === text, `${what}: ${tool} ${args.action}`).toBe(true);
  }
  const found = await call("godot_diagnostics", { action: "scenes", paths: ["res://odd.tscn"] });
  expect(bugs, what).toEqual([]);
  expect(found.error?.code, what).not.toBe("E_INTERNAL");
}

it.each(Object.entries(ODD))(
  "a scene that is odd is no bug of the server: %s",
  async (what, text) => {
    await survives(text, what);
  },
  60_000,
);

it("400 scenes with random damage cause no internal error", async () => {
  const scenes = [GAME["main.tscn"], GAME["boss.tscn"], GAME["tiles.tscn"]].map((scene) => scene ?? "");
  const { call, write, bugs } = openTestServer();
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  for (let run = 0; run < 400; run++) {
    const text = mutated(scenes[run % scenes.length] ?? "", random);
    write("odd.tscn", text);
    const [tool, args] = CALLS[run % CALLS.length] ?? CALLS[0];
    const answer = await call(tool, { ...args, scene: "res://odd.tscn" });
    const what = `FUZZ_SEED=${seed}, run ${run}: ${tool} ${args.action} on ${JSON.stringify(text)}`;
    expect(bugs, what).toEqual([]);
    expect(answer.error?.code, `${what}: ${answer.summary}`).not.toBe("E_INTERNAL");
  }
}, 120_000);

function deepTree(depth: number): string {
  let [text, parent] = ["", "."];
  for (let level = 0; level < depth; level++) {
    text += `\n[node name="N" type="Node" parent="${parent}"]\n`;
    parent = parent === "." ? "N" : `${parent}/N`;
  }
  return text;
}

it("a full disk causes no internal error", async () => {
  const { call, read, bugs } = openTestServer();
  const before = read("main.tscn");
  vi.spyOn(Project.prototype, "draft").mockRejectedValue(
    Object.assign(new Error("no space left on device"), { code: "ENOSPC" }),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  for (const [tool, args] of [
    ["godot_scene", { action: "create", scene: "res://main.tscn", type: "Node2D" }],
    ["godot_scene", { action: "new", scene: "res://other.tscn" }],
    ["godot_code", { action: "file.write", path: "res://a.txt", content: "a" }],
    ["godot_project", { action: "project_setting.set", settings: { "application/config/name": "x" } }],
  ] as const)
    expect(await call(tool, args), `${tool} ${args.action}`).toMatchObject({
      error: {
        code: "E_PERMISSION_DENIED",
        details: { gate: "disk", reason: "ENOSPC" },
        suggestedFix: "Make room on the disk.",
      },
    });
  expect(bugs).toEqual([]);
  expect(read("main.tscn")).toBe(before);
});

it("a breakpoint is accepted only where a script has code", async () => {
  const { call } = openTestServer({
    files: { ...GAME, "main.gd": "extends Node\n\n# nothing here\nfunc _ready() -> void:\n\tpass\n" },
  });
  const set = (line: number, on = true) =>
    call("godot_game", { action: "breakpoint", breakpoints: [`res://main.gd:${line}`], on });
  for (const line of [2, 3])
    expect(await set(line)).toMatchObject({
      error: { code: "E_SCHEMA_VALIDATION", suggestedFix: "The next line with code is 4." },
    });
  expect(await set(99)).toMatchObject({ error: { code: "E_SCHEMA_VALIDATION" } });
  // There is no game; the place itself is fine, and one that was set before may be removed.
  expect(await set(5)).toMatchObject({ error: { code: "E_NOT_FOUND" } });
  expect(await set(3, false)).toMatchObject({ error: { code: "E_NOT_FOUND" } });
});

it("a game on a screen gets no sound driver that would fail, unless there is sound", async () => {
  const { root } = openTestServer();
  const args = async (env: Record<string, string>) => {
    const opened = await openDisplay({
      choice: "auto",
      godot: "",
      env: { DISPLAY: ":9", ...env },
      home: root,
      clock: systemClock,
    });
    return opened.ok ? opened.value.args : [];
  };
  const isSilent = process.platform === "linux" && !existsSync("/dev/snd/seq");
  expect(await args({})).toEqual(isSilent ? ["--audio-driver", "Dummy"] : []);
  expect(await args({ PULSE_SERVER: "unix:/somewhere" })).toEqual([]);
});

it.skipIf(realGodot === undefined)(
  "a disk that refuses the journal leaves the scene alone, and the failure says so",
  async () => {
    const { call, read, write } = openTestServer({ flags: { godot: realGodot ?? "" } });
    write(".godot_mcp/journal", "a file where a folder must be");
    const before = read("main.tscn");
    const edit = { action: "create", scene: "res://main.tscn", type: "Node2D", mode: "engine" };
    expect(await call("godot_scene", edit)).toMatchObject({
      error: { code: "E_PERMISSION_DENIED", message: expect.stringContaining("nothing was changed") },
    });
    expect(read("main.tscn")).toBe(before);
  },
  START_MS,
);
