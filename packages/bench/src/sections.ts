import { benchTelemetry } from "../../contract/bench/telemetry.ts";
import { benchBigScene } from "../../godot-mcp-omni/bench/big-scene.ts";
import { benchEdits } from "../../godot-mcp-omni/bench/edits.ts";
import { benchGames } from "../../godot-mcp-omni/bench/games.ts";
import { benchProjectGraph } from "../../godot-mcp-omni/bench/project-graph.ts";
import { benchStartAndList } from "../../godot-mcp-omni/bench/start-and-list.ts";
import { benchColdStart } from "../../tuitbot/bench/cold-start.ts";
import { benchDurableStep } from "../../tuitbot/bench/durable-step.ts";
import { benchEngines } from "../../tuitbot/bench/engines.ts";
import { benchGrowth } from "../../tuitbot/bench/growth.ts";
import { benchListBytes } from "../../tuitbot/bench/list-bytes.ts";
import { benchManyAgents } from "../../tuitbot/bench/many-agents.ts";
import { benchMemory } from "../../tuitbot/bench/memory.ts";
import { benchPostLatency } from "../../tuitbot/bench/post-latency.ts";
import { benchReadLatency } from "../../tuitbot/bench/read-latency.ts";
import { benchScoring } from "../../tuitbot/bench/scoring.ts";
import { benchClientOverhead } from "../../x-api/bench/client-overhead.ts";
import { benchTextCounter } from "../../x-api/bench/text-counter.ts";
import { benchSandboxThroughput } from "../../x-sandbox/bench/throughput.ts";
import type { Figure } from "./figure.ts";
import { benchLibraryStart } from "./library-start.ts";
import { benchOlderClients } from "./older-clients.ts";

/** What another package measures of itself. */
export interface Section {
  readonly name: string;
  readonly rows: readonly Figure[];
}

interface SectionSource {
  readonly name: string;
  readonly measure: (quick: boolean) => Promise<readonly (readonly Figure[])[]>;
}

const LEAST = { posts: 200, waiting: 20 };

export const SECTIONS: readonly SectionSource[] = [
  {
    name: "contract",
    measure: async (quick) => [
      await benchTelemetry(quick ? { rounds: 1, calls: 10 } : {}),
      await benchOlderClients(
        quick ? { rounds: 1, warmUp: 0, counts: { listsPerRound: 1, callsPerRound: 10, atOnce: 4 } } : {},
      ),
      // It builds packages that other tests may be using.
      ...(quick ? [] : [await benchLibraryStart()]),
    ],
  },
  {
    name: "x-api",
    measure: async (quick) => [
      await benchClientOverhead(quick ? { calls: 20, warmUp: 5 } : {}),
      await benchTextCounter(quick ? { rounds: 1 } : {}),
    ],
  },
  {
    name: "x-sandbox",
    measure: async (quick) => [await benchSandboxThroughput(quick ? { reads: 50, rounds: 1 } : {})],
  },
  {
    name: "tuitbot",
    measure: async (quick) =>
      quick
        ? [await benchListBytes()]
        : [
            await benchListBytes(),
            await benchColdStart(),
            await benchReadLatency(),
            await benchPostLatency(),
            await benchDurableStep(),
            await benchEngines(),
            await benchManyAgents(),
            benchScoring(),
            await benchMemory(),
          ],
  },
  {
    name: "growth",
    measure: async (quick) => [
      await benchGrowth(quick ? { engines: ["sqlite"], few: LEAST, many: LEAST, calls: 1 } : {}),
    ],
  },
  {
    name: "godot-mcp-omni",
    measure: async (quick) =>
      quick
        ? [await benchStartAndList({ starts: 1 })]
        : [
            await benchStartAndList(),
            await benchEdits(),
            await benchBigScene(),
            await benchProjectGraph(),
            await benchGames(),
          ],
  },
];

export async function runSection({ name, measure }: SectionSource, quick: boolean): Promise<Section> {
  return { name, rows: (await measure(quick)).flat() };
}
