import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@toolpact/contract";
import { Project } from "../src/files/project.ts";
import type { GodotBinary } from "../src/godot/binary.ts";
import { openBridge } from "../src/godot/bridge.ts";
import type { GodotDriver } from "../src/godot/driver.ts";
import { createEngine } from "../src/godot/engine.ts";
import { launchEditor } from "../src/godot/launch-editor.ts";
import type { SceneEdit } from "../src/godot/operations.ts";
import { addonFolder } from "../src/godot/package-folder.ts";
import { Godots } from "../src/godots.ts";
import { editSceneFile } from "../src/tools/edit-scene.ts";
import { codingSoloServer } from "./coding-solo.ts";
import { processPerEdit } from "./process-per-edit.ts";

/** One measured figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
  readonly met?: boolean;
}

export interface EditsOptions {
  readonly godot: string;
  /** Node additions of each of ours. */
  readonly edits?: number;
  /** Of the ways that start a Godot for each. */
  readonly slowEdits?: number;
  /** Entry of `@coding-solo/godot-mcp`, to measure it too; otherwise found where it is installed. */
  readonly codingSolo?: string;
}

/** Adds one node and saves the scene, as often as asked; `index` counts the nodes. */
export type AddNode = (index: number) => Promise<void>;

const SCENE = "res://bench.tscn";
const BATCH_SCENE = "res://batch.tscn";
const GOALS = { engine: 50, editor: 50, files: 500 } as const;
const INSPECT_GOAL = 4_096;

/**
 * Nodes added one by one to one scene, each saved before the next: by the headless engine, by an editor and in the
 * file alone, against one Godot process for each edit. All on the same Godot, each from an empty scene.
 */
export async function benchEdits(options: EditsOptions): Promise<readonly BenchRow[]> {
  const { edits = 100, slowEdits = 12 } = options;
  const binary: GodotBinary = { path: options.godot, version: "4.6.stable", origin: "GODOT_PATH" };
  // The slow ways are measured before and after ours, so that a machine that grows busy slows down all alike.
  const before = await slowWays(binary, options.codingSolo, slowEdits / 2);
  const took = {
    engine: await inProject((place) => ours.engine(binary, place, edits)),
    editor: await inProject((place) => ours.editor(binary, place, edits)),
    files: await inProject((place) => ours.files(binary, place, edits)),
  };
  const after = await slowWays(binary, options.codingSolo, slowEdits / 2);
  const processes = median([...before.processes, ...after.processes]);
  const peer = before.peer && after.peer ? median([...before.peer, ...after.peer]) : undefined;
  return [
    perEdit("a Godot process for each edit", processes),
    ...(peer === undefined ? [] : [perEdit("@coding-solo/godot-mcp", peer)]),
    ...(["engine", "editor", "files"] as const).flatMap((mode) =>
      rowsOf(
        mode,
        took[mode],
        peer ?? processes,
        peer === undefined ? "a process for each edit" : "@coding-solo/godot-mcp",
      ),
    ),
  ];
}

function rowsOf(mode: keyof typeof GOALS, took: Took, baseline: number, against: string): BenchRow[] {
  const goal = GOALS[mode];
  const batch = took.perEditOfBatch;
  const bytes = took.inspectBytes;
  return [
    perEdit(`ours, ${mode}`, took.perEdit),
    timesFaster(`${mode} against ${against}`, baseline / took.perEdit, goal),
    ...(batch === undefined
      ? []
      : [
          perEdit(`ours, ${mode}, in one batch`, batch),
          timesFaster(`${mode}, in one batch, against ${against}`, baseline / batch, goal),
        ]),
    ...(bytes === undefined
      ? []
      : [
          {
            name: `inspect of a node, ${mode}`,
            value: bytes,
            unit: "bytes",
            goal: INSPECT_GOAL,
            met: bytes <= INSPECT_GOAL,
          },
        ]),
  ];
}

interface SlowWays {
  readonly processes: readonly number[];
  readonly peer: readonly number[] | undefined;
}

async function slowWays(binary: GodotBinary, entry: string | undefined, edits: number): Promise<SlowWays> {
  return {
    processes: await inProject((place) => times(processPerEdit(binary.path, place), edits)),
    peer: await inProject(async (place) => {
      const server = await codingSoloServer({ godot: binary.path, entry, ...place });
      if (server === undefined) return undefined;
      const took = await times(server.addNode, edits);
      server.close();
      return took;
    }),
  };
}

interface Took {
  readonly perEdit: number;
  readonly perEditOfBatch?: number;
  readonly inspectBytes?: number;
}

export interface Place {
  readonly project: string;
  readonly home: string;
  readonly scene: string;
}

const ours = {
  async engine(binary: GodotBinary, { project, home }: Place, edits: number): Promise<Took> {
    const env = { PATH: process.env.PATH, HOME: home };
    const engine = createEngine({ binary, project, env, home });
    try {
      return await byDriver(engine, edits);
    } finally {
      await engine.close();
    }
  },
  async editor(binary: GodotBinary, { project, home }: Place, edits: number): Promise<Took> {
    const bridgeFolder = join(home, "bridge");
    const bridge = await openBridge({ folder: bridgeFolder });
    const env = { PATH: process.env.PATH, HOME: home };
    const running = launchEditor({ binary, project, env, bridgeFolder, headless: true });
    try {
      const editor = await bridge.waitForEditor(project, { timeoutMs: 300_000 });
      if (!editor.ok) throw new Error(editor.failure.message);
      return await byDriver(editor.value, edits);
    } finally {
      await running.kill();
      await bridge.close();
    }
  },
  async files(_: GodotBinary, { project, home }: Place, edits: number): Promise<Took> {
    const work = {
      project: new Project(project, () => systemClock.now()),
      godots: new Godots({ project, godotPath: "", env: { HOME: home } }),
      signal: new AbortController().signal,
    };
    const add: AddNode = async (index) => {
      const answer = await editSceneFile(work, { scene: SCENE, mode: "files" }, "bench", [newNode(index)]);
      if (!answer.ok) throw new Error(answer.failure.message);
    };
    return { perEdit: median(await times(add, edits)) };
  },
};

async function byDriver(driver: GodotDriver, edits: number): Promise<Took> {
  const opened = await driver.request("scene.save", { scene: SCENE });
  if (!opened.ok) throw new Error(opened.failure.message);
  const edit = async (scene: string, batch: readonly SceneEdit[]) => {
    const answer = await driver.request("scene.edit", { scene, edits: batch });
    if (!answer.ok) throw new Error(answer.failure.message);
  };
  const perEdit = median(await times((index) => edit(SCENE, [newNode(index)]), edits));
  await driver.request("scene.create", { scene: BATCH_SCENE });
  const start = performance.now();
  await edit(
    BATCH_SCENE,
    Array.from({ length: edits }, (_, index) => newNode(index)),
  );
  const perEditOfBatch = (performance.now() - start) / edits;
  await edit(SCENE, [TYPICAL]);
  const inspected = await driver.request("inspect", { scene: SCENE, node: "Typical" });
  return { perEdit, perEditOfBatch, inspectBytes: Buffer.byteLength(JSON.stringify(inspected)) };
}

function newNode(index: number): SceneEdit {
  return { kind: "add", type: "Node2D", name: `Node${index}` };
}

const TYPICAL: SceneEdit = {
  kind: "add",
  type: "Sprite2D",
  name: "Typical",
  groups: ["enemies"],
  properties: {
    position: { x: 12.5, y: -3 },
    modulate: { r: 1, g: 0.5, b: 0, a: 1 },
    z_index: 2,
    flip_h: true,
  },
} as const;

/** Milliseconds of each edit. */
async function times(add: AddNode, edits: number): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < edits; index++) {
    const start = performance.now();
    await add(index);
    took.push(performance.now() - start);
  }
  return took;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function inProject<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-bench-")));
  try {
    const project = join(base, "project");
    const home = join(base, "home");
    await mkdir(home, { recursive: true });
    await cp(addonFolder, join(project, "addons/godot_mcp_bridge"), { recursive: true });
    writeFileSync(
      join(project, "project.godot"),
      'config_version=5\n\n[editor_plugins]\n\nenabled=PackedStringArray("res://addons/godot_mcp_bridge/plugin.cfg")\n',
    );
    writeFileSync(join(project, "bench.tscn"), '[gd_scene format=3]\n\n[node name="Root" type="Node2D"]\n');
    return await work({ project, home, scene: SCENE });
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

function timesFaster(name: string, value: number, goal: number): BenchRow {
  return { name, value: Math.round(value * 10) / 10, unit: "times faster", goal, met: value >= goal };
}

function perEdit(name: string, value: number): BenchRow {
  return { name, value: Math.round(value * 100) / 100, unit: "ms per node added" };
}
