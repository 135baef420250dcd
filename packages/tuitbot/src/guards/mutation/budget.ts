import {
  type AnyOutcome,
  type Failed,
  type Failure,
  failed,
  type JsonObject,
  type Tool,
} from "@toolpact/contract";
import {
  type BudgetCaps,
  billed,
  newBill,
  type OverBudget,
  wouldExceed,
} from "@toolpact/contract/internal/guards";
import { formatUsd, usdOf } from "@toolpact/contract/internal/money";
import { type Agent, agentId, callerName } from "../../agents/agent.ts";
import type { ErrorCode } from "../../errors.ts";
import { storageFailure } from "../../storage/storage-error.ts";
import { type AccountLedger, isOutage, type XBill } from "../budget/bill.ts";
import {
  type CallContext,
  costOf,
  type MutationPlan,
  type Surcharge,
  type TuitbotCall,
  type TuitbotGuard,
  takesKey,
} from "../call/call-context.ts";
import { ACCEPT_URL_PRICE } from "../receipts/receipt.ts";

export interface BudgetDependencies {
  readonly caps: BudgetCaps;
  readonly now: () => number;
}

export function budgetCodes(tool: Pick<Tool, "needs" | "effects">): readonly ErrorCode[] {
  if (!tool.needs.includes("x")) return [];
  const caps = ["policy_denied_rate_limited", "policy_denied_user_rule", "db_error"] as const;
  return takesKey(tool) ? [...caps, "validation_error"] : caps;
}

/** Tools that do not read X get no bill. */
export async function withBill(
  call: TuitbotCall<Pick<CallContext, "account" | "isOwnCall" | "ledger" | "planned">>,
  { caps, now }: BudgetDependencies,
  run: (bill: XBill | undefined) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  const { needs } = call.tool;
  if (!needs.includes("x") && !needs.includes("server")) return run(undefined);
  const { account, planned, ledger = account?.ledger, isOwnCall } = call.context;
  const bill: XBill = newBill({
    callId: call.id,
    tool: call.tool.name,
    by: callerName(call.caller, isOwnCall),
    ledger,
    caps,
    now,
  });
  return billed(bill, () => run(bill), {
    annotate: call.annotate,
    // By X's price list, because X itself does not report costs.
    writes: () => planned?.record ?? NO_WRITES,
    refuse: (why) => (isOutage(why) ? storageFailure(why) : overBudget(why)),
    isOutage,
  });
}

const NO_WRITES = { estimated: 0, paid: 0 };

/** The account's and the agent's. */
export function capsFor(caps: BudgetCaps, agent: Agent | undefined): BudgetCaps {
  if (agent === undefined) return caps;
  const { perDay, perMonth } = agent;
  return { ...caps, caller: { id: agentId(agent), perDay, perMonth } };
}

/** Or what the caller must accept first. */
export async function budgetRefusal(
  input: JsonObject,
  { requests, surcharge }: Pick<MutationPlan, "requests" | "surcharge">,
  ledger: AccountLedger,
  caps: BudgetCaps,
  now: number,
): Promise<Failed<Failure> | undefined> {
  if (surcharge !== undefined && input[ACCEPT_URL_PRICE] !== true) return urlPrice(surcharge);
  const over = await wouldExceed(ledger, costOf(requests), caps, now);
  return over === undefined ? undefined : overBudget(over);
}

export function overBudget({
  cap,
  capMicros,
  neededMicros,
  resetsAt,
  caller: agent,
}: OverBudget): Failed<Failure> {
  const setting = agent === undefined ? `budget.max_usd_per_${cap}` : `the budget of ${agent} for a ${cap}`;
  const shared = {
    reason: "budget",
    policyDecision: "denied",
    fixBy: "operator",
    details: {
      cap,
      cap_usd: usdOf(capMicros),
      needed_usd: usdOf(neededMicros),
      ...(agent !== undefined && { agent }),
    },
  } as const;
  if (resetsAt === undefined) {
    return failed({
      ...shared,
      code: "policy_denied_user_rule",
      message: `This call may cost ${formatUsd(neededMicros)}; ${setting} is ${formatUsd(capMicros)}. Nothing was sent.`,
      suggestedFix: `Ask for less, or have the operator raise ${setting}.`,
    });
  }
  return failed({
    ...shared,
    code: "policy_denied_rate_limited",
    message: `This call may cost ${formatUsd(neededMicros)}, which does not fit under ${setting} (${formatUsd(capMicros)}) any more. Nothing was sent.`,
    suggestedFix: `Wait for rate_limit_reset, or have the operator raise ${setting}.`,
    rateLimitReset: new Date(resetsAt).toISOString(),
  });
}

/** X may see links that the author did not intend. */
export function urlPrice({ links, micros, plainMicros }: Surcharge): Failed<Failure<"validation_error">> {
  const quoted = links.map((link) => JSON.stringify(link)).join(", ");
  return failed({
    code: "validation_error",
    reason: "url_price",
    message: `X charges ${formatUsd(micros)} for this instead of ${formatUsd(plainMicros)}, because it takes ${quoted} for a link. Nothing was sent.`,
    suggestedFix: "Call again with accept_url_price: true, or without the link.",
    fixBy: "agent",
    details: { price_usd: usdOf(micros), price_without_links_usd: usdOf(plainMicros), links },
  });
}

type Required = Pick<CallContext, "account" | "agent" | "isOwnCall" | "ledger">;
type Added = Pick<CallContext, "bill">;

/** For reads. Mutations have `protect`. */
export const budget: TuitbotGuard<BudgetDependencies, Required, Added> = {
  name: "budget",
  codes: budgetCodes,
  run: (call, next, { caps, now }) =>
    withBill(call, { caps: capsFor(caps, call.context.agent), now }, (bill) =>
      next({ context: bill === undefined ? {} : { bill } }),
    ),
};

/** If nothing is stored and no caps apply. */
export const cost: TuitbotGuard<Pick<BudgetDependencies, "now">, object, Added> = {
  name: "cost",
  codes: () => [],
  run: (call, next, { now }) =>
    withBill(call, { caps: {}, now }, (bill) => next({ context: bill === undefined ? {} : { bill } })),
};
