import { benchEdits } from "../../godot-mcp-omni/bench/edits.ts";
import { benchGameStart } from "../../godot-mcp-omni/bench/game-start.ts";
import { benchPauses } from "../../godot-mcp-omni/bench/pauses.ts";
import { benchStartAndList } from "../../godot-mcp-omni/bench/start-and-list.ts";
import { benchColdStart } from "../../tuitbot/bench/cold-start.ts";
import { benchEngines } from "../../tuitbot/bench/engines.ts";
import { benchGrowth } from "../../tuitbot/bench/growth.ts";
import { benchListBytes } from "../../tuitbot/bench/list-bytes.ts";
import { benchPostLatency } from "../../tuitbot/bench/post-latency.ts";
import { benchReadLatency } from "../../tuitbot/bench/read-latency.ts";
import type { Figure } from "./figure.ts";
import { benchGate } from "./measure/gate.ts";
import { benchOlderClients } from "./measure/older-clients.ts";
import { benchSignIn } from "./measure/sign-in.ts";

/** Provided by another package. */
export interface Section {
  readonly name: string;
  readonly rows: readonly Figure[];
}

interface SectionSource {
  readonly name: string;
  /** Only in the first run, because it takes minutes. */
  readonly once?: boolean;
  readonly measure: (quick: boolean) => Promise<readonly (readonly Figure[])[]>;
}

const LEAST = { posts: 200, waiting: 20 };

export const SECTIONS: readonly SectionSource[] = [
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
            await benchEngines(),
          ],
  },
  {
    name: "growth",
    once: true,
    measure: async (quick) => [
      await benchGrowth(quick ? { engines: ["sqlite"], few: LEAST, many: LEAST, calls: 1 } : {}),
    ],
  },
  {
    name: "gate",
    measure: async (quick) => [await benchGate(quick ? { starts: 1, calls: 5, warmUp: 0 } : {})],
  },
  {
    name: "clients of 2025-11-25",
    measure: async (quick) => [
      await benchOlderClients(quick ? { rounds: 1, callsPerRound: 5, warmUp: 0 } : {}),
    ],
  },
  {
    name: "sign-in",
    measure: async (quick) => [await benchSignIn(quick ? { calls: 5, warmUp: 0 } : {})],
  },
  {
    name: "godot-mcp-omni",
    once: true,
    measure: async (quick) =>
      quick
        ? [await benchStartAndList({ starts: 1 })]
        : [await benchStartAndList(), await benchEdits(), await benchPauses(), await benchGameStart()],
  },
];

export async function runSection({ name, measure }: SectionSource, quick: boolean): Promise<Section> {
  return { name, rows: (await measure(quick)).flat() };
}
