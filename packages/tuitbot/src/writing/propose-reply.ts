import { type Failure, failed, type JsonObject, type Missing, type Outcome, ok } from "@toolpact/contract";
import type { Executed } from "../approval/release.ts";
import { numberIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import { answerable } from "./candidate.ts";
import { draftFor } from "./draft-reply.ts";
import type { Llm } from "./llm.ts";
import type { Desk } from "./write.ts";

export interface Proposing extends Omit<Desk, "llm"> {
  readonly workflow: {
    /** Calls a tool through all its guards. */
    readonly call: (tool: string, args: JsonObject, by: string, signal: AbortSignal) => Promise<Executed>;
    readonly llm: (signal: AbortSignal) => Promise<Outcome<Llm, Missing>>;
  };
  /** Who proposes, for the audit. */
  readonly by: string;
}

export interface Proposal {
  readonly candidateId: string;
  /** Written where absent. */
  readonly text?: string | undefined;
  readonly mentionProduct: boolean;
}

/** What became of a proposed reply. */
export type Proposed =
  | { readonly status: "queued"; readonly text: string; readonly approvalId: number }
  | { readonly status: "executed"; readonly text: string; readonly postId: string }
  | {
      readonly status: "blocked";
      readonly text: string | undefined;
      readonly failure: Failure;
      readonly isRetryable: boolean;
    };

/**
 * Puts a reply on its way: the pipeline sends it, or asks a person, or refuses. What could not be sent is not
 * written, and whatever is said to be queued is in the queue.
 */
export async function proposeReply(
  proposing: Proposing,
  { candidateId, text, mentionProduct }: Proposal,
  signal: AbortSignal,
): Promise<Proposed> {
  const ready =
    text === undefined
      ? await writtenText(proposing, candidateId, mentionProduct, signal)
      : await givenText(proposing, candidateId, text);
  if (!ready.ok)
    return {
      status: "blocked",
      text,
      failure: ready.failure,
      isRetryable: ready.failure.code === "llm_error",
    };
  const args = { text: ready.value, in_reply_to_id: candidateId };
  return proposed(await proposing.workflow.call("x_reply_to_tweet", args, proposing.by, signal), ready.value);
}

async function givenText(
  proposing: Proposing,
  candidateId: string,
  text: string,
): Promise<Outcome<string, Failure>> {
  const candidate = await answerable(proposing, candidateId);
  return candidate.ok ? ok(text) : candidate;
}

async function writtenText(
  proposing: Proposing,
  candidateId: string,
  mentionProduct: boolean,
  signal: AbortSignal,
): Promise<Outcome<string, Failure>> {
  const llm = await proposing.workflow.llm(signal);
  if (!llm.ok) return failed({ ...llm.failure, code: "llm_not_configured" });
  const drafted = await draftFor({ ...proposing, llm: llm.value }, candidateId, { mentionProduct }, signal);
  return drafted.ok ? ok(drafted.value.text) : drafted;
}

function proposed(executed: Executed, text: string): Proposed {
  if (executed.ok) return { status: "executed", text, postId: textIn(objectIn(executed.result), "id") ?? "" };
  const { failure, isRetryable } = executed;
  const approvalId = numberIn(objectIn(failure.details), "approval_queue_id");
  return approvalId !== undefined && failure.policyDecision === "routed_to_approval"
    ? { status: "queued", text, approvalId }
    : { status: "blocked", text, failure, isRetryable };
}
