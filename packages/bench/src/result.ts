import { boundText, meets } from "./figure.ts";
import { GOALS, type Goal } from "./goals.ts";
import type { Counts } from "./measure/servers.ts";
import { type Figures, METRICS, type Transport } from "./metrics.ts";
import type { Section } from "./sections.ts";
import type { TargetName } from "./targets.ts";

/** All that one run found; plain JSON. */
export interface BenchResult {
  readonly quick: boolean;
  readonly node: string;
  readonly platform: string;
  readonly date: string;
  readonly counts: Counts;
  readonly servers: readonly ServerFigures[];
  readonly goals: readonly JudgedGoal[];
  readonly sections: readonly Section[];
}

export interface ServerFigures {
  readonly transport: Transport;
  readonly figures: Partial<Record<TargetName, Figures>>;
}

export interface JudgedGoal {
  readonly name: string;
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
  readonly why?: string;
}

/** The goals whose figures are there, and whether they are met. */
export function judge(servers: readonly ServerFigures[]): JudgedGoal[] {
  return GOALS.flatMap((goal) => {
    const figures = servers.find(({ transport }) => transport === goal.transport)?.figures;
    const ratio = ratioOf(figures?.toolpact, figures?.[goal.against], goal);
    if (ratio === undefined) return [];
    const met = meets(ratio, goal.bound);
    return [
      {
        name: `${goal.transport}: ${METRICS[goal.metric].title}, against ${goal.against}`,
        ratio,
        goal: boundText(goal.bound, "×"),
        met,
        ...(!met && goal.whyMissed !== undefined && { why: goal.whyMissed }),
      },
    ];
  });
}

function ratioOf(
  ours: Figures | undefined,
  theirs: Figures | undefined,
  { metric }: Goal,
): number | undefined {
  if (ours === undefined || theirs === undefined) return undefined;
  const ratio = ours[metric] / theirs[metric];
  return Number.isFinite(ratio) ? ratio : undefined;
}
