import {
  type Call,
  type Failed,
  type Failure,
  failed,
  type Guard,
  type Next,
  type PlainExtras,
} from "@toolpact/contract";
import { enqueue } from "../../approval/queue.ts";
import type { Session } from "../../storage/session.ts";
import { shownUsd } from "../budget/money.ts";
import type { GuardOutcome, MutationContext } from "../call-context.ts";
import { publishedMedia } from "../media-bytes.ts";
import { beforeItBegins, mutationGuard } from "../mutation-guard.ts";
import { costOf, type Mutation, mediaIdsOf, planOf } from "../plan.ts";
import { hasAnswered } from "../receipts/claim.ts";
import { madeHere } from "../receipts/undo.ts";
import { type Decision, decide } from "./decide.ts";
import { limitsFor } from "./limits-for.ts";
import type { Policy } from "./policy.ts";
import type { PolicyAction } from "./policy-rule.ts";

export interface PolicyOptions {
  readonly policy: () => Policy;
  /** Key of the approvals' digests. */
  readonly approvalKey: () => Promise<Uint8Array>;
  readonly approvalLifeMs: () => number;
  readonly mediaRoots: () => readonly string[];
  readonly now: () => number;
}

/** Denies, only pretends, or asks a person first, as the policy decides. */
export function policyGuard(options: PolicyOptions): Guard<PlainExtras> {
  return mutationGuard(
    "policy",
    [
      "policy_denied_blocked",
      "policy_denied_hard_rule",
      "policy_denied_user_rule",
      "file_read_error",
      "invalid_input",
      "validation_error",
    ],
    beforeItBegins((call, context, next) => throughPolicy(call, context, options, next)),
  );
}

async function throughPolicy(
  call: Call<PlainExtras>,
  context: MutationContext,
  options: PolicyOptions,
  next: Next,
): Promise<GuardOutcome> {
  const policy = options.policy();
  const { action, answers } = await policyActionOf(call.caller, context, context.mutation);
  context.answers = answers;
  const decision = decide(policy, action, { now: options.now(), isApproved: context.release !== undefined });
  context.ruleId = decision.ruleId;
  context.decision = WORDS[decision.kind];
  switch (decision.kind) {
    case "allow":
      context.limits = [...context.limits, ...limitsFor(policy, action)];
      return next();
    case "deny":
      return denied(call, decision);
    case "dry_run":
      return onlyPretended(call, context, decision);
    case "require_approval":
      return askedFor(call, context, decision, options);
  }
}

/** As telemetry and audit say it. */
const WORDS: Readonly<Record<Decision["kind"], string>> = {
  allow: "allow",
  deny: "deny",
  require_approval: "route_to_approval",
  dry_run: "dry_run",
};

/** A mutation as the rules see it, and the post of somebody else that it answers. */
export async function policyActionOf(
  { transport }: Call["caller"],
  { store, account }: Session,
  { policy, replyTo }: Mutation,
): Promise<{ readonly action: PolicyAction; readonly answers: string | undefined }> {
  // Going on with one's own post is no reply in the sense of the rules.
  const isToOthers = replyTo !== undefined && !(await madeHere(store.db, account, `post:${replyTo}`));
  const action = {
    ...policy,
    isReply: isToOthers,
    isByPerson: transport === "cli",
    isSecondReply: isToOthers && (await hasAnswered(store.db, account, replyTo)),
  };
  return { action, answers: isToOthers ? replyTo : undefined };
}

function denied(
  { tool }: Call<PlainExtras>,
  { ruleId, reason }: Extract<Decision, { kind: "deny" }>,
): Failed<Failure> {
  return failed({
    code: codeFor(ruleId),
    policyDecision: "denied",
    message: `${tool.name} is not allowed here. ${reason} Nothing was sent.`,
    fixBy: "operator",
    details: { matched_rule_id: ruleId },
  });
}

function codeFor(ruleId: string): string {
  if (ruleId.startsWith("v1:blocked:")) return "policy_denied_blocked";
  return ruleId.startsWith("hard:") ? "policy_denied_hard_rule" : "policy_denied_user_rule";
}

function onlyPretended(
  { tool, input }: Call<PlainExtras>,
  { mutation }: MutationContext,
  { ruleId }: Extract<Decision, { kind: "dry_run" }>,
): Failed<Failure> {
  return failed({
    code: "policy_denied_user_rule",
    policyDecision: "dry_run",
    message: `${tool.name} would be carried out. This server only pretends, so nothing was sent.`,
    suggestedFix: "The operator switches pretending off in mcp_policy.",
    fixBy: "operator",
    details: {
      dry_run: true,
      would_execute: tool.name,
      params: input,
      estimated_cost: shownUsd(costOf(mutation.requests)),
      matched_rule_id: ruleId,
    },
  });
}

async function askedFor(
  { id, tool, input }: Call<PlainExtras>,
  context: MutationContext,
  { ruleId, reason }: Extract<Decision, { kind: "require_approval" }>,
  { approvalKey, approvalLifeMs, mediaRoots, now }: PolicyOptions,
): Promise<GuardOutcome> {
  const { store, account, mutation, identity } = context;
  const mediaIds = mediaIdsOf(planOf(tool, input));
  const media = await publishedMedia(store.db, account, input, mediaIds, mediaRoots());
  if (!media.ok) return media;
  const at = now();
  const queued = await enqueue(store.db, await approvalKey(), {
    account,
    claim: identity.claim,
    tool: tool.name,
    args: input,
    media: media.value,
    ruleId,
    reason,
    estimatedMicros: costOf(mutation.requests),
    correlationId: id,
    now: at,
    expiresAt: at + approvalLifeMs(),
  });
  if (!queued.ok) return queued;
  const item = queued.value;
  context.approvalId = item.id;
  return failed({
    code: codeFor(ruleId),
    policyDecision: "routed_to_approval",
    message: `${tool.name} waits for a person as item ${item.id}. ${reason} Nothing was sent.`,
    suggestedFix:
      "Do not call again. The person approves it with `tuitbot approve`, or you ask them through approve_item.",
    fixBy: "human",
    details: {
      routed_to_approval: true,
      approval_queue_id: item.id,
      reason,
      matched_rule_id: ruleId,
      expires_at: new Date(item.expiresAt).toISOString(),
    },
  });
}
