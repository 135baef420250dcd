import type { WrittenLimit } from "../../config/written-limit.ts";
import type { PolicyCategory } from "../../x/operation-table.ts";
import type { RankedRule, RuleAction } from "./decide.ts";

export type TemplateName = "safe_default" | "growth_aggressive" | "agency_mode";

export interface Template {
  readonly rules: readonly RankedRule[];
  readonly limits: readonly WrittenLimit[];
}

const HOUR = 3_600;
const DAY = 86_400;

const deleteApproval = rule("delete", 100, ["delete"], approval("What is deleted cannot be brought back."));
const allowAll = rule("allow", 150, [], { type: "allow" });

export const templates: Readonly<Record<TemplateName, Template>> = {
  safe_default: {
    rules: [
      deleteApproval,
      rule("write", 101, ["write"], approval("A person approves what is posted.")),
      rule("thread", 102, ["thread"], approval("A person approves what is posted.")),
      rule("engage", 103, ["engage"], { type: "allow" }),
    ],
    limits: [limit("global", "", 20, HOUR), limit("category", "engage", 50, DAY)],
  },
  growth_aggressive: {
    rules: [deleteApproval, allowAll],
    limits: [limit("global", "", 50, HOUR), limit("category", "engage", 100, DAY)],
  },
  agency_mode: {
    rules: [deleteApproval, allowAll],
    limits: [
      limit("global", "", 200, DAY),
      limit("tool", "x_post_tweet", 30, DAY),
      limit("tool", "x_like_tweet", 50, DAY),
      limit("tool", "x_follow_user", 20, DAY),
    ],
  },
};

function rule(
  name: string,
  priority: number,
  categories: readonly PolicyCategory[],
  action: RuleAction,
): RankedRule {
  return { id: `template:${name}`, priority, conditions: { categories }, action };
}

function approval(reason: string): RuleAction {
  return { type: "require_approval", reason };
}

function limit(
  dimension: WrittenLimit["dimension"],
  match_value: string,
  max_count: number,
  period_seconds: number,
): WrittenLimit {
  return { key: `template:${match_value || dimension}`, dimension, match_value, max_count, period_seconds };
}
