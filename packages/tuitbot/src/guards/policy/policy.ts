import { nearest } from "@toolpact/contract/internal";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { ConfigProblem } from "../../config/problem.ts";
import type { Config } from "../../config/schema.ts";
import type { WrittenLimit } from "../../config/written-limit.ts";
import { engagements, type PolicyCategory, policyCategories } from "../../x/operation-table.ts";
import { type Declared, floors, hardRules, type Mode, type PolicyRule, type RankedRule } from "./decide.ts";
import { templates } from "./templates.ts";

/** Checked, and in deciding order. */
export interface Policy {
  readonly mode: Mode;
  readonly hard: readonly PolicyRule[];
  /** Blocked and simulated tools, then template and rules by priority. */
  readonly rules: readonly PolicyRule[];
  readonly floors: readonly PolicyRule[];
  readonly limits: readonly WrittenLimit[];
  /** From the section `limits`, in every policy. */
  readonly safety: Config["limits"];
}

type PolicyConfig = Pick<Config, "mode" | "mcp_policy" | "limits">;

/** An unknown tool name is a problem. */
export function policyFrom(
  { mode, mcp_policy, limits }: PolicyConfig,
  declared: Declared,
  knownTools: readonly NamedTool[],
): Outcome<Policy, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const toolNames = (names: readonly string[], key: string): string[] =>
    names.flatMap((name) => {
      const canonical = canonicalTool(name, knownTools);
      if (canonical.ok) return [canonical.value];
      problems.push({ key, message: canonical.failure });
      return [];
    });
  const categories = (names: readonly string[], key: string): PolicyCategory[] =>
    names.flatMap((name) => {
      const known = policyCategories.find((category) => category === name);
      if (known === undefined)
        problems.push({
          key,
          message: `must be one of ${policyCategories.join(", ")}: ${JSON.stringify(name)} is not.`,
        });
      return known === undefined ? [] : [known];
    });

  const template = mcp_policy.template === undefined ? undefined : templates[mcp_policy.template];
  const own = mcp_policy.rules
    .filter(({ enabled }) => enabled)
    .map(({ id, priority, conditions, action }) => ({
      id,
      priority,
      action,
      conditions: {
        tools: toolNames(conditions.tools, `mcp_policy.rules.${id}.conditions.tools`),
        categories: categories(conditions.categories, `mcp_policy.rules.${id}.conditions.categories`),
        modes: conditions.modes,
        schedule_window: conditions.schedule_window,
      },
    }));
  const { always, approvals } = listedRules(mcp_policy, toolNames);
  const written = mcp_policy.rate_limits.map((given) => {
    const { dimension, match_value } = given;
    const at = `mcp_policy.rate_limits.${given.key}.match_value`;
    // Separate from the product's counters.
    const limit = { ...given, key: `limit:${given.key}` };
    if (match_value === "" || match_value === "*") return limit;
    if (dimension === "category") categories([match_value], at);
    if (dimension === "engagement_type" && !engagements.some((known) => known === match_value))
      problems.push({
        key: at,
        message: `must be one of ${engagements.join(", ")}: ${JSON.stringify(match_value)} is not.`,
      });
    return dimension === "tool" ? { ...limit, match_value: toolNames([match_value], at)[0] ?? "" } : limit;
  });

  if (problems.length > 0) return failed(problems);
  const rules = [...(template?.rules ?? []), ...own];
  const isEnforced = mcp_policy.enforce_for_mutations;
  return ok({
    mode,
    hard: hardRules,
    rules: isEnforced ? [...always, ...byPriority(rules)] : [],
    // No template or rule overrides the approval list.
    floors: [...(isEnforced ? approvals : []), ...floors(declared)],
    limits: isEnforced
      ? [...(template?.limits ?? [hourly(mcp_policy.max_mutations_per_hour)]), ...written]
      : [],
    safety: limits,
  });
}

/** Blocked, dry run, approval: they override template and rules. */
function listedRules(
  { blocked_tools, dry_run_mutations, require_approval_for }: Config["mcp_policy"],
  toolNames: (names: readonly string[], key: string) => string[],
): { readonly always: readonly PolicyRule[]; readonly approvals: readonly PolicyRule[] } {
  const blocked = toolNames(blocked_tools, "mcp_policy.blocked_tools").map((tool) => ({
    id: `v1:blocked:${tool}`,
    conditions: { tools: [tool] },
    action: { type: "deny", reason: "The operator has blocked this tool." } as const,
  }));
  const dryRun = { id: "v1:dry_run", conditions: {}, action: { type: "dry_run" } as const };
  const approvals = toolNames(require_approval_for, "mcp_policy.require_approval_for").map((tool) => ({
    id: `v1:approval:${tool}`,
    conditions: { tools: [tool] },
    action: { type: "require_approval", reason: "Your settings ask for approval." } as const,
  }));
  return { always: [...blocked, ...(dry_run_mutations ? [dryRun] : [])], approvals };
}

/** Across all actions of a template. */
function hourly(max_count: number): WrittenLimit {
  return { key: "mcp_mutation", dimension: "global", match_value: "", max_count, period_seconds: 3_600 };
}

/** Equal priorities keep their order. */
function byPriority(rules: readonly RankedRule[]): readonly RankedRule[] {
  return rules.toSorted((a, b) => a.priority - b.priority);
}

export interface NamedTool {
  readonly name: string;
  readonly facts?: { readonly olderNames?: readonly string[] };
}

/** Also from an older name. */
export function canonicalTool(name: string, known: readonly NamedTool[]): Outcome<string, string> {
  const found =
    known.find((tool) => tool.name === name) ??
    known.find(({ name: its, facts }) => its === `x_${name}` || facts?.olderNames?.includes(name));
  if (found !== undefined) return ok(found.name);
  const guess = nearest(
    name,
    known.map((tool) => tool.name),
  );
  return failed(
    `names no tool: ${JSON.stringify(name)}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
  );
}

/** Such as `x_post_tweet=3/hour`, `engage=50/day`, `all=20/hour`. */
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

export function limitText({ key }: WrittenLimit): string {
  const [, , what = ""] = key.split(":");
  const [of = "", period = ""] = what.split("/");
  return `${of} per ${period}`;
}

const PERIODS: Readonly<Record<string, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
