import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "@toolpact/contract";
import { chromiumPath, openChromium } from "../../tuitbot-web/test/chromium.ts";
import { displayGodot } from "../test/display-godot.ts";
import { pictureBlocks } from "../test/story.ts";
import { animatedWebp } from "./animated-webp.ts";
import { art } from "./small-game-art.ts";
import { FOX, LEVEL } from "./small-game-code.ts";

/**
 * The animation in the README: an agent makes a small game by tool calls, then plays it.
 * `npx node --conditions=toolpact-source packages/godot-mcp-omni/scripts/small-game.ts`.
 */
const FILE = join(import.meta.dirname, "../../../docs/pictures/godot-small-game.webp");

const BERRIES = [
  [136, 98],
  [214, 66],
  [272, 106],
] as const;

/** Frames of the game between two pictures. */
const STEP = 5;
const FRAMES = 150;
/** Frames in which the agent presses the key. */
const JUMPS = [27, 67];

/** One frame: the agent's calls so far, and the game. */
interface Shot {
  readonly calls: readonly string[];
  readonly picture: string;
  readonly ms: number;
}

const base = mkdtempSync(join(tmpdir(), "godot-small-game-"));
mkdirSync(join(base, "game"));
const client = new Client({ name: "small-game", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=toolpact-source",
      join(import.meta.dirname, "../src/main.ts"),
      ...["--project", join(base, "game"), "--trust", "serve", "--toolsets", "all"],
    ],
    env: { PATH: process.env.PATH ?? "", HOME: base, GODOT_PATH: displayGodot ?? "" },
    stderr: "inherit",
  }),
);
const shots: Shot[] = [];
const calls: string[] = [];
try {
  await make();
  await play();
} finally {
  await client.close();
  rmSync(base, { recursive: true, force: true });
}
await draw();

async function ask(tool: string, args: JsonObject) {
  const answer = pictureBlocks(await client.callTool({ name: tool, arguments: args }, { timeout: 240_000 }));
  assert.ok(answer.ok, `${tool} ${args.action}: ${JSON.stringify(answer)}`);
  return answer;
}

/** A call that the animation names. */
function shown(tool: string, args: JsonObject, what: string) {
  calls.push(`${tool} ${args.action ?? ""} <i>${what}</i>`);
  return ask(tool, args);
}

async function make(): Promise<void> {
  const scene = "res://level.tscn";
  await ask("godot_project", { action: "project.create", name: "Berry Dusk" });
  await ask("godot_project", {
    action: "project_setting.set",
    settings: {
      "application/run/main_scene": scene,
      "display/window/size/viewport_width": 640,
      "display/window/size/viewport_height": 360,
      "rendering/textures/canvas_textures/default_texture_filter": 0,
    },
  });
  await ask("godot_project", {
    action: "input_map.setup",
    actions: [
      { name: "right", keys: ["Right"] },
      { name: "jump", keys: ["Space"] },
    ],
  });
  for (const [name, base64] of Object.entries(art))
    await ask("godot_code", { action: "file.write_binary", path: `res://${name}.png`, base64 });
  await ask("godot_asset", { action: "scan" });
  await ask("godot_code", { action: "file.write", path: "res://fox.gd", content: FOX });
  await ask("godot_code", { action: "file.write", path: "res://level.gd", content: LEVEL });

  await shown("godot_scene", { action: "new", scene, type: "Node2D", name: "Level" }, "level.tscn");
  await ask("godot_batch", {
    scene,
    edits: [
      add("Sprite2D", "Sky", { texture: "res://sky.png", centered: false }),
      add("Camera2D", "Camera", { position: [160, 90], zoom: [2, 2] }),
    ],
  });
  await look();

  await shown(
    "godot_content",
    {
      action: "tile_set.create",
      path: "res://tiles.tres",
      texture: "res://tiles.png",
      size: { x: 16, y: 16 },
      physics: [{}],
    },
    "two solid tiles",
  );
  await ask("godot_batch", {
    scene,
    edits: [add("TileMapLayer", "Ground", { tile_set: "res://tiles.tres" })],
  });
  await shown(
    "godot_content",
    {
      action: "cells.paint",
      scene,
      node: "Ground",
      strokes: [
        { rect: { x: 0, y: 9, width: 20, height: 1 }, tile: { atlas: [0, 0] } },
        { rect: { x: 0, y: 10, width: 20, height: 2 }, tile: { atlas: [1, 0] } },
        { rect: { x: 7, y: 7, width: 3, height: 1 }, tile: { atlas: [0, 0] } },
        { rect: { x: 12, y: 5, width: 3, height: 1 }, tile: { atlas: [0, 0] } },
      ],
    },
    "ground, two ledges",
  );
  await look();

  const berries = BERRIES.flatMap((position, index) => [
    add("Area2D", `Berry${index}`, { position }, { as: `berry${index}` }),
    add("Sprite2D", "Body", { texture: "res://berry.png" }, { parent: `$berry${index}` }),
    circle(`$berry${index}`),
  ]);
  await shown(
    "godot_batch",
    {
      scene,
      edits: [
        add("Area2D", "Lantern", { position: [302, 132] }, { as: "lantern" }),
        add("Sprite2D", "Body", { texture: "res://lantern.png", scale: [2, 2] }, { parent: "$lantern" }),
        circle("$lantern"),
        ...berries,
        add("CharacterBody2D", "Fox", { position: [32, 137] }, { as: "fox" }),
        { kind: "script", node: "Fox", script: "res://fox.gd" },
        add("Sprite2D", "Body", { texture: "res://fox.png" }, { parent: "$fox" }),
        add(
          "CollisionShape2D",
          "Shape",
          { shape: { resource: "RectangleShape2D", properties: { size: [10, 14] } } },
          { parent: "$fox" },
        ),
        add("CanvasLayer", "Hud", {}, { as: "hud" }),
        add("Label", "Message", { text: "Berries: 0", position: [16, 10] }, { parent: "$hud" }),
        { kind: "script", node: ".", script: "res://level.gd" },
      ],
    },
    "fox, berries, lantern",
  );
  await look();
}

function add(type: string, name: string, properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { kind: "create", type, name, properties, ...more };
}

function circle(parent: string): JsonObject {
  return add(
    "CollisionShape2D",
    "Shape",
    { shape: { resource: "CircleShape2D", properties: { radius: 7 } } },
    { parent },
  );
}

/** Starts the game as it is by now, and keeps its first picture. */
async function look(): Promise<void> {
  await start();
  const { pictures } = await ask("godot_game", { action: "step", frames: 2, picture: true });
  shots.push({ calls: [...calls], picture: pictures[0] ?? "", ms: 600 });
  await ask("godot_game", { action: "stop" });
}

async function start(): Promise<void> {
  await ask("godot_game", { action: "run", display: "virtual", fixedFps: 60, paused: true });
}

async function play(): Promise<void> {
  calls.push("godot_game run", "godot_game step <i>right, jump</i>");
  await start();
  for (let frame = 0; frame < FRAMES; frame += STEP) {
    const jumps = JUMPS.filter((at) => at >= frame && at < frame + STEP);
    const { pictures } = await ask("godot_game", {
      action: "step",
      frames: STEP,
      picture: true,
      events: [
        ...(frame === 0 ? [{ kind: "action", name: "right", pressed: true }] : []),
        ...jumps.map((at) => ({ kind: "action", name: "jump", at: at - frame, hold: 3 })),
      ],
    });
    shots.push({ calls: [...calls], picture: pictures[0] ?? "", ms: (STEP / 60) * 1000 });
  }
  const { result } = await ask("godot_game", {
    action: "inspect",
    node: "/root/Level/Hud/Message",
    fields: ["text"],
  });
  assert.equal(Object(result?.properties).text, "Home with 3 berries!");
  const { result: errors } = await ask("godot_game", { action: "errors" });
  assert.deepEqual(errors?.errors, []);
  calls.push("godot_game errors <b>none</b>");
  shots.push({ calls: [...calls], picture: shots.at(-1)?.picture ?? "", ms: 900 });
  await ask("godot_game", { action: "stop" });
}

async function draw(): Promise<void> {
  const path = chromiumPath();
  if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
  const chromium = await openChromium(path);
  const [width, height] = [760, 288];
  const page = await chromium.newPage({ viewport: { width, height }, deviceScaleFactor: 2 });
  const frames = [];
  for (const { calls, picture, ms } of shots) {
    await page.setContent(html(calls, picture));
    await page.locator("img").evaluate((image: HTMLImageElement) => image.decode());
    frames.push({ webp: await page.screenshot({ type: "webp", quality: 65 }), ms: Math.round(ms) });
  }
  await chromium.close();
  writeFileSync(FILE, animatedWebp(frames, 2 * width, 2 * height));
  console.log(`wrote ${FILE}: ${frames.length} frames, ${frames.reduce((sum, { ms }) => sum + ms, 0)} ms`);
}

function html(calls: readonly string[], picture: string): string {
  return `<style>
    body { margin: 0; display: grid; grid-template-columns: 248px 512px; background: #0d1117; color: #e6edf3; font: 12px/1.4 ui-monospace, monospace }
    div { padding: 14px 12px } p { margin: 0 0 9px; white-space: nowrap } p::before { content: "› "; color: #76e3ea }
    i { font-style: normal; color: #8b949e; display: block; padding-left: 2ch } b { color: #7ee787 }
    img { width: 512px; height: 288px; image-rendering: pixelated; display: block }
  </style><div>${calls.map((call) => `<p>${call}</p>`).join("")}</div><img src="data:image/png;base64,${picture}">`;
}
