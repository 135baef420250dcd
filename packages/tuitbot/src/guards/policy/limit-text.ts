import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { WrittenLimit } from "../../config/written-limit.ts";
import { policyCategories } from "../../x/operation-table.ts";
import { canonicalTool, type NamedTool } from "./policy.ts";

/** A limit of an agent as people write it: `x_post_tweet=3/hour`, `engage=50/day`, `all=20/hour`. */
export function limitFrom(
  text: string,
  agent: string,
  tools: readonly NamedTool[],
): Outcome<WrittenLimit, string> {
  const [, what = "", count = "", period = ""] = /^([a-z_]+)=(\d{1,6})\/(hour|day|week)$/.exec(text) ?? [];
  const seconds = PERIODS[period];
  if (seconds === undefined)
    return failed(
      `${JSON.stringify(text)} is no limit. Write WHAT=COUNT/hour, /day or /week: engage=50/day.`,
    );
  const of = (dimension: WrittenLimit["dimension"], match_value: string): Outcome<WrittenLimit, string> =>
    ok({
      key: `agent:${agent}:${what}/${period}`,
      dimension,
      match_value,
      max_count: Number(count),
      period_seconds: seconds,
    });
  if (what === "all") return of("global", "");
  if (policyCategories.some((category) => category === what)) return of("category", what);
  const tool = canonicalTool(what, tools);
  return tool.ok
    ? of("tool", tool.value)
    : failed(
        `${JSON.stringify(what)} is neither all, nor one of ${policyCategories.join(", ")}, and ${tool.failure}`,
      );
}

/** The same limit in words. */
export function limitText({ key }: WrittenLimit): string {
  const [, , what = ""] = key.split(":");
  const [of = "", period = ""] = what.split("/");
  return `${of} per ${period}`;
}

const PERIODS: Readonly<Record<string, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
