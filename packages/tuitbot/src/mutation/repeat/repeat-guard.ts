import type { Call, Guard, Next, PlainExtras } from "@toolpact/contract";
import type { GuardOutcome, MutationContext } from "../call-context.ts";
import { mutationGuard } from "../mutation-guard.ts";
import { findReceipt } from "../receipts/find-receipt.ts";
import { type Settling, settleReceipt } from "../receipts/settle.ts";
import { type Receipt, standingOf } from "../receipts/standing.ts";
import { continuedBy } from "../receipts/thread-tail.ts";
import {
  continuedElsewhere,
  firstAnswer,
  keyReused,
  refusedRepeat,
  shownReceipt,
  stillUnknown,
} from "./repeat-answers.ts";

export type SettlingFor = (context: MutationContext, signal: AbortSignal) => Settling;

/**
 * Answers a call that was made before: within 30 seconds it is refused, later it gets the first answer, for as long
 * as its tool says. A call whose outcome is not known is settled first. Nothing of this uses up limits or money.
 */
export function repeatGuard(settlingFor: SettlingFor): Guard<PlainExtras> {
  return mutationGuard("repeat", ["validation_error", "x_network_error"], (call, context, next) =>
    throughRepeat(call, context, settlingFor(context, call.signal), next),
  );
}

async function throughRepeat(
  call: Call<PlainExtras>,
  context: MutationContext,
  settling: Settling,
  next: Next,
): Promise<GuardOutcome> {
  const { store, account, identity, mutation, release } = context;
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const receipt = await findReceipt(store.db, account, {
    claim: hasClaim ? identity.claim : undefined,
    approvalId: release?.approvalId,
  });
  if (receipt === undefined) return next();
  if (receipt.args_digest !== identity.argsDigest) return keyReused(receipt);
  context.receiptId = receipt.id;

  const now = settling.now();
  const standing = standingOf(receipt, now, release?.approvalId);
  switch (standing.kind) {
    case "partly_done": {
      const other = await continuedBy(store.db, receipt);
      if (other !== undefined) return continuedElsewhere(shownReceipt(receipt), other);
      context.receiptId = undefined;
      return next();
    }
    case "lapsed":
      context.receiptId = undefined;
      return next();
    case "just_done":
      // Whoever releases an approval twice wants to know what came of it.
      return release === undefined
        ? refusedRepeat(receipt, standing, now)
        : replay(call, context, receipt, next);
    case "running":
      return refusedRepeat(receipt, standing, now);
    case "done":
      return replay(call, context, receipt, next);
    case "unsettled": {
      const settled = await settleReceipt(settling, receipt, true);
      // Another call is at it: it will know.
      if (settled === undefined) return refusedRepeat(receipt, { kind: "running", until: now + 1_000 }, now);
      if (settled.state === "unknown") return stillUnknown(receipt, settled, now);
      if (settled.state === "confirmed")
        return replay(call, context, { ...receipt, state: "confirmed", attempt: receipt.attempt + 1 }, next);
      context.receiptId = undefined;
      return next();
    }
  }
}

/** The first answer; where it was lost, the tool runs again on what X answered then, and sends nothing. */
async function replay(
  call: Call<PlainExtras>,
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
