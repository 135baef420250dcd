import type { Failure, Json, JsonObject } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import {
  type CallFacts,
  type ItemContent,
  type ItemPeople,
  itemDigest,
  votesIn,
} from "@toolpact/contract/internal/guards";
import { usdOf } from "@toolpact/contract/internal/money";
import type { Selectable } from "kysely";
import { type ApprovalContext, boundIn } from "../guards/approval/approval-context.ts";
import type { Schedule } from "../guards/approval/ask-for-approval.ts";
import type { ApprovalRow, ApprovalStatus } from "../storage/tables/approval-tables.ts";

export interface QueuedMutation extends ItemPeople {
  readonly id: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly media: readonly string[];
  /** If not at once. */
  readonly schedule: Schedule | undefined;
  /** As X showed it when queued; undefined if not read. */
  readonly context: ApprovalContext | undefined;
  /** The digest of the approved content. */
  readonly digest: string;
  readonly status: ApprovalStatus;
  readonly ruleId: string;
  readonly reason: string;
  /** For the approver only, and not part of the digest. */
  readonly agentNote: string | undefined;
  readonly estimatedUsd: number;
  readonly correlationId: string;
  /** Undefined without a token. */
  readonly principal: string | undefined;
  /** For learned rules; undefined for a scheduled call. */
  readonly facts: CallFacts | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | undefined;
  readonly decidedBy: string | undefined;
  readonly note: string | undefined;
  readonly receiptId: string | undefined;
  readonly result: Json | undefined;
  readonly error: Failure | undefined;
}

export function itemFrom(row: Selectable<ApprovalRow>): QueuedMutation {
  return {
    id: row.id,
    tool: row.tool,
    // Written as JSON of these shapes.
    args: JSON.parse(row.args_json) as JsonObject,
    media: JSON.parse(row.media_json) as string[],
    schedule: row.schedule_json === null ? undefined : (JSON.parse(row.schedule_json) as Schedule),
    context: row.context_json === null ? undefined : (JSON.parse(row.context_json) as ApprovalContext),
    digest: row.digest,
    status: row.status,
    ruleId: row.rule_id,
    reason: row.reason,
    agentNote: row.agent_note ?? undefined,
    peopleNeeded: row.people_needed,
    approvedBy: votesIn(row.votes_json).map(({ person }) => person),
    estimatedUsd: usdOf(row.estimated_micros),
    correlationId: row.correlation_id,
    principal: row.principal ?? undefined,
    facts: row.facts_json === null ? undefined : (JSON.parse(row.facts_json) as CallFacts),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at ?? undefined,
    decidedBy: row.decided_by ?? undefined,
    note: row.note ?? undefined,
    receiptId: row.receipt_id ?? undefined,
    result: row.result_json === null ? undefined : (JSON.parse(row.result_json) as Json),
    error: row.error_json === null ? undefined : (JSON.parse(row.error_json) as Failure),
  };
}

/** The history of such calls is checked on acceptance. */
export function offersSimilar({ facts, peopleNeeded, status }: QueuedMutation): boolean {
  return (
    facts !== undefined &&
    facts.caller !== "" &&
    facts.fences.length === 0 &&
    peopleNeeded === 1 &&
    status === "pending"
  );
}

/** With the posts and people that the approval is bound to. */
interface ApprovedContent extends Omit<ItemContent, "scope"> {
  readonly account: string;
  /** SHA-256, in order. */
  readonly media: readonly string[];
  /** If not at once. */
  readonly schedule: JsonObject | undefined;
  readonly context?: ApprovalContext | undefined;
  readonly facts?: CallFacts | undefined;
}

/** Database access is not enough to make one. */
export function approvalDigest(
  key: Uint8Array,
  { account, media, schedule, context, facts, ...content }: ApprovedContent,
): string {
  const shown = context && boundIn(context);
  return itemDigest(key, { ...content, scope: account }, [
    media,
    schedule ?? null,
    ...(shown === undefined ? [] : [{ shown }]),
    // A rule for similar calls is made from them.
    ...(facts === undefined ? [] : [canonicalJson(facts)]),
  ]);
}
