import { type AnyOutcome, type Call, type Failed, type Failure, failed } from "@toolpact/contract";
import { type Decided, isByPerson, neverFits } from "@toolpact/contract/internal/guards";
import { formatUsd } from "@toolpact/contract/internal/money";
import type { Kysely } from "kysely";
import type { ErrorCode } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import type { Session } from "../../storage/store.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import { askForApproval } from "../approval/ask-for-approval.ts";
import { publishedMedia } from "../approval/media-bytes.ts";
import type { XBill } from "../budget/bill.ts";
import { type PlannedMutation, takesKey } from "../call/call-context.ts";
import type { Mutation, MutationCall } from "../call/mutation.ts";
import { canReply, isUpload, mediaIdsOf, type TuitbotTool } from "../call/tool-facts.ts";
import { decide, type PolicyDecision } from "../policy/decide.ts";
import { type LimitNeed, limitReached, limitsFor, limitsOfAgent, placesOf } from "../policy/limit.ts";
import type { Policy } from "../policy/policy.ts";
import type { PolicyAction } from "../policy/rules.ts";
import { hasAnswered, hasMade, lastEqualCall } from "../receipts/receipt-queries.ts";
import { type ChangeDependencies, changedSinceApproval } from "./changed-since-approval.ts";
import type { SafeMutation } from "./safety.ts";

export interface PolicyDependencies extends ChangeDependencies {
  readonly policy: Policy;
  readonly approvalLifeMs: number;
  readonly mediaRoots: readonly string[];
  readonly now: () => number;
}

/** A mutation that the policy allows now. */
export interface AllowedMutation {
  readonly planned: PlannedMutation<Mutation>;
  /** All limits under which it needs places. */
  readonly limits: readonly LimitNeed[];
  /** The post of somebody else that it answers. */
  readonly answers: string | undefined;
}

/** Codes of `applyPolicy`. */
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

/** An upload that waits for approval is bound to the bytes of its file. */
const UNREADABLE_FILE: readonly ErrorCode[] = ["file_read_error", "invalid_input"];

/** Allows the call, denies it, simulates it, or asks a person first, as the policy decides. */
export async function applyPolicy(
  call: MutationCall,
  { planned, limits, suspicion }: SafeMutation,
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
  // No person is asked for what no limit would ever let through.
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
      const mediaIds = mediaIdsOf(call.plan() ?? {});
      const earlier = await lastEqualCall(account.store.db, account.account, planned.identity.argsDigest);
      const outcome = await askForApproval(
        call,
        planned,
        { ...decision, reason: reasonOf(decision, suspicion, earlier) },
        {
          approvals: approvalsOf(account),
          media: () => publishedMedia(account.store.db, account.account, call.input, mediaIds, mediaRoots),
          context: () => contextOf(call, account.account, bill),
          approvalLifeMs,
          now: now(),
        },
      );
      return answered(outcome);
    }
  }
}

function answered(outcome: AnyOutcome) {
  return { kind: "answered", outcome } as const;
}

/** The reviewer sees what is suspicious, and that the same was done before, whichever rule asks them. */
function reasonOf(
  { reason }: { readonly reason: string },
  suspicion: string | undefined,
  earlier: Pick<ReceiptRow, "created_at" | "state"> | undefined,
): string {
  const before =
    earlier &&
    `The same call ${earlier.state === "confirmed" ? "was" : "may have been"} carried out at ${new Date(earlier.created_at).toISOString()}.`;
  return [suspicion, before, reason].filter((part) => part !== undefined).join(" ");
}

/** As telemetry and audit have it. */
const DECISIONS: Readonly<Record<PolicyDecision["kind"], string>> = {
  allow: "allow",
  deny: "deny",
  require_approval: "route_to_approval",
  dry_run: "dry_run",
};

/** A mutation as the rules see it, and the post of somebody else that it answers. */
export async function policyActionOf(
  caller: Call["caller"],
  { store, account }: Session,
  { policy: action, replyTo, mentioned }: Mutation,
): Promise<{ readonly action: PolicyAction; readonly answers: string | undefined }> {
  // Continuing one's own post is no reply in the sense of the rules.
  const isToOthers = replyTo !== undefined && !(await hasMade(store.db, account, `post:${replyTo}`));
  const author = isToOthers && mentioned.length > 0 ? await authorOf(store.db, account, replyTo) : [];
  return {
    action: {
      ...action,
      // A reply to somebody else is a post of its own kind.
      includes: isToOthers ? [] : action.includes,
      mentions: mentioned.some((name) => !author.includes(name)),
      isReply: isToOthers,
      isByPerson: isByPerson(caller),
      isSecondReply: isToOthers && (await hasAnswered(store.db, account, replyTo)),
    },
    answers: isToOthers ? replyTo : undefined,
  };
}

/** Name and id of the author of a post, if it was found before. */
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
  { ruleId, reason }: Extract<PolicyDecision, { kind: "deny" }>,
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
