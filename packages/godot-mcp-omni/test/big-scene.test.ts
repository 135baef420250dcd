import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import type { JsonObject } from "@toolpact/contract";
import { expect, test } from "vitest";
import { EDITS, inBigScene } from "./big-scene.ts";

test("an edit of a scene with ten times as many nodes is at most twelve times the work", async () => {
  const [small, large] = [await workIn(300), await workIn(3_000)];
  const growth = EDITS.map((edit, index) => ({
    edit: edit.action,
    times: (large[index] ?? 0) / (small[index] ?? 0),
  }));
  expect(growth.filter(({ times }) => !(times <= 12))).toEqual([]);
  // Looking at every node is work that has to show.
  expect(growth[0]?.times).toBeGreaterThan(5);
});

/** How often parts of our code run in each edit, as V8 counts them: time would depend on the machine. */
async function workIn(nodes: number): Promise<readonly number[]> {
  const session = new Session();
  session.connect();
  // Optimised code does not count.
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-maglev");
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const counts: number[] = [];
  try {
    await inBigScene(nodes, async (edit) => {
      const counted = async (args: JsonObject) => {
        await session.post("Profiler.takePreciseCoverage");
        await edit(args);
        const { result } = await session.post("Profiler.takePreciseCoverage");
        return result
          .filter(({ url }) => url.includes("/godot-mcp-omni/src/"))
          .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
          .reduce((sum, { count }) => sum + count, 0);
      };
      for (const args of EDITS) counts.push(await counted(args));
    });
  } finally {
    session.disconnect();
  }
  return counts;
}
