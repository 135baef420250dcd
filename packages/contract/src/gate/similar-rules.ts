import { stat } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { DAY_MS } from "../clock.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import { type CallFacts, groupKey } from "../guards/learning/call-facts.ts";
import { applyRule, isAbout, type LearnedRule } from "../guards/learning/learned-rule.ts";
import { digest, type JsonObject } from "../json.ts";
import { type Condition, conditionCompiler } from "./conditions.ts";
import { learnedFacts } from "./learned-facts.ts";
import { loadPolicy, type Policy } from "./policy.ts";
import { condition } from "./tool-rules.ts";

/** A `[[similar]]` table: calls like those that a person decided about are allowed or denied for some time. */
export const similarEntry = z.strictObject({
  /** The decided item, the last of several. */
  item: z.number().int().min(1),
  does: z.enum(["allow", "deny"]).optional(),
  tool: z.string().min(1),
  when: condition,
  /** The identity of the caller whose calls are decided; absent for callers without one. */
  caller: z.string().min(1).optional(),
  /** How many calls it lets through in a UTC day. */
  per_day: z.number().int().min(1).max(100_000).optional(),
  /** When it was accepted. A later rejection of such a call suspends it. */
  since: z.iso.datetime().optional(),
  until: z.iso.datetime(),
  by: z.string(),
  /** The items of a rule that was proposed. */
  evidence: z.array(z.number().int()).optional(),
});
export type SimilarEntry = z.output<typeof similarEntry>;

/** Calls that a rule lets through in a day, unless its table says how many. */
export const SIMILAR_PER_DAY = 5;

/** A table of the policy, compiled to a rule of the shared engine. */
export interface SimilarRule {
  readonly entry: SimilarEntry;
  readonly when: Condition;
  readonly learned: LearnedRule;
}

/** A call as the rules see it. */
export interface SimilarCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly principal: string | undefined;
  readonly client?: string | undefined;
  readonly context?: JsonObject | undefined;
}

/** Compiles the tables of a policy. */
export async function similarRules(
  entries: readonly SimilarEntry[],
): Promise<Outcome<readonly SimilarRule[], string>> {
  if (entries.length === 0) return ok([]);
  const compile = await conditionCompiler();
  const rules: SimilarRule[] = [];
  for (const entry of entries) {
    const when = compile(entry.when);
    if (!when.ok)
      return failed(`the condition of the calls similar to item ${entry.item} is wrong: ${when.failure}`);
    rules.push({ entry, when: when.value, learned: learnedRule(entry) });
  }
  return ok(rules);
}

const ANY = { from: 0, to: Number.POSITIVE_INFINITY };

/** The condition states arguments, folders, hosts and amounts, and stands for the kind of target. */
function learnedRule({
  does = "allow",
  tool,
  when,
  caller,
  per_day,
  since,
  until,
}: SimilarEntry): LearnedRule {
  const base = learnedFacts({ tool, args: {}, principal: caller });
  const acceptedAt = since === undefined ? 0 : Date.parse(since);
  const expiresAt = Date.parse(until);
  return {
    does,
    conditions: { ...base, target: when, length: ANY, micros: ANY, amount: ANY, fences: [] },
    perDay: per_day ?? SIMILAR_PER_DAY,
    budgetMicros: Number.POSITIVE_INFINITY,
    acceptedAt,
    startsAt: acceptedAt,
    expiresAt,
    reviewAt: expiresAt,
  };
}

/** A call as the engine compares it with one rule. */
export function factsFor({ when, learned }: SimilarRule, call: SimilarCall, at: number): CallFacts {
  const { args, principal: caller = "", client = "" } = call;
  const { fences, ...facts } = learnedFacts(call);
  return {
    ...facts,
    argumentKinds: learned.conditions.argumentKinds,
    target: when.holds({ args, caller, client, at: new Date(at) }) === true ? when.text : "",
    fences: learned.does === "allow" ? fences : [],
  };
}

/** True if the rule is about a call, whatever its limits, its time and its fences. */
export function covers(rule: SimilarRule, call: SimilarCall, at: number): boolean {
  return isAbout(rule.learned, { ...factsFor(rule, call, at), fences: [] });
}

/**
 * The rejected call after which a rule lets nothing through: one that it covers, or one of the same group as the call that
 * it was made from. A rule is not suspended by calls that were rejected before it was accepted.
 */
export async function suspension(rule: SimilarRule, storage: Decisions): Promise<ApprovalItem | undefined> {
  const { does, acceptedAt } = rule.learned;
  if (does === "deny") return undefined;
  const rejected = (await storage.decidedSince(acceptedAt)).filter(({ status }) => status === "rejected");
  const own = rejected.length === 0 ? undefined : await storage.item(rule.entry.item);
  const group = own && groupKey(learnedFacts(own));
  return rejected.find(
    (item) => covers(rule, item, item.createdAt) || groupKey(learnedFacts(item)) === group,
  );
}

/** The rules in force: those of the policy file as it is now. */
export interface SimilarRules {
  readonly all: () => Promise<readonly SimilarRule[]>;
  readonly deciding: (call: SimilarCall, now: number) => Promise<SimilarRule | undefined>;
}

/** The decision about a call that a rule let through, as items and the log name it. */
export function admittedBy(item: number): string {
  return `the rule for calls similar to ${item},`;
}

/** Follows the policy file. All its other parts are read when the gate starts. */
export function followSimilar(
  { path, similar }: Pick<Policy, "path" | "similar">,
  storage: Decisions,
  log: (message: string) => void,
): SimilarRules {
  let rules = similar;
  let version: string | undefined;
  const reserved = new Map<number, { readonly day: number; readonly calls: Set<string> }>();

  async function all(): Promise<readonly SimilarRule[]> {
    const found = await stat(path).catch(() => undefined);
    const now = `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    if (now === version) return rules;
    const policy = await loadPolicy(path);
    if (!policy.ok) log(`The rules for similar calls do not apply: ${policy.failure}`);
    rules = policy.ok ? policy.value.similar : [];
    version = now;
    return rules;
  }

  /** Counts today's calls that are not stored yet too: a burst cannot pass the limit. */
  function reserve({ entry, learned }: SimilarRule, call: SimilarCall, stored: number, now: number): boolean {
    const day = Math.floor(now / DAY_MS);
    const known = reserved.get(entry.item);
    const calls = known?.day === day ? known.calls : new Set<string>();
    const one = digest([call.tool, call.args]);
    if (!calls.has(one) && Math.max(stored, calls.size) >= learned.perDay) return false;
    reserved.set(entry.item, { day, calls: calls.add(one) });
    return true;
  }

  return {
    all,
    async deciding(call, now) {
      const about = (await all()).filter((rule) => rule.learned.expiresAt > now && covers(rule, call, now));
      if (about.length === 0) return undefined;
      const decided = await storage.decidedSince(now - (now % DAY_MS));
      const applies = (rule: SimilarRule, today: number) =>
        applyRule(rule.learned, factsFor(rule, call, now), { today, spentMicros: 0 }, now).applies;
      const denying = about.find((rule) => rule.learned.does === "deny" && applies(rule, 0));
      if (denying !== undefined) return denying;
      for (const rule of about) {
        const today = usedToday(rule, decided, now);
        if (rule.learned.does === "deny" || !applies(rule, today)) continue;
        if ((await suspension(rule, storage)) !== undefined) continue;
        if (reserve(rule, call, today, now)) return rule;
      }
      return undefined;
    },
  };
}

/** Stored decisions. */
export interface Decisions {
  readonly decidedSince: (since: number) => Promise<readonly ApprovalItem[]>;
  readonly item: (id: number) => Promise<ApprovalItem | undefined>;
}

/** How many calls a rule has let through in this UTC day. */
function usedToday(
  { entry }: Pick<SimilarRule, "entry">,
  decided: readonly ApprovalItem[],
  now: number,
): number {
  const day = now - (now % DAY_MS);
  const by = admittedBy(entry.item);
  return decided.filter(
    ({ decidedAt = 0, decidedBy }) => decidedAt >= day && decidedBy?.startsWith(by) === true,
  ).length;
}
