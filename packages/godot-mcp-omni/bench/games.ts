import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure, Outcome } from "@toolpact/contract";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import type { GodotCode } from "../src/errors.ts";
import type { DisplayChoice, Game } from "../src/game/game.ts";
import { startGame } from "../src/game/start-game.ts";
import { inScratchProject, SCENE, type ScratchProject } from "./scratch-project.ts";

export interface GamesOptions {
  /** A binary that can draw; the tests' own unless named. */
  readonly godot?: string;
  readonly starts?: number;
  readonly rounds?: number;
}

const NODES = 10_000;
const INPUTS = 1_000;
/** Milliseconds and bytes; a question waits for a frame of the game, which lasts 7 to 17 ms. */
const GOALS = { start: 2_000, startShown: 5_000, page: 100, pageBytes: 24_000, question: 50, picture: 250 };

/** What it takes to start a game, to look into it, to see it and to drive it, each as the median of its rounds. */
export async function benchGames(options: GamesOptions = {}): Promise<readonly Figure[]> {
  const { starts = 5, rounds = 100 } = options;
  const godot = options.godot ?? (await import("../test/display-godot.ts")).displayGodot;
  if (godot === undefined) return [];
  return inScratchProject(async (project) => {
    writeFileSync(join(project.folder, "many.gd"), MANY);
    writeFileSync(join(project.folder, SCENE), SCENE_TEXT);
    const start = (display: DisplayChoice) => startedGame(godot, project, display);
    const headless = await startsOf(starts, () => start("none"));
    const shown = await startsOf(starts, () => start("virtual"));
    return [
      atMost("a game, start to first frame", headless, "ms", GOALS.start),
      atMost("a game, start to first frame on a virtual display", shown, "ms", GOALS.startShown),
      ...(await withGame(await start("none"), (game) => questions(game, rounds))),
      ...(await withGame(await start("virtual"), (game) => pictures(game, Math.ceil(rounds / 5)))),
    ];
  });
}

async function questions(game: Game, rounds: number): Promise<readonly Figure[]> {
  const page = value(await game.tree());
  const bytes = Buffer.byteLength(JSON.stringify(page));
  if (page.total < NODES) throw new Error(`The game has only ${page.total} nodes.`);
  const pageMs = await medianOf(rounds, () => game.tree());
  const wholeMs = await medianOf(Math.ceil(rounds / 20), () => wholeTree(game));
  const inspectMs = await medianOf(rounds, () => game.inspect("."));
  const setMs = await medianOf(rounds, (round) => game.set(".", "position:x", round));
  const press = Array.from({ length: INPUTS }, (_, index) => ({
    kind: "key" as const,
    key: "Right",
    pressed: index % 2 === 0,
  }));
  const inputMs = await medianOf(Math.ceil(rounds / 20), () => game.input(press));
  return [
    atMost(`live tree of ${NODES} nodes, a page of ${page.nodes.length}`, pageMs, "ms", GOALS.page),
    atMost(`live tree of ${NODES} nodes, a page of ${page.nodes.length}`, bytes, "bytes", GOALS.pageBytes),
    figure(`live tree of ${NODES} nodes, all pages of 2500`, wholeMs, "ms"),
    atMost("inspect a live node", inspectMs, "ms", GOALS.question),
    atMost("set a live property", setMs, "ms", GOALS.question),
    { name: "inputs in one call", value: INPUTS / (inputMs / 1000), unit: "inputs per second" },
  ];
}

async function pictures(game: Game, rounds: number): Promise<readonly Figure[]> {
  const ms = await medianOf(rounds, () => game.screenshot());
  return [atMost("a screenshot of 1152×648, with 960×540 in the answer", ms, "ms", GOALS.picture)];
}

async function wholeTree(game: Game): Promise<Outcome<unknown, Failure<GodotCode>>> {
  let page = await game.tree({ limit: 2_500 });
  while (page.ok && page.value.next !== undefined)
    page = await game.tree({ limit: 2_500, after: page.value.next });
  return page;
}

async function startsOf(count: number, start: () => Promise<Game>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round <= count; round++) {
    const game = await start();
    // The first fills the caches.
    if (round > 0) took.push(game.started.startMs);
    await game.end();
  }
  return median(took);
}

async function medianOf(
  rounds: number,
  work: (round: number) => Promise<Outcome<unknown, Failure<GodotCode>>>,
): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    value(await work(round));
    took.push(performance.now() - start);
  }
  return median(took);
}

async function withGame<T>(game: Game, work: (game: Game) => Promise<T>): Promise<T> {
  try {
    return await work(game);
  } finally {
    await game.end();
  }
}

async function startedGame(godot: string, project: ScratchProject, display: DisplayChoice): Promise<Game> {
  return value(
    await startGame({
      binary: { path: godot, version: "4.6.stable", origin: "GODOT_PATH" },
      project: project.folder,
      env: project.env,
      folder: join(project.folder, "../pictures"),
      scene: `res://${SCENE}`,
      display,
    }),
  );
}

function value<T>(outcome: Outcome<T, Failure<GodotCode>>): T {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const SCENE_TEXT = `[gd_scene format=3]

[ext_resource type="Script" path="res://many.gd" id="1"]

[node name="Many" type="Node2D"]
script = ExtResource("1")
`;

const MANY = `extends Node2D


func _ready() -> void:
	for row: int in 100:
		var node := Node2D.new()
		node.name = "Row%d" % row
		for cell: int in 99:
			var child := Node2D.new()
			child.name = "Cell%d" % cell
			node.add_child(child)
		add_child(node)
`;
