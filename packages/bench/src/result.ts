import { boundText, meets, verdictOf } from "./figure.ts";
import { GOALS, type Goal } from "./goals.ts";
import type { Counts } from "./measure/servers.ts";
import { median } from "./measure/statistics.ts";
import { type Figures, METRICS, type Transport } from "./metrics.ts";
import type { Section } from "./sections.ts";
import type { LeftOut, TargetName } from "./targets.ts";

export interface BenchResult {
  readonly quick: boolean;
  /** 1 if missing. */
  readonly runs?: number;
  readonly node: string;
  readonly platform: string;
  readonly date: string;
  readonly versions: Readonly<Partial<Record<TargetName, string>>>;
  readonly counts: Counts;
  readonly servers: readonly ServerFigures[];
  readonly leftOut?: readonly LeftOut[];
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
  readonly ratios: readonly number[];
  readonly goal: string;
  readonly met: boolean;
  readonly verdict: string;
  readonly why?: string;
}

/** A goal is met if every run meets it. */
export function judge(...runs: readonly (readonly ServerFigures[])[]): JudgedGoal[] {
  return GOALS.flatMap((goal) => {
    const ratios = runs.flatMap((servers) => {
      const figures = servers.find(({ transport }) => transport === goal.transport)?.figures;
      return ratioOf(figures?.toolpact, figures?.[goal.against], goal) ?? [];
    });
    if (ratios.length === 0) return [];
    const met = ratios.every((ratio) => meets(ratio, goal.bound));
    return [
      {
        name: `${goal.transport}: ${METRICS[goal.metric].title}, against ${goal.against}`,
        ratio: median(ratios),
        ratios,
        goal: boundText(goal.bound, "×"),
        met,
        verdict: verdictOf(ratios, goal.bound),
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
