import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { atLeast, atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { builtServer } from "./built-server.ts";
import { type BareProgram, bareGodot, bareWrite } from "./floor.ts";
import { type McpServer, startMcpServer } from "./mcp-server.ts";
import { processPerEdit } from "./process-per-edit.ts";
import { BATCH_SCENE, inScratchProject, SCENE, type ScratchProject } from "./scratch-project.ts";

export interface EditsOptions {
  /** The binary for all methods; by default that of the tests. */
  readonly godot?: string;
  /** Node additions per mode. */
  readonly edits?: number;
  /** Node additions for methods that start Godot for each. */
  readonly slowEdits?: number;
}

/** Adds one node and saves the scene; `index` counts the nodes. */
export type AddNode = (index: number) => Promise<unknown>;

const MODES = ["engine", "editor", "files"] as const;
type Mode = (typeof MODES)[number];

/** As multiples of the peer's time. */
const GOALS: Readonly<Record<Mode, number>> = { engine: 50, editor: 50, files: 500 };
/** As multiples of the minimum work. */
const FLOOR_GOALS: Readonly<Record<Mode, number>> = { engine: 1.5, editor: 1.3, files: 2 };
/** For a scene of this size in files mode, whose text is parsed and read back completely. */
const LARGE = { bytes: 80_000, goal: 4 };
const FLOORS: Readonly<Record<Mode, string>> = {
  engine: "the same node added and saved by a script in a warm Godot",
  editor: "the same node added by a script and saved by a warm editor",
  files: "the same write and fsync by a bare program",
};
const INSPECT_GOAL = 4_096;
const PEER = "@coding-solo/godot-mcp";

/**
 * Nodes added one by one to one scene, each saved before the next, from an empty scene, on the same Godot: by our
 * built server in each of its modes and by the peer, both over stdio. The first edit starts what it
 * needs and does not count. After each of our edits, a bare program does the minimum work.
 */
export async function benchEdits(options: EditsOptions = {}): Promise<readonly Figure[]> {
  const { edits = 100, slowEdits = 12 } = options;
  const godot = options.godot ?? (await import("../test/real-godot.ts")).realGodot;
  if (godot === undefined) return [];
  // The slow methods are measured before and after ours: a growing load slows down all alike.
  const before = await slowWays(godot, slowEdits / 2);
  const took = {
    engine: await ours("engine", godot, edits),
    editor: await ours("editor", godot, edits),
    files: await ours("files", godot, edits),
  };
  const large = await ours("files", godot, edits, LARGE.bytes);
  const after = await slowWays(godot, slowEdits / 2);
  const peer = median([...before.peer, ...after.peer]);
  return [
    figure("add a node, a Godot process each", median([...before.process, ...after.process]), "ms"),
    figure(`add a node, ${PEER}`, peer, "ms"),
    ...MODES.flatMap((mode) => [
      figure(`add a node, ${mode}`, took[mode].edit, "ms"),
      timesFaster(`add a node, ${mode} against ${PEER}`, peer / took[mode].edit, GOALS[mode]),
      figure(FLOORS[mode], took[mode].floor, "ms"),
      atMost(
        `add a node, ${mode} against that`,
        took[mode].edit / took[mode].floor,
        "times",
        FLOOR_GOALS[mode],
      ),
      timesFaster(`add ${edits} in a batch, ${mode} against ${PEER}`, peer / took[mode].inBatch, GOALS[mode]),
      atMost(`inspect a node, ${mode}`, took[mode].inspectBytes, "bytes", INSPECT_GOAL),
    ]),
    figure("add a node to a scene of 80 kB, files", large.edit, "ms"),
    atMost("that against the same write and fsync", large.edit / large.floor, "times", LARGE.goal),
  ];
}

function ours(mode: Mode, godot: string, edits: number, bytes = 0): Promise<Took> {
  return inScratchProject(async (project) => {
    appendFileSync(join(project.folder, SCENE), nodesOf(bytes));
    const args = ["--project", project.folder, "--godot", godot, "--trust", "serve", "--toolsets", "all"];
    const server = await startMcpServer([await builtServer(), ...args], project.env);
    try {
      if (mode === "editor")
        await server.call("godot_workspace", { action: "launch", headless: true, timeoutMs: 110_000 });
      const bare = mode === "files" ? bareWrite(project) : await bareGodot(mode, godot, project);
      try {
        return await measure(server, bare, mode, edits);
      } finally {
        await bare.close();
      }
    } finally {
      await server.close();
    }
  });
}

function nodesOf(bytes: number): string {
  let text = "";
  for (let index = 0; text.length < bytes; index++)
    text += `\n[node name="Old${index}" type="Node2D" parent="."]\nposition = Vector2(${index}, 2)\n`;
  return text;
}

interface Took {
  readonly edit: number;
  readonly floor: number;
  readonly inBatch: number;
  readonly inspectBytes: number;
}

async function measure(server: McpServer, bare: BareProgram, mode: Mode, edits: number): Promise<Took> {
  const place = { scene: `res://${SCENE}`, mode };
  const edit: number[] = [];
  const floor: number[] = [];
  // Alternate, to give both the same load.
  for (let index = 0; index <= edits; index++) {
    const added = { action: "create", ...place, type: "Node2D", name: `Node${index}` };
    const took = await timed(() => server.call("godot_scene", added));
    const least = await timed(() => bare.edit());
    if (index === 0) continue;
    edit.push(took);
    floor.push(least);
  }
  const batch = Array.from({ length: edits }, (_, index) => ({
    kind: "add",
    type: "Node2D",
    name: `Node${index}`,
  }));
  const start = performance.now();
  await server.call("godot_batch", { scene: `res://${BATCH_SCENE}`, mode, edits: batch });
  const inBatch = (performance.now() - start) / edits;
  await server.call("godot_scene", { action: "create", ...place, ...TYPICAL });
  const inspected = await server.call("godot_inspector", { action: "inspect", ...place, node: TYPICAL.name });
  return { edit: median(edit), floor: median(floor), inBatch, inspectBytes: inspected.bytes };
}

const TYPICAL = {
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

async function slowWays(godot: string, edits: number) {
  return {
    process: await inScratchProject((project) => times(processPerEdit(godot, project), edits)),
    peer: await inScratchProject((project) => byPeer(godot, project, edits)),
  };
}

async function byPeer(godot: string, { folder, env }: ScratchProject, edits: number): Promise<number[]> {
  // Installed with the package that measures everything.
  const require = createRequire(join(import.meta.dirname, "../../bench/package.json"));
  const server = await startMcpServer([require.resolve(`${PEER}/build/index.js`)], {
    ...env,
    GODOT_PATH: godot,
  });
  const place = { projectPath: folder, scenePath: SCENE, parentNodePath: "root", nodeType: "Node2D" };
  try {
    return await times((index) => server.call("add_node", { ...place, nodeName: `Node${index}` }), edits);
  } finally {
    await server.close();
  }
}

/** Milliseconds of each edit but the first. */
async function times(add: AddNode, edits: number): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index <= edits; index++) took.push(await timed(() => add(index)));
  return took.slice(1);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function timesFaster(name: string, value: number, goal: number): Figure {
  return atLeast(name, value, "times faster", goal);
}
