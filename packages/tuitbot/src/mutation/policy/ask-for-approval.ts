import { type AnyOutcome, type Failure, failed, type JsonObject, type Outcome } from "@toolpact/contract";
import type { Micros } from "../budget/bill.ts";
import type { GeneralCall, PlannedMutation } from "../call-context.ts";

/** The queue of calls that wait for a person, of one account. */
export interface ApprovalStorage {
  /** Adds a call, or finds it there: the same call waits once. */
  readonly enqueue: (waiting: WaitingCall) => Promise<Outcome<QueuedCall, Failure>>;
}

/** A call that needs a person's approval. */
export interface WaitingCall {
  /** Identifies the call. */
  readonly claim: string;
  readonly tool: string;
  /** Exactly what will be carried out. */
  readonly args: JsonObject;
  /** SHA-256 of every file that it publishes, in order. */
  readonly media: readonly string[];
  readonly ruleId: string;
  readonly reason: string;
  readonly estimatedMicros: Micros;
  readonly correlationId: string;
  readonly now: number;
  readonly expiresAt: number;
}

export interface QueuedCall {
  readonly id: number;
  readonly expiresAt: number;
}

export interface AskOptions {
  readonly approvals: ApprovalStorage;
  /** SHA-256 of every file that the call would publish, in order. */
  readonly media: () => Promise<Outcome<readonly string[], Failure>>;
  readonly approvalLifeMs: number;
  readonly now: number;
}

/** Queues a call for a person, and answers that it waits. */
export async function askForApproval(
  { id, tool, input }: GeneralCall<object>,
  { identity, record }: PlannedMutation,
  { code, ruleId, reason }: { readonly code: string; readonly ruleId: string; readonly reason: string },
  options: AskOptions,
): Promise<AnyOutcome> {
  const { approvals, approvalLifeMs, now } = options;
  const media = await options.media();
  if (!media.ok) return media;
  const queued = await approvals.enqueue({
    claim: identity.claim,
    tool: tool.name,
    args: input,
    media: media.value,
    ruleId,
    reason,
    estimatedMicros: record.estimated,
    correlationId: id,
    now,
    expiresAt: now + approvalLifeMs,
  });
  if (!queued.ok) return queued;
  const item = queued.value;
  record.approvalId = item.id;
  return failed({
    code,
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
