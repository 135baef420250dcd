import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../clock.ts";
import type { RateLimit } from "../guards/refusals.ts";
import { type CallFacts, type Condition, conditionCompiler } from "./conditions.ts";

/** The rule of a tool: it only reads, it may be called, it needs approval, or clients do not see it. */
export type Rule = (typeof RULES)[number];

/** From the mildest to the strictest. */
export const RULES = ["read_only", "allow", "person", "deny"] as const;

/** The rules of a tool, in the order in which they are tried. */
export interface ToolRule {
  /** The last one has no condition. */
  readonly steps: readonly RuleStep[];
  /** The name or pattern of the policy that applies; undefined for the default rule. */
  readonly entry: string | undefined;
  /** The price of a call in US dollars. */
  readonly price: number;
  readonly limits: readonly RateLimit[];
  /** How long an equal call without a key gets the first answer. */
  readonly sameCallMs: number;
  /** Whether secrets pass, are masked in results, or are also refused in arguments. */
  readonly secrets: (typeof SECRETS)[number];
}

const SECRETS = ["pass", "redact", "block"] as const;

export interface RuleStep {
  readonly when: Condition | undefined;
  readonly rule: Rule;
}

/** The rule for one call. */
export interface Decision {
  readonly rule: Rule;
  /** The condition that holds; undefined if the last rule applies. */
  readonly because: Condition | undefined;
  /** A condition that cannot be evaluated for these arguments: the strictest of the rules that are left applies. */
  readonly unclear: Condition | undefined;
}

/** Tries the rules in order. */
export function decide({ steps }: Pick<ToolRule, "steps">, facts: CallFacts): Decision {
  for (const [index, { when, rule }] of steps.entries()) {
    const holds = when === undefined ? true : when.holds(facts);
    if (holds === undefined)
      return {
        rule: steps
          .slice(index)
          .map(({ rule }) => rule)
          .reduce(stricter),
        because: undefined,
        unclear: when,
      };
    if (holds) return { rule, because: when, unclear: undefined };
  }
  return { rule: "person", because: undefined, unclear: undefined };
}

function stricter(one: Rule, other: Rule): Rule {
  return RULES.indexOf(other) > RULES.indexOf(one) ? other : one;
}

const SECOND_MS = 1_000;
const PERIODS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

export const usd = z.number().min(0).max(1_000_000);
const rule = z.enum(RULES);
export const limit = z
  .string()
  .regex(
    /^[1-9]\d{0,6}\/(second|minute|hour|day)$/,
    'write a limit as "10/hour": second, minute, hour or day',
  );
export const MAX_CONDITION = 2_000;
export const condition = z.string().min(1).max(MAX_CONDITION);
const toolEntry = z.union([
  rule,
  z
    .strictObject({
      rule: z.union([
        rule,
        z
          .array(z.strictObject({ when: condition.optional(), rule }))
          .min(1)
          .max(20),
      ]),
      when: condition.optional(),
      else: rule.optional(),
      price: usd.optional(),
      limit: limit.optional(),
      same_call_seconds: z.number().int().min(0).max(31_536_000).optional(),
      secrets: z.enum(SECRETS).optional(),
    })
    .refine(
      ({ rule, when, else: otherwise }) =>
        typeof rule !== "string"
          ? when === undefined && otherwise === undefined
          : when !== undefined || otherwise === undefined,
      {
        message: "write when and else with a single rule",
      },
    ),
]);
type ToolEntry = z.output<typeof toolEntry>;

/** The table `[tools]` of a policy. */
export const toolsTable = z.record(z.string(), toolEntry);

export interface RulesTable {
  readonly tools: z.output<typeof toolsTable>;
  readonly default: "person" | "deny";
  /** The limit on all tools together. */
  readonly limit: string | undefined;
}

/** Returns the rule of a tool. `shown` is the name that clients see, by which calls are counted. */
export async function rulesOf(
  table: RulesTable,
): Promise<Outcome<(tool: string, shown?: string) => ToolRule, string>> {
  const entries: CompiledEntry[] = [];
  let compile: Awaited<ReturnType<typeof conditionCompiler>> | undefined;
  for (const [name, given] of Object.entries(table.tools)) {
    const entry = typeof given === "string" ? { rule: given } : given;
    const steps: RuleStep[] = [];
    for (const { when: text, rule } of stepsOf(entry, table.default)) {
      if (text !== undefined) compile ??= await conditionCompiler();
      const condition = text === undefined ? ok(undefined) : compile?.(text);
      if (condition?.ok === false) return failed(`the condition of ${name} is wrong: ${condition.failure}`);
      steps.push({ when: condition?.value, rule });
    }
    entries.push({ name, entry, steps });
  }
  return ok((tool, shown = tool) => {
    const { name, entry, steps } = entryFor(entries, tool) ?? {};
    return {
      steps: steps ?? [{ when: undefined, rule: table.default }],
      entry: name,
      price: entry?.price ?? 0,
      limits: [...limitOf(entry?.limit, shown), ...limitOf(table.limit, undefined)],
      sameCallMs: (entry?.same_call_seconds ?? 0) * SECOND_MS,
      secrets: entry?.secrets ?? "pass",
    };
  });
}

type EntryTable = Exclude<ToolEntry, string>;

interface CompiledEntry {
  readonly name: string;
  readonly entry: Partial<EntryTable>;
  readonly steps: readonly RuleStep[];
}

interface WrittenStep {
  readonly when?: string | undefined;
  readonly rule: Rule;
}

/** A list that ends with a condition continues with the default rule. */
function stepsOf({ rule, when, else: otherwise }: EntryTable, last: Rule): readonly WrittenStep[] {
  const steps: readonly WrittenStep[] = typeof rule === "string" ? [{ when, rule }] : rule;
  return steps.at(-1)?.when === undefined ? steps : [...steps, { rule: otherwise ?? last }];
}

function strictness({ steps }: CompiledEntry): number {
  return Math.max(...steps.map(({ rule }) => RULES.indexOf(rule)));
}

/** Returns the entry of the name itself or of the longest matching pattern; of equally long ones, the strictest. */
function entryFor(entries: readonly CompiledEntry[], tool: string): CompiledEntry | undefined {
  const matching = entries.filter(({ name }) => name === tool || matches(name, tool));
  const [best] = matching.sort(
    (a, b) =>
      Number(b.name === tool) - Number(a.name === tool) ||
      b.name.length - a.name.length ||
      strictness(b) - strictness(a),
  );
  return best;
}

/** `*` matches any characters. */
export function matches(pattern: string, tool: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined || !tool.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return tool.endsWith(last) && tool.length - last.length >= at;
}

export function limitOf(text: string | undefined, tool: string | undefined): readonly RateLimit[] {
  const [max, period] = text?.split("/") ?? [];
  // The schema accepts these periods only.
  return max === undefined
    ? []
    : [{ tool, max: Number(max), periodMs: PERIODS[period as keyof typeof PERIODS] }];
}
