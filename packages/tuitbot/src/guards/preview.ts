import type { Call, Failure } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import { usdOf } from "@toolpact/contract/internal/money";
import type { Access } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";
import { budgetLedger } from "./budget/ledger.ts";
import { costOf } from "./call/call-context.ts";
import { type Mutation, mutationOf, type PlannedCall } from "./call/mutation.ts";
import { budgetRefusal } from "./mutation/budget.ts";
import { policyActionOf } from "./mutation/policy.ts";
import { unavailable } from "./mutation/protect.ts";
import { suspicionOfTexts } from "./mutation/safety.ts";
import { decide, type PolicyDecision } from "./policy/decide.ts";
import { limitsFor, limitUse, placesOf } from "./policy/limits.ts";
import type { Policy } from "./policy/policy.ts";
import { type EarlierMutation, earlierCall, identityOf } from "./receipts/receipt.ts";
import { findReceipt } from "./receipts/receipt-queries.ts";

export interface PreviewSetting extends Session {
  readonly policy: Policy;
  readonly caps: BudgetCaps;
  readonly access: Access;
  readonly business: Config["business"];
  /** Shown to the caller recently. */
  readonly read: readonly string[];
  readonly now: number;
}

/** Without a request, and without using anything up. */
export interface Preview {
  /** As far as known. */
  readonly refusal: Failure | undefined;
  /** Or what it asks for. */
  readonly budget: Failure | undefined;
  readonly decision: PolicyDecision;
  readonly estimatedUsd: number;
  /** With the same arguments. */
  readonly earlier: EarlierMutation["kind"] | undefined;
  /** With the places needed. */
  readonly limits: readonly {
    readonly key: string;
    readonly used: number;
    readonly max: number;
    readonly needed: number;
  }[];
  /** From the last day, for which X would reject it. */
  readonly duplicateOf: string | undefined;
}

/** Undefined for reads. */
export async function previewMutation(
  call: PlannedCall & Pick<Call, "caller">,
  setting: PreviewSetting,
): Promise<Preview | undefined> {
  const mutation = mutationOf(call);
  if (mutation === undefined) return undefined;
  const { store, account, policy, caps, access, business, read, now } = setting;
  const { action: plain } = await policyActionOf(call.caller, setting, mutation);
  const suspicion = plain.isReply ? undefined : await suspicionOfTexts(setting, business, plain.texts, read);
  const action = { ...plain, isSuspect: suspicion !== undefined };
  const { claim } = identityOf(account, call.tool.name, call.input);
  const needs = limitsFor(policy, action);
  const [uses, receipt, budget, duplicateOf] = await Promise.all([
    limitUse(store.db, account, needs, now),
    mutation.repeat === "free" ? undefined : findReceipt(store.db, account, { claim }),
    budgetRefusal(call.input, mutation, budgetLedger(setting, false), caps, now),
    findDuplicate(setting, mutation),
  ]);
  const refusal = unavailable(mutation, access);
  return {
    refusal: refusal?.failure,
    budget: budget?.failure,
    decision: withSuspicion(decide(policy, action, { now, isApproved: false }), suspicion),
    estimatedUsd: usdOf(costOf(mutation.requests)),
    earlier: receipt === undefined ? undefined : earlierCall(receipt, now).kind,
    limits: needs.map((need, index) => ({
      ...{ key: need.key, used: uses[index]?.used ?? 0, max: need.max, needed: placesOf(need) },
    })),
    duplicateOf,
  };
}

function withSuspicion(decision: PolicyDecision, suspicion: string | undefined): PolicyDecision {
  return decision.kind === "require_approval" && suspicion !== undefined
    ? { ...decision, reason: `${suspicion} ${decision.reason}` }
    : decision;
}

/** X compares words; here, only single posts are known by theirs. */
async function findDuplicate(
  { store, account, now }: PreviewSetting,
  { posts }: Pick<Mutation, "posts">,
): Promise<string | undefined> {
  const [post] = posts;
  const isPlain = post !== undefined && post.replyTo === undefined && post.quoteOf === undefined;
  if (!isPlain || (post.mediaIds ?? []).length > 0) return undefined;
  const recent = await store.db
    .selectFrom("publications")
    .select(["post_id", "text"])
    .where("account", "=", account)
    .where("published_at", ">", now - DAY_MS)
    .where("reply_to", "is", null)
    .orderBy("published_at", "desc")
    .execute();
  const wanted = wordsOf(post.text);
  return recent.find(({ text }) => wordsOf(text) === wanted)?.post_id;
}

function wordsOf(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}
