import { type AnyOutcome, type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { type CallFacts, isByPerson } from "@toolpact/contract/internal/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import * as z from "zod";
import { agentName } from "../../agents/agent.ts";
import type { PlannedMutation, TuitbotCall } from "../call/call-context.ts";
import type { LimitNeed } from "../policy/limits.ts";
import { NOTE } from "../receipts/receipt.ts";
import type { ApprovalContext } from "./approval-context.ts";

/** One account's queue of calls waiting for approval. */
export interface ApprovalStorage {
  /** Adds a call, or finds it: the same call waits once. What it is about is read only for one that is added. */
  readonly propose: (
    waiting: Omit<WaitingCall, "context">,
    about: () => Promise<Outcome<ApprovalContext, Failure>>,
  ) => Promise<Outcome<QueuedCall, Failure>>;
  /** Replaces the content shown to approvers, which invalidates approvals of the previous content. */
  readonly showAgain: (id: number, shown: ShownNow) => Promise<void>;
  /** The decision of a rule that a person has accepted; undefined if a person decides. */
  readonly learned: (facts: CallFacts, now: number) => Promise<LearnedDecision | undefined>;
}

/** The decision of a rule that a person has accepted, by the id that the audit log has. */
export type LearnedDecision =
  | { readonly does: "allow"; readonly ruleId: string; readonly limits: readonly LimitNeed[] }
  | { readonly does: "deny"; readonly ruleId: string; readonly reason: string };

/** The new content of an item for its approver. */
export interface ShownNow {
  readonly context?: ApprovalContext | undefined;
  readonly estimatedMicros?: Micros;
}

/** A call that needs a person's approval. */
export interface WaitingCall {
  readonly tool: string;
  /** Exactly what will be carried out. */
  readonly args: JsonObject;
  /** Why it needs a person. */
  readonly reason: string;
  /** The agent's explanation for the approver, in its own words. */
  readonly agentNote?: string | undefined;
  /** How many different people have to approve it; one unless given. */
  readonly peopleNeeded?: number | undefined;
  /** The agent that made it, by its id. */
  readonly principal?: string | undefined;
  readonly now: number;
  readonly expiresAt: number;
  /** Identifies the call. */
  readonly claim: string;
  /** SHA-256 of every file that it publishes, in order. */
  readonly media: readonly string[];
  /** The posts and people it is about, if they were read. */
  readonly context?: ApprovalContext | undefined;
  /** When it goes out, if not as soon as it is approved. */
  readonly schedule?: Schedule | undefined;
  readonly ruleId: string;
  /** The call as learned rules see it; undefined for a scheduled one. */
  readonly facts?: CallFacts | undefined;
  readonly estimatedMicros: Micros;
  readonly correlationId: string;
  /** A person made the call, or the product for what a person may decide anew, such as a draft. */
  readonly isByPerson: boolean;
}

/** The time of a scheduled call and the files that will be uploaded for it: a person approves both with it. */
export interface Schedule extends JsonObject {
  /** ISO time. */
  readonly at: string;
  readonly media: readonly JsonObject[];
  /** All the posts, if one approval covers recurring ones. */
  readonly series?: Series;
}

export interface Series extends JsonObject {
  /** The recurrence, in the words of the request. */
  readonly repeats: string;
  readonly until: string;
  readonly posts: readonly SeriesPost[];
}

export interface SeriesPost extends JsonObject {
  /** Its row in the schedule. */
  readonly schedule_id: number;
  readonly at: string;
  readonly args: JsonObject;
  readonly media: readonly JsonObject[];
}

export interface AskOptions {
  readonly approvals: ApprovalStorage;
  /** SHA-256 of every file that the call would publish, in order. */
  readonly media: () => Promise<Outcome<readonly string[], Failure>>;
  /** Reads what the call is about. Fails if X has no such post or person. */
  readonly context: () => Promise<Outcome<ApprovalContext, Failure>>;
  readonly approvalLifeMs: number;
  readonly now: number;
}

/** Queues a call for a person, and answers that it waits. */
export async function askForApproval(
  { id, tool, input, caller }: TuitbotCall<object>,
  { identity, record }: PlannedMutation,
  { ruleId, reason, peopleNeeded, facts }: Pick<WaitingCall, "ruleId" | "reason" | "peopleNeeded" | "facts">,
  options: AskOptions,
): Promise<AnyOutcome> {
  const { approvals, approvalLifeMs, now } = options;
  const media = await options.media();
  if (!media.ok) return media;
  // The note is for the approver and not sent to X.
  const { [NOTE]: agentNote, ...args } = input;
  const waiting = {
    claim: identity.claim,
    tool: tool.name,
    args,
    agentNote: typeof agentNote === "string" && agentNote.trim() !== "" ? agentNote : undefined,
    media: media.value,
    ruleId,
    reason,
    peopleNeeded,
    facts,
    estimatedMicros: record.estimated,
    correlationId: id,
    principal: agentName(caller.principal) === undefined ? undefined : caller.principal,
    isByPerson: isByPerson(caller) || identity.hasOwnKey,
    now,
    expiresAt: now + approvalLifeMs,
  };
  const queued = await approvals.propose(waiting, options.context);
  if (!queued.ok) return queued;
  const item = queued.value;
  record.approvalId = item.id;
  // Nothing of it was sent; only what is read to show it is paid for.
  record.paid = 0;
  return ok(queuedAnswer({ ...item, tool: tool.name, ruleId, reason }));
}

/** The specified decision about a call that waits for a person, in `data` and in `meta`. */
export const ROUTED = "routed_to_approval";

/** The answer of a call that waits for approval: these members from every tool, along with those of the tool. */
export const queuedShape = {
  status: z.literal("queued"),
  policy_decision: z.literal(ROUTED),
  approval_queue_id: z.number().describe("Approval item that waits for a person"),
  message: z.string(),
  next_step: z.string(),
  reason: z.string().describe("Why a person is asked"),
  matched_rule_id: z.string(),
  estimated_usd: z.number().describe("What X will charge once it is approved"),
  expires_at: z.string(),
};

export type QueuedAnswer = z.output<typeof queued>;

const queued = z.object(queuedShape);

/** The answer to a queued call. */
export function queuedAnswer({
  id,
  tool,
  expiresAt,
  estimatedUsd,
  ruleId,
  reason,
}: QueuedCall & Pick<WaitingCall, "tool" | "ruleId" | "reason">): QueuedAnswer {
  return {
    status: "queued",
    policy_decision: ROUTED,
    approval_queue_id: id,
    message: `${tool} waits for a person as item ${id}. Nothing was sent yet.`,
    next_step:
      "Do not call again. The person approves it with `tuitbot approve`, or you ask them through approve_item.",
    reason,
    matched_rule_id: ruleId,
    estimated_usd: estimatedUsd,
    expires_at: new Date(expiresAt).toISOString(),
  };
}

/** The answer as one of a call that waits; undefined for every other answer. */
export function asQueued(answer: unknown): QueuedAnswer | undefined {
  return queued.safeParse(answer).data;
}

export interface QueuedCall {
  readonly id: number;
  readonly expiresAt: number;
  readonly estimatedUsd: number;
}
