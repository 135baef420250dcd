import {
  type Call,
  type Failed,
  type Failure,
  failed,
  type Guard,
  type JsonObject,
  type Next,
} from "@toolpact/contract";
import type { Session } from "../../storage/session.ts";
import { formatUsd } from "../budget/money.ts";
import { costOf, type GuardOutcome, type MutationContext } from "../call-context.ts";
import { publishedMedia } from "../media-bytes.ts";
import { beforeItBegins, mutationGuard } from "../mutation-guard.ts";
import { type Mutation, mediaIdsOf, planOf } from "../plan.ts";
import { hasAnswered, hasMade } from "../receipts/receipt-queries.ts";
import { type ApprovalStorage, askForApproval } from "./ask-for-approval.ts";
import { type Decision, decide } from "./decide.ts";
import { limitsFor } from "./limits-for.ts";
import type { Policy } from "./policy.ts";
import type { PolicyAction } from "./policy-rule.ts";

export interface PolicyOptions {
  readonly policy: Policy;
  readonly approvals: (session: Session) => ApprovalStorage;
  readonly approvalLifeMs: number;
  readonly mediaRoots: readonly string[];
  readonly now: () => number;
}

/** Denies the call, only simulates it, or asks a person first, as the policy decides. */
export function policyGuard(options: PolicyOptions): Guard<unknown, unknown, JsonObject> {
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
    beforeItBegins((call, context, next) => applyPolicy(call, context, options, next)),
  );
}

async function applyPolicy(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext<Mutation>,
  options: PolicyOptions,
  next: Next,
): Promise<GuardOutcome> {
  const { policy, approvals, approvalLifeMs, mediaRoots } = options;
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
      return dryRun(call, context, decision);
    case "require_approval":
      return askForApproval(
        call,
        context,
        { ...decision, code: codeFor(decision.ruleId) },
        {
          approvals: approvals(context),
          media: () =>
            publishedMedia(
              context.store.db,
              context.account,
              call.input,
              mediaIdsOf(planOf(call.tool, call.input)),
              mediaRoots,
            ),
          approvalLifeMs,
          now: options.now(),
        },
      );
  }
}

/** As telemetry and audit have it. */
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
  // Continuing one's own post is no reply in the sense of the rules.
  const isToOthers = replyTo !== undefined && !(await hasMade(store.db, account, `post:${replyTo}`));
  const action = {
    ...policy,
    isReply: isToOthers,
    isByPerson: transport === "cli",
    isSecondReply: isToOthers && (await hasAnswered(store.db, account, replyTo)),
  };
  return { action, answers: isToOthers ? replyTo : undefined };
}

function denied(
  { tool }: Call<unknown, unknown, JsonObject>,
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

function dryRun(
  { tool, input }: Call<unknown, unknown, JsonObject>,
  { mutation }: MutationContext,
  { ruleId }: Extract<Decision, { kind: "dry_run" }>,
): Failed<Failure> {
  return failed({
    code: "policy_denied_user_rule",
    policyDecision: "dry_run",
    message: `${tool.name} would be carried out. This server only simulates mutations, so nothing was sent.`,
    suggestedFix: "The operator switches the dry run off in mcp_policy.",
    fixBy: "operator",
    details: {
      dry_run: true,
      would_execute: tool.name,
      params: input,
      estimated_cost: formatUsd(costOf(mutation.requests)),
      matched_rule_id: ruleId,
    },
  });
}
