import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { builtServer } from "./built-server.ts";
import { type McpServer, startMcpServer } from "./mcp-server.ts";
import { inScratchProject, SCENE } from "./scratch-project.ts";

interface PausesOptions {
  readonly nodes?: number;
  readonly rounds?: number;
}

/** The maximum delay of another call, in milliseconds. */
const GOAL = 30;
const PAUSE_MS = 2;

const EDITS: readonly object[] = [
  { action: "update", node: "N7", properties: { position: { x: 3, y: 0 } } },
  { action: "create", type: "Node2D", name: "New" },
  { action: "rename", node: "N9", newName: "Renamed" },
  { action: "duplicate", node: "N10" },
  { action: "reparent", node: "N11", parent: "N12" },
  { action: "remove", node: "N14" },
];

/**
 * The maximum delay of another tool's calls while a large scene is edited in its text: the calls are made one after
 * the other over stdio during each edit and its undo. The first round is not counted.
 */
export async function benchPauses(options: PausesOptions = {}): Promise<readonly Figure[]> {
  const { nodes = 50_000, rounds = 5 } = options;
  return inScratchProject(async ({ folder, env }) => {
    const lines = Array.from(
      { length: nodes },
      (_, index) => `\n[node name="N${index}" type="Node2D" parent="."]\nposition = Vector2(${index}, 2)\n`,
    );
    writeFileSync(
      join(folder, SCENE),
      `[gd_scene format=3]\n\n[node name="Main" type="Node2D"]\n${lines.join("")}`,
    );
    const args = ["--project", folder, "--godot", "", "serve"];
    const server = await startMcpServer([await builtServer(), ...args], env);
    try {
      const longest: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        let most = 0;
        for (const edit of EDITS) {
          most = Math.max(most, await longestDuring(server, { ...edit, scene: `res://${SCENE}` }));
          most = Math.max(most, await longestDuring(server, { action: "undo" }));
        }
        if (round > 0) longest.push(most);
      }
      const name = `longest pause of other calls while ${nodes.toLocaleString("en")} nodes are edited`;
      return [atMost(name, median(longest), "ms", GOAL)];
    } finally {
      await server.close();
    }
  });
}

async function longestDuring(server: McpServer, edit: object): Promise<number> {
  let isDone = false;
  const editing = server.call("godot_scene", edit).finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const start = performance.now();
    await server.call("godot_meta", { action: "tool_help", tool: "godot_log" });
    longest = Math.max(longest, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await editing;
  return longest;
}
