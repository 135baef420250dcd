import { type AnyOutcome, type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { type CallFacts, isByPerson } from "@toolpact/contract/internal/guards";
import type { Micros } from "@toolpact/contract/internal/money";
import * as z from "zod";
import { agentName } from "../../agents/agent.ts";
import type { PlannedMutation, TuitbotCall } from "../call/call-context.ts";
import type { LimitNeed } from "../policy/limits.ts";
import { NOTE } from "../receipts/receipt.ts";
import type { ApprovalContext } from "./approval-context.ts";

export interface ApprovalStorage {
  /** The same call waits once. Its subject is read only for a new item. */
  readonly propose: (
    waiting: Omit<WaitingCall, "context">,
    about: () => Promise<Outcome<ApprovalContext, Failure>>,
  ) => Promise<Outcome<QueuedCall, Failure>>;
  /** Invalidates earlier approvals. */
  readonly showAgain: (id: number, shown: ShownNow) => Promise<void>;
  /** By an accepted rule; undefined if a person decides. */
  readonly learned: (facts: CallFacts, now: number) => Promise<LearnedDecision | undefined>;
}

/** By its id in the audit log. */
export type LearnedDecision =
  | { readonly does: "allow"; readonly ruleId: string; readonly limits: readonly LimitNeed[] }
  | { readonly does: "deny"; readonly ruleId: string; readonly reason: string };

export interface ShownNow {
  readonly context?: ApprovalContext | undefined;
  readonly estimatedMicros?: Micros;
}

export interface WaitingCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly reason: string;
  /** In the agent's own words. */
  readonly agentNote?: string | undefined;
  /** Default one. */
  readonly peopleNeeded?: number | undefined;
  readonly principal?: string | undefined;
  readonly now: number;
  readonly expiresAt: number;
  readonly claim: string;
  /** SHA-256, in order. */
  readonly media: readonly string[];
  /** If they were read. */
  readonly context?: ApprovalContext | undefined;
  /** If not right after approval. */
  readonly schedule?: Schedule | undefined;
  readonly ruleId: string;
  /** For learned rules; undefined for a scheduled call. */
  readonly facts?: CallFacts | undefined;
  readonly estimatedMicros: Micros;
  readonly correlationId: string;
  /** Or the product, for something a person may decide anew, such as a draft. */
  readonly isByPerson: boolean;
}

/** Approved together with the call. */
export interface Schedule extends JsonObject {
  readonly at: string;
  readonly media: readonly JsonObject[];
  /** If one approval covers recurring posts. */
  readonly series?: Series;
}

export interface Series extends JsonObject {
  /** As requested. */
  readonly repeats: string;
  readonly until: string;
  readonly posts: readonly SeriesPost[];
}

export interface SeriesPost extends JsonObject {
  readonly schedule_id: number;
  readonly at: string;
  readonly args: JsonObject;
  readonly media: readonly JsonObject[];
}

export interface AskOptions {
  readonly approvals: ApprovalStorage;
  /** SHA-256, in order. */
  readonly media: () => Promise<Outcome<readonly string[], Failure>>;
  /** Fails if X has no such post or person. */
  readonly context: () => Promise<Outcome<ApprovalContext, Failure>>;
  readonly approvalLifeMs: number;
  readonly now: number;
}

export async function askForApproval(
  { id, tool, input, caller }: TuitbotCall<object>,
  { identity, record }: PlannedMutation,
  { ruleId, reason, peopleNeeded, facts }: Pick<WaitingCall, "ruleId" | "reason" | "peopleNeeded" | "facts">,
  options: AskOptions,
): Promise<AnyOutcome> {
  const { approvals, approvalLifeMs, now } = options;
  const media = await options.media();
  if (!media.ok) return media;
  // The note is for the approver, and X does not get it.
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
  // Nothing was sent; only reads for the approver cost money.
  record.paid = 0;
  return ok(queuedAnswer({ ...item, tool: tool.name, ruleId, reason }));
}

/** The specification's word, in `data` and `meta`. */
export const ROUTED = "routed_to_approval";

/** In every tool's answer, with the tool's own members. */
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

/** Undefined for every other answer. */
export function asQueued(answer: unknown): QueuedAnswer | undefined {
  return queued.safeParse(answer).data;
}

export interface QueuedCall {
  readonly id: number;
  readonly expiresAt: number;
  readonly estimatedUsd: number;
}
