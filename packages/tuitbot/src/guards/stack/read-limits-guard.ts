import type { Call, Guard } from "@toolpact/contract";
import type { ErrorCode } from "../../errors.ts";
import { transact } from "../../storage/transaction.ts";
import type { PolicyCategory } from "../../x/operation-table.ts";
import type { Annotations, CallContext } from "../call/call-context.ts";
import { type CallPlan, isRaw, type ToolFacts } from "../call/tool-facts.ts";
import { limitReached, limitsOfAgent } from "../policy/limit.ts";
import { takePlaces } from "../policy/limits.ts";
import type { PolicyAction } from "../policy/rules.ts";

type Required = Pick<CallContext, "account" | "agent">;
type Tool = Call<ToolFacts, CallPlan>["tool"];

/**
 * Counts a call that asks X or a model, and changes nothing at X, under the limits of its agent. Changes are counted
 * with their receipts.
 */
export const readLimits: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  { readonly now: () => number },
  Required,
  object,
  ErrorCode
> = {
  name: "read limits",
  codes: (tool) => (isCounted(tool) ? ["policy_denied_rate_limited"] : []),
  async run({ tool, context: { account, agent } }, next, { now }) {
    if (account === undefined || !isCounted(tool)) return next();
    const needed = limitsOfAgent(agent, readBy(tool));
    if (needed.length === 0) return next();
    const taken = await transact(account.store, (db) => takePlaces(db, account.account, needed, now()));
    return taken.ok ? next() : limitReached(taken.failure);
  },
};

/** Whether calls of a tool are counted under the limits of agents. Other tools only read and write the database. */
export function isCounted({ needs }: Pick<Tool, "needs">): boolean {
  return needs.includes("x") || needs.includes("llm");
}

function readBy({ name, facts }: Tool): PolicyAction {
  const categories: readonly (PolicyCategory | undefined)[] = [
    facts.policyCategory,
    isRaw(facts) ? "universal_request" : undefined,
  ];
  return {
    tools: [name],
    categories: categories.filter((category) => category !== undefined),
    ...{ includes: [], posts: 0, texts: [] },
    ...{ isByPerson: false, isReply: false, isSecondReply: false, mentions: false },
  };
}
