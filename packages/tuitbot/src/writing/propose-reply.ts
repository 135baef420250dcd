import { type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Missing } from "@toolpact/contract/internal";
import type { CallResult } from "../approval/release.ts";
import type { QueuedAnswer } from "../guards/approval/ask-for-approval.ts";
import { NOTE } from "../guards/receipts/receipt.ts";
import { isSimilar, latestReplies } from "../guards/safety/check-reply.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import { answerablePost, type Candidate } from "./candidate.ts";
import type { Archetype } from "./frameworks.ts";
import type { Llm } from "./llm.ts";
import { draftReply, type WritingContext, type WrittenReply } from "./write.ts";

export interface ProposalContext extends Omit<WritingContext, "llm"> {
  readonly workflow: {
    /** With all guards. */
    readonly call: (tool: string, args: JsonObject, by: string, signal: AbortSignal) => Promise<CallResult>;
    readonly llm: (signal: AbortSignal) => Promise<Outcome<Llm, Missing>>;
  };
  /** In the audit. */
  readonly by: string;
}

export interface Proposal {
  readonly candidateId: string;
  /** Default: written by the model. */
  readonly text?: string | undefined;
  readonly mentionProduct: boolean;
  /** For the approver. */
  readonly note?: string | undefined;
}

export type ProposalResult =
  | { readonly status: "queued"; readonly text: string; readonly queued: QueuedAnswer }
  | { readonly status: "executed"; readonly text: string; readonly postId: string }
  | {
      readonly status: "blocked";
      readonly text: string | undefined;
      readonly failure: Failure;
      readonly isRetryable: boolean;
    };

/** The guards publish, queue or reject it. No text is written for a reply that could not be sent. */
export async function proposeReply(
  context: ProposalContext,
  { candidateId, text, mentionProduct, note }: Proposal,
  signal: AbortSignal,
): Promise<ProposalResult> {
  const ready =
    text === undefined
      ? await writtenText(context, candidateId, mentionProduct, signal)
      : await givenText(context, candidateId, text);
  if (!ready.ok)
    return {
      status: "blocked",
      text,
      failure: ready.failure,
      isRetryable: ready.failure.code === "llm_error",
    };
  const args = {
    text: ready.value,
    in_reply_to_id: candidateId,
    ...(note !== undefined && { [NOTE]: note }),
  };
  return resultOf(await context.workflow.call("x_reply_to_tweet", args, context.by, signal), ready.value);
}

async function givenText(
  context: ProposalContext,
  candidateId: string,
  text: string,
): Promise<Outcome<string, Failure>> {
  const candidate = await answerablePost(context, candidateId);
  return candidate.ok ? ok(text) : candidate;
}

async function writtenText(
  context: ProposalContext,
  candidateId: string,
  mentionProduct: boolean,
  signal: AbortSignal,
): Promise<Outcome<string, Failure>> {
  const llm = await context.workflow.llm(signal);
  if (!llm.ok) return failed({ ...llm.failure, code: "llm_not_configured" });
  const drafted = await draftReplyToPost(
    { ...context, llm: llm.value },
    candidateId,
    { mentionProduct, keepsFlagged: true },
    signal,
  );
  return drafted.ok ? ok(drafted.value.text) : drafted;
}

function resultOf(executed: CallResult, text: string): ProposalResult {
  if (executed.ok) return { status: "executed", text, postId: textIn(objectIn(executed.result), "id") ?? "" };
  if (executed.ok === null) return { status: "queued", text, queued: executed.queued };
  const { failure, isRetryable } = executed;
  return { status: "blocked", text, failure, isRetryable };
}

interface ReplyStyle {
  readonly archetype?: Archetype | undefined;
  readonly mentionProduct: boolean;
  readonly keepsFlagged?: boolean | undefined;
}

interface DraftedReply extends WrittenReply {
  readonly candidate: Candidate;
  readonly risks: readonly string[];
}

/** If it could be sent. */
export async function draftReplyToPost(
  context: WritingContext,
  id: string,
  { archetype, mentionProduct, keepsFlagged }: ReplyStyle,
  signal: AbortSignal,
): Promise<Outcome<DraftedReply, Failure>> {
  const candidate = await answerablePost(context, id);
  if (!candidate.ok) return candidate;
  const { author_username, text, is_summons } = candidate.value;
  const ask = { post: { author: author_username, text }, isSummoned: is_summons === 1, mentionProduct };
  const written = await draftReply(context, { ...ask, archetype, keepsFlagged }, signal);
  if (!written.ok) return written;
  const risks = await risksOf(context, written.value.text);
  return ok({ ...written.value, candidate: candidate.value, risks });
}

async function risksOf({ store, account, config }: WritingContext, text: string): Promise<readonly string[]> {
  const said = text.toLowerCase();
  const phrases = config.limits.banned_phrases.filter((phrase) => said.includes(phrase.toLowerCase()));
  const earlier = await latestReplies(store.db, account);
  return [
    ...phrases.map((phrase) => `contains_banned_phrase: ${phrase}`),
    ...(earlier.some((other) => isSimilar(text, other)) ? ["similar_to_recent_reply"] : []),
  ];
}
