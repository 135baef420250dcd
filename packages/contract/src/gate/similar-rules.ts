import { stat } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { type CallFacts, type Condition, conditionCompiler } from "./conditions.ts";
import { loadPolicy, type Policy } from "./policy.ts";
import { condition } from "./tool-rules.ts";

/** A `[[similar]]` table: calls like one that was approved are allowed for some time. */
export const similarEntry = z.strictObject({
  /** The approved item. */
  item: z.number().int().min(1),
  tool: z.string().min(1),
  when: condition,
  /** The identity of the caller whose calls are allowed; absent for callers without one. */
  caller: z.string().min(1).optional(),
  until: z.iso.datetime(),
  by: z.string(),
});
export type SimilarEntry = z.output<typeof similarEntry>;

export interface SimilarRule extends Omit<SimilarEntry, "when"> {
  readonly when: Condition;
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
    rules.push({ ...entry, when: when.value });
  }
  return ok(rules);
}

/** True if the rule allows a call, whenever it is made. */
export function covers(
  { tool: own, when, caller = "" }: Pick<SimilarRule, "tool" | "when" | "caller">,
  tool: string,
  facts: CallFacts,
): boolean {
  return tool === own && facts.caller === caller && when.holds(facts) === true;
}

/** The rules in force: those of the policy file as it is now. */
export interface SimilarRules {
  readonly covering: (tool: string, facts: CallFacts) => Promise<SimilarRule | undefined>;
}

/** Follows the policy file. All its other parts are read when the gate starts. */
export function followSimilar(
  { path, similar }: Pick<Policy, "path" | "similar">,
  log: (message: string) => void,
): SimilarRules {
  let rules = similar;
  let version: string | undefined;
  async function readAgain(): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    const now = `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    if (now === version) return;
    const policy = await loadPolicy(path);
    if (!policy.ok) log(`The rules for similar calls do not apply: ${policy.failure}`);
    rules = policy.ok ? policy.value.similar : [];
    version = now;
  }
  return {
    async covering(tool, facts) {
      await readAgain();
      return rules.find((rule) => Date.parse(rule.until) > facts.at.getTime() && covers(rule, tool, facts));
    },
  };
}
