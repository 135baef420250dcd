import type { Call, Guard, JsonObject, Next } from "@toolpact/contract";
import type { GuardOutcome, MutationContext } from "../call-context.ts";
import { mutationGuard } from "../mutation-guard.ts";
import { earlierCall, type Receipt } from "../receipts/receipt.ts";
import { type Settling, settleReceipt } from "../receipts/settle.ts";
import {
  continuedElsewhere,
  firstAnswer,
  formatReceipt,
  keyReused,
  refusedRepeat,
  stillUnknown,
} from "./repeat-answers.ts";

export type SettlingFor = (context: MutationContext, signal: AbortSignal) => Settling;

/**
 * Answers a call that was made before: within 30 seconds it is refused, later it gets the first answer, for as long
 * as its tool says. A call whose outcome is not known is settled first. Nothing of this uses up limits or money.
 */
export function repeatGuard(settlingFor: SettlingFor): Guard<unknown, unknown, JsonObject> {
  return mutationGuard("repeat", ["validation_error", "x_network_error"], (call, context, next) =>
    answerRepeat(call, context, settlingFor(context, call.signal), next),
  );
}

async function answerRepeat(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext,
  settling: Settling,
  next: Next,
): Promise<GuardOutcome> {
  const { receipts, identity, mutation, release } = context;
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const receipt = await receipts.find({
    claim: hasClaim ? identity.claim : undefined,
    approvalId: release?.approvalId,
  });
  if (receipt === undefined) return next();
  if (receipt.args_digest !== identity.argsDigest) return keyReused(receipt);
  context.receiptId = receipt.id;

  const now = settling.now();
  const earlier = earlierCall(receipt, now, release?.approvalId);
  switch (earlier.kind) {
    case "partly_done": {
      const other = await receipts.continuedBy(receipt.id);
      if (other !== undefined) return continuedElsewhere(formatReceipt(receipt), other);
      context.receiptId = undefined;
      return next();
    }
    case "lapsed":
      context.receiptId = undefined;
      return next();
    case "just_done":
      // A person who releases an approval twice wants to know the result.
      return release === undefined
        ? refusedRepeat(receipt, earlier, now)
        : replay(call, context, receipt, next);
    case "running":
      return refusedRepeat(receipt, earlier, now);
    case "done":
      return replay(call, context, receipt, next);
    case "unsettled": {
      const settled = await settleReceipt(settling, receipt, true);
      // Another call is settling it.
      if (settled === undefined) return refusedRepeat(receipt, { kind: "running", until: now + 1_000 }, now);
      if (settled.state === "unknown") return stillUnknown(receipt, settled, now);
      if (settled.state === "confirmed")
        return replay(call, context, { ...receipt, state: "confirmed", attempt: receipt.attempt + 1 }, next);
      context.receiptId = undefined;
      return next();
    }
  }
}

/** The first answer; where it was lost, the tool runs again on the recorded answers, and sends nothing. */
async function replay(
  call: Call<unknown, unknown, JsonObject>,
  context: MutationContext,
  receipt: Receipt,
  next: Next,
): Promise<GuardOutcome> {
  call.annotate({ replayed: true, receipt_id: receipt.id });
  const answer = firstAnswer(receipt);
  if (answer !== undefined) return answer;
  context.rebuilds = receipt;
  return next();
}
