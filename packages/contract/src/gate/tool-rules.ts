import * as z from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../clock.ts";
import type { RateLimit } from "../guards/refusals.ts";

/** The rule of a tool: it only reads, it may be called, it needs approval, or clients do not see it. */
export type Rule = (typeof RULES)[number];

/** From the mildest to the strictest. */
export const RULES = ["read_only", "allow", "person", "deny"] as const;

export interface ToolRule {
  readonly rule: Rule;
  /** The name or pattern of the policy that applies; undefined for the default rule. */
  readonly entry: string | undefined;
  /** The price of a call in US dollars. */
  readonly price: number;
  readonly limits: readonly RateLimit[];
  /** How long an equal call without a key gets the first answer. */
  readonly sameCallMs: number;
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
const toolEntry = z.union([
  rule,
  z.strictObject({
    rule,
    price: usd.optional(),
    limit: limit.optional(),
    same_call_seconds: z.number().int().min(0).max(31_536_000).optional(),
  }),
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
export function rulesOf(table: RulesTable): (tool: string, shown?: string) => ToolRule {
  const entries = Object.entries(table.tools);
  return (tool, shown = tool) => {
    const [name, found] = entryFor(entries, tool) ?? [];
    const given = typeof found === "string" ? { rule: found } : (found ?? { rule: table.default });
    return {
      rule: given.rule,
      entry: name,
      price: given.price ?? 0,
      limits: [...limitOf(given.limit, shown), ...limitOf(table.limit, undefined)],
      sameCallMs: (given.same_call_seconds ?? 0) * SECOND_MS,
    };
  };
}

type NamedEntry = readonly [string, ToolEntry];

function strictness([, entry]: NamedEntry): number {
  return RULES.indexOf(typeof entry === "string" ? entry : entry.rule);
}

/** Returns the entry of the name itself or of the longest matching pattern; of equally long ones, the strictest. */
function entryFor(entries: readonly NamedEntry[], tool: string): NamedEntry | undefined {
  const matching = entries.filter(([pattern]) => pattern === tool || matches(pattern, tool));
  const [best] = matching.sort(
    (a, b) =>
      Number(b[0] === tool) - Number(a[0] === tool) ||
      b[0].length - a[0].length ||
      strictness(b) - strictness(a),
  );
  return best;
}

/** `*` matches any characters. */
function matches(pattern: string, tool: string): boolean {
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

function limitOf(text: string | undefined, tool: string | undefined): readonly RateLimit[] {
  const [max, period] = text?.split("/") ?? [];
  // The schema accepts these periods only.
  return max === undefined
    ? []
    : [{ tool, max: Number(max), periodMs: PERIODS[period as keyof typeof PERIODS] }];
}
