import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeAssets, writeAssets } from "./content-assets.ts";
import { makeGrid, makeSprites, makeTiles, makingIn, writeImages } from "./content-makers.ts";
import { makeStage } from "./content-stage.ts";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const MODES = ["files", "engine"] as const;

const FILES = {
  "project.godot":
    'config_version=5\n\n[application]\nconfig/name="Content"\nconfig/features=PackedStringArray("4.6")\n',
  ...Object.fromEntries(
    MODES.flatMap((mode) => [
      [`${mode}/level.tscn`, '[gd_scene format=3]\n\n[node name="Level" type="Node2D"]\n'],
      [`${mode}/rooms.tscn`, '[gd_scene format=3]\n\n[node name="Level" type="Node3D"]\n'],
    ]),
  ),
};

const undos: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const undo of undos.reverse()) await undo();
});

/** Reads the content that each mode made in a Godot process without this server. */
let found: Record<(typeof MODES)[number] | "added", JsonObject>;

const outside = realpathSync(mkdtempSync(join(tmpdir(), "godot-assets-")));
writeAssets(outside);
undos.push(() => rmSync(outside, { recursive: true, force: true }));
let torn: OkEnvelope;
let left: readonly string[];

beforeAll(async () => {
  if (realGodot === undefined) return;
  const server = openTestServer({
    files: FILES,
    flags: { godot: realGodot, "asset-folders": join(outside, "in") },
    later: (undo) => void undos.push(undo),
  });
  writeImages(server.root);
  copyFileSync(join(outside, "in/beep.wav"), join(server.root, "beep.wav"));
  expect(await server.call("godot_asset", { action: "scan" })).toMatchObject({ ok: true });
  for (const mode of MODES) {
    const making = makingIn(server, mode);
    await makeTiles(making);
    await makeGrid(making);
    await makeSprites(making);
    await makeStage(making);
  }
  await makeAssets(makingIn(server, "engine"));
  torn = await server.call("godot_content", {
    action: "asset.add",
    from: "torn.png",
    path: "res://added/torn.png",
  });
  left = readdirSync(join(server.root, "added")).filter((name) => name.startsWith("torn"));
  // The one that is there loads afterwards as before.
  const over = { action: "asset.add", from: "torn.png", path: "res://added/hero.png", overwrite: true };
  expect(await server.call("godot_content", over)).toMatchObject({
    ok: false,
    error: { code: "E_UNSUPPORTED", message: expect.stringContaining("as it was") },
  });
  found = await ask(server.root);
}, 120_000);

describe.skipIf(realGodot === undefined).each(MODES)("content made in mode %s", (mode) => {
  test("has the tiles that Godot counts", () => {
    const { cells, ...rest } = found[mode].tiles as JsonObject;
    expect(rest).toEqual({
      count: 8,
      grid: [4, 2],
      region: "[P: (10, 10), S: (8, 8)]",
      polygon: [
        [-4, -4],
        [4, -4],
        [4, 4],
        [-4, 4],
      ],
      solid: [1, 0],
      layers: 1,
      layer: 3,
      terrain: ["grass", 2, 0, 0, 0],
      rect: mode === "engine" ? [-3, -1, 9, 8] : [-3, -1, 9, 5],
    });
    const row = (y: number) => [0, 1, 2, 3, 4, 5].map((x) => (cells as JsonObject)[`${x},${y}`] ?? null);
    const [edge, inner, drawn] = [
      [0, 2, 1, 0],
      [0, 3, 0, 0],
      [0, 1, 0, 0],
    ];
    expect([0, 1, 2, 3].map(row)).toEqual([
      [edge, edge, edge, edge, edge, edge],
      [edge, inner, inner, inner, inner, edge],
      [edge, null, inner, inner, inner, edge],
      [edge, edge, edge, edge, edge, edge],
    ]);
    expect(cells).toMatchObject({ "-3,-1": drawn, "-2,-1": [0, 0, 0, 4096] });
    // The tile of the terrain that has a neighbour to the right, and the one that has one to the left.
    if (mode === "engine") expect(cells).toMatchObject({ "0,6": [0, 1, 0, 0], "1,6": [0, 2, 0, 0] });
  });

  test("has the items that Godot finds in the GridMap", () => {
    expect(found[mode].grid).toEqual({
      "0,0,0": [1, 0],
      "1,0,0": [1, 0],
      "0,0,1": [1, 0],
      "1,0,1": [0, 10],
      "-2,-1,-3": [0, 0],
    });
  });

  test("has the animations that Godot plays", () => {
    expect(found[mode].sprites).toEqual({
      sheet: {
        walk: [4, 8, true, "[P: (1.0, 1.0), S: (8.0, 8.0)]"],
        jump: [2, 5, false, "[P: (28.0, 10.0), S: (8.0, 8.0)]"],
      },
      folder: {
        idle: [1, 5, true, "res://hero/idle.png"],
        run: [3, 5, true, "res://hero/run_1.png"],
      },
    });
  });

  test("has the animations and the state machine that Godot runs", () => {
    expect(found[mode].animation).toEqual({
      libraries: ["", "moves"],
      animations: ["RESET", "moves/idle", "moves/walk"],
      length: 2,
      loop: 2,
      step: 0.25,
      tracks: [
        ["value", "Hero:position", 2],
        ["value", "Hero:modulate:a", 1],
        ["method", "Hero", 1],
        ["bezier", "Hero:position:x", 2],
        ["audio", "Sound", 1],
        ["animation", "Other", 1],
      ],
      first: ["(1.0, 2.0)", 2],
      called: ["set_flip_h", [true]],
      curve: [7, -0.5, 2],
      sound: ["res://beep.wav", 0.05],
      plays: "blink",
      reset: ["(3.0, 4.0)", 1],
      states: ["aim", "idle", "move"],
      transitions: [
        ["Start", "idle", 2, "", 0, 0],
        ["idle", "move", 2, "moving", 0.2, 0],
        ["move", "aim", 1, "", 0, 2],
      ],
      blends: [2, 2, 3],
      // The machine went from its start to idle, and to move when the condition was set.
      visited: ["idle", "move"],
    });
  });

  test("has the form, theme and layout that Godot shows", () => {
    expect(found[mode].interface).toEqual({
      values: ["", 7, "Hard", true, 3],
      placeholder: "Your name",
      look: ["ffd700", 2, 18, "203040"],
      pressed: 1,
      middle: true,
      score: [0, 1, 1, 1],
    });
  });

  test("has what properties alone make: buses, an environment, particles, navigation", () => {
    expect(found[mode].properties).toEqual({
      buses: ["Master", "Music", -6, "AudioEffectReverb"],
      sky: [2, "ProceduralSkyMaterial", true],
      sparks: [30, 20, ["ff0000", "ffff00"]],
      outlines: 1,
      polygons: mode === "engine" ? 1 : 0,
    });
  });
});

const TORN = expect.objectContaining({
  severity: "error",
  message: "Error loading image: 'res://added/torn.png'.",
});

describe.skipIf(realGodot === undefined)("assets from outside", () => {
  test("are loaded by Godot with their type and import settings", () => {
    expect(found.added).toEqual({
      "hero.png": ["CompressedTexture2D", "6x4", true],
      "logo.svg": ["CompressedTexture2D", "9x7", false],
      "thing.glb": ["PackedScene", "Thing"],
      "beep.wav": ["AudioStreamWAV", 1],
      "text.woff2": ["FontFile", "Inter Variable"],
    });
  });

  test("that Godot cannot import are removed, and the answer has Godot's errors", () => {
    expect(torn).toMatchObject({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        details: { importer: "texture", said: expect.arrayContaining([TORN]) },
      },
    });
    expect(left).toEqual([]);
  });
});

describe("assets that must not come in", () => {
  test.each([
    ["a link that leads out", "link.png", "E_PERMISSION_DENIED"],
    ["a folder that leads out", "up/secret.png", "E_PERMISSION_DENIED"],
    ["two points", "../secret.png", "E_PERMISSION_DENIED"],
    ["another folder", "/etc/hosts.png", "E_PERMISSION_DENIED"],
    ["a folder", "folder.png", "E_SCHEMA_VALIDATION"],
    ["too large a file", "big.png", "E_SCHEMA_VALIDATION"],
    ["another content than its name says", "fake.png", "E_SCHEMA_VALIDATION"],
    ["no file", "none.png", "E_NOT_FOUND"],
    ["another kind of file", "passwd", "E_SCHEMA_VALIDATION"],
  ])("importing %s is refused", async (_what, from, code) => {
    const server = openTestServer({ flags: { "asset-folders": join(outside, "in") } });
    const answer = await server.call("godot_content", {
      action: "asset.add",
      from,
      path: "res://art/new.png",
    });
    expect(answer).toMatchObject({ ok: false, error: { code } });
    expect(existsSync(join(server.root, "art"))).toBe(false);
  });
});

async function ask(root: string): Promise<typeof found> {
  writeFileSync(join(root, "oracle.gd"), readFileSync(join(import.meta.dirname, "content-oracle.gd")));
  const { stdout } = await promisify(execFile)(
    realGodot ?? "",
    ["--headless", "--path", root, "--script", "res://oracle.gd"],
    { timeout: 60_000, env: { ...process.env, HOME: join(root, "..", "home") } },
  );
  const [, facts = "{}"] = /^FACTS (.*)$/m.exec(stdout) ?? [];
  return JSON.parse(facts);
}
