import {
  type AnyOutcome,
  type Call,
  type Failed,
  type Failure,
  failed,
  type Outcome,
  ok,
} from "@toolpact/contract";
import { type Decided, isByPerson, neverFits } from "@toolpact/contract/internal/guards";
import { formatUsd } from "@toolpact/contract/internal/money";
import type { ProviderError } from "@toolpact/x-api";
import type { Kysely } from "kysely";
import type { ErrorCode } from "../../errors.ts";
import { looksLikeInstructions } from "../../injection/instructions.ts";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import { FORBIDDEN_FIXES, xFailed } from "../../x/x-errors.ts";
import type { ApprovalContext, ReadContext } from "../approval/approval-context.ts";
import { type ApprovalStorage, askForApproval } from "../approval/ask-for-approval.ts";
import { callFacts } from "../approval/call-facts.ts";
import { earlierCalls } from "../approval/earlier-calls.ts";
import { publishedMedia } from "../approval/media-bytes.ts";
import type { XBill } from "../budget/bill.ts";
import { type BoundContext, type PlannedMutation, takesKey } from "../call/call-context.ts";
import type { Mutation, MutationCall, PlannedCall } from "../call/mutation.ts";
import { canReply, isUpload, mediaIdsOf, type TuitbotTool } from "../call/tool-facts.ts";
import type { PolicyAction } from "../policy/decide.ts";
import { decide, needsPerson, type PolicyDecision } from "../policy/decide.ts";
import { type LimitNeed, limitReached, limitsFor, limitsOfAgent, placesOf } from "../policy/limits.ts";
import type { Policy } from "../policy/policy.ts";
import { hasAnswered, hasMade } from "../receipts/receipt-queries.ts";
import type { SafeMutation } from "./safety.ts";

export interface PolicyDependencies extends ChangeDependencies {
  readonly policy: Policy;
  readonly approvalLifeMs: number;
  readonly mediaRoots: readonly string[];
  readonly now: () => number;
}

export interface AllowedMutation {
  readonly planned: PlannedMutation<Mutation>;
  /** It needs places under these. */
  readonly limits: readonly LimitNeed[];
  /** Somebody else's. */
  readonly answers: string | undefined;
}

export function policyCodes(tool: TuitbotTool): readonly ErrorCode[] {
  return [
    ...DENIALS,
    // A second reply to the same post.
    ...(canReply(tool.facts) ? (["policy_denied_hard_rule"] as const) : []),
    ...(takesKey(tool) ? (["validation_error"] as const) : []),
    ...(isUpload(tool.facts) ? UNREADABLE_FILE : []),
  ];
}

const DENIALS: readonly ErrorCode[] = [
  "policy_denied_blocked",
  "policy_denied_user_rule",
  "policy_denied_rate_limited",
  "policy_error",
];

/** An upload's approval is bound to the file's bytes. */
const UNREADABLE_FILE: readonly ErrorCode[] = ["file_read_error", "invalid_input"];

export async function applyPolicy(
  call: MutationCall,
  { planned, limits, suspicion, answered: post }: SafeMutation,
  bill: XBill | undefined,
  dependencies: PolicyDependencies,
): Promise<Decided<AllowedMutation>> {
  const { account, agent } = call.context;
  const { mutation, record, release } = planned;
  const { policy: rules, now } = dependencies;
  const { action: plain, answers } = await policyActionOf(call.caller, account, mutation);
  const action = { ...plain, isSuspect: suspicion !== undefined };
  const decision = decide(rules, action, { now: now(), isApproved: release !== undefined });
  record.ruleId = decision.ruleId;
  record.decision = DECISIONS[decision.kind];
  const needed = [...limits, ...limitsFor(rules, action), ...limitsOfAgent(agent, action)];
  const tooMany = neverFits(needed, placesOf);
  // A person is not asked about a call that no limit would let through.
  if (tooMany !== undefined && decision.kind !== "deny") return answered(limitReached(tooMany));
  switch (decision.kind) {
    case "allow": {
      const changed = await changedSinceApproval(call, planned, bill, dependencies);
      return changed === undefined
        ? { kind: "allowed", allowed: { planned, limits: needed, answers } }
        : answered(changed);
    }
    case "deny":
      return answered(denied(call, decision));
    case "dry_run":
      return answered(dryRun(call, planned, decision));
    case "require_approval": {
      const { approvalsOf, approvalLifeMs, mediaRoots, contextOf } = dependencies;
      const facts = callFacts({
        call,
        planned,
        action,
        isSummoned: post?.isSummoned === true,
        isSuspect: suspicion !== undefined || looksLikeInstructions(post?.text ?? ""),
        isHard: needsPerson(rules, action, now()),
        peopleNeeded: decision.peopleNeeded ?? 1,
      });
      const learned = await approvalsOf(account).learned(facts, now());
      if (learned !== undefined) {
        record.ruleId = learned.ruleId;
        record.decision = learned.does;
        return learned.does === "deny"
          ? answered(denied(call, learned))
          : { kind: "allowed", allowed: { planned, limits: [...needed, ...learned.limits], answers } };
      }
      const full = await queueFull(call, planned, needed, now());
      if (full !== undefined) return answered(full);
      const mediaIds = mediaIdsOf(call.plan() ?? {});
      const { argsDigest } = planned.identity;
      const earlier = await earlierCalls(account, { tool: call.tool.name, input: call.input, argsDigest });
      const reason = [...(suspicion === undefined ? [] : [suspicion]), ...earlier, decision.reason].join(" ");
      const outcome = await askForApproval(
        call,
        planned,
        { ...decision, reason, facts },
        {
          approvals: approvalsOf(account),
          media: () => publishedMedia(account.store.db, account.account, call.input, mediaIds, mediaRoots),
          async context() {
            const { context, missing } = await contextOf(call, account.account, bill);
            return missing === undefined ? ok(context) : notThere(missing, context);
          },
          approvalLifeMs,
          now: now(),
        },
      );
      return answered(outcome);
    }
  }
}

/** A person is not asked about a missing post. */
function notThere(missing: string, { role }: ApprovalContext): Failed<Failure> {
  if (role === "answers")
    return failed({
      code: "x_forbidden",
      reason: "reply_target_missing",
      message: "The post to reply to was deleted, or X does not show it to this account. Nothing was queued.",
      ...FORBIDDEN_FIXES.reply_target_missing,
    });
  return failed({
    code: "not_found",
    message: `X has no ${missing}, or does not show it to this account. Nothing was queued.`,
    suggestedFix: "Check the id. Deleted posts and suspended people are not shown.",
    fixBy: "agent",
  });
}

/** More could not be sent within the limit. */
const MAX_DAYS_WAITING = 2;

/** If two days' worth of its tool wait already. */
async function queueFull(
  { tool, caller, context: { account } }: MutationCall,
  { identity }: PlannedMutation,
  limits: readonly LimitNeed[],
  now: number,
): Promise<Failed<Failure> | undefined> {
  const daily = limits.find(({ key }) => key === "tweets_per_day" || key === "replies_per_day");
  if (daily === undefined || isByPerson(caller) || identity.hasOwnKey) return undefined;
  const { waiting } = await account.store.db
    .selectFrom("approvals")
    .select(({ fn }) => fn.countAll<number>().as("waiting"))
    .where("account", "=", account.account)
    .where("status", "=", "pending")
    .where("tool", "=", tool.name)
    .where("expires_at", ">", now)
    // An equal waiting call is answered with its item.
    .where("claim", "!=", identity.claim)
    .executeTakeFirstOrThrow();
  const { max, setting } = daily;
  if (Number(waiting) < max * MAX_DAYS_WAITING) return undefined;
  return failed({
    code: "policy_denied_user_rule",
    policyDecision: "denied",
    message: `${waiting} calls of ${tool.name} wait for the person already, and ${max} may go out in a day (${setting}). It was not queued.`,
    suggestedFix: "Ask the person to decide about the waiting calls first, with `tuitbot approve`.",
    fixBy: "human",
    details: { matched_rule_id: "safety:queue_full", waiting: Number(waiting), max_per_day: max },
  });
}

function answered(outcome: AnyOutcome) {
  return { kind: "answered", outcome } as const;
}

/** In telemetry and audit. */
const DECISIONS: Readonly<Record<PolicyDecision["kind"], string>> = {
  allow: "allow",
  deny: "deny",
  require_approval: "route_to_approval",
  dry_run: "dry_run",
};

/** With the post of somebody else that it answers. */
export async function policyActionOf(
  caller: Call["caller"],
  { store, account }: Session,
  { policy: action, replyTo, mentioned }: Mutation,
): Promise<{ readonly action: PolicyAction; readonly answers: string | undefined }> {
  // Continuing one's own post is no reply.
  const isToOthers = replyTo !== undefined && !(await hasMade(store.db, account, `post:${replyTo}`));
  const author = isToOthers && mentioned.length > 0 ? await authorOf(store.db, account, replyTo) : [];
  return {
    action: {
      ...action,
      // A reply to others is a separate kind.
      includes: isToOthers ? [] : action.includes,
      mentions: mentioned.some((name) => !author.includes(name)),
      isReply: isToOthers,
      isByPerson: isByPerson(caller),
      isSecondReply: isToOthers && (await hasAnswered(store.db, account, replyTo)),
    },
    answers: isToOthers ? replyTo : undefined,
  };
}

/** If the post was found before. */
async function authorOf(db: Kysely<Database>, account: string, postId: string): Promise<readonly string[]> {
  const post = await db
    .selectFrom("discovered_posts")
    .select(["author_id", "author_username"])
    .where("account", "=", account)
    .where("id", "=", postId)
    .executeTakeFirst();
  return post === undefined ? [] : [post.author_id, post.author_username.toLowerCase()];
}

function denied(
  { tool }: MutationCall,
  { ruleId, reason }: Pick<Extract<PolicyDecision, { kind: "deny" }>, "ruleId" | "reason">,
): Failed<Failure> {
  return failed({
    code: denialCode(ruleId),
    policyDecision: "denied",
    message: `${tool.name} is not allowed here. ${reason} Nothing was sent.`,
    fixBy: "operator",
    details: { matched_rule_id: ruleId },
  });
}

export function denialCode(ruleId: string): ErrorCode {
  if (ruleId.startsWith("v1:blocked:")) return "policy_denied_blocked";
  return ruleId.startsWith("hard:") ? "policy_denied_hard_rule" : "policy_denied_user_rule";
}

function dryRun(
  { tool, input }: MutationCall,
  { record }: PlannedMutation,
  { ruleId }: Extract<PolicyDecision, { kind: "dry_run" }>,
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
      estimated_cost: formatUsd(record.estimated),
      matched_rule_id: ruleId,
    },
  });
}

export interface ChangeDependencies {
  readonly approvalsOf: (session: Session) => ApprovalStorage;
  /** As far as X shows it in time. */
  readonly contextOf: ReadFor<ReadContext>;
  readonly isAsShown: (
    shown: BoundContext,
    ...call: Parameters<ReadFor<unknown>>
  ) => Promise<Outcome<boolean, ProviderError>>;
}

/** Reads go on the bill. */
export type ReadFor<T> = (
  call: PlannedCall & Pick<Call, "signal">,
  account: string,
  bill: XBill | undefined,
) => Promise<T>;

export const CHANGED_SINCE_APPROVAL = "changed_since_approval";

/** Also if it now costs more. The item then waits again. */
async function changedSinceApproval(
  call: MutationCall,
  { release, record }: PlannedMutation,
  bill: XBill | undefined,
  { approvalsOf, contextOf, isAsShown }: ChangeDependencies,
): Promise<Failed<Failure> | undefined> {
  if (release?.shown === undefined) return undefined;
  const { approvalId } = release;
  const { context, micros } = release.shown;
  const { account } = call.context;
  if (record.estimated > micros) {
    await approvalsOf(account).showAgain(approvalId, { estimatedMicros: record.estimated });
    return changed(
      approvalId,
      `It costs ${formatUsd(record.estimated)} by now, and ${formatUsd(micros)} was shown.`,
    );
  }
  if (context === undefined) return undefined;
  const same = await isAsShown(context, call, account.account, bill);
  if (!same.ok) return xFailed(same.failure, "read");
  if (same.value) return undefined;
  const { context: now } = await contextOf(call, account.account, bill);
  await approvalsOf(account).showAgain(approvalId, { context: now });
  return changed(approvalId, "The post or the people it is about have changed.");
}

function changed(approvalId: number, why: string): Failed<Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    reason: CHANGED_SINCE_APPROVAL,
    policyDecision: "denied",
    message: `Item ${approvalId} is not what was shown any more. ${why} Nothing was sent.`,
    suggestedFix: "Read it again, then decide about it as it is now.",
    fixBy: "human",
    details: { approval_queue_id: approvalId },
  });
}
