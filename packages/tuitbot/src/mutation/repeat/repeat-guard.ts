import { type AnyOutcome, type Failed, type Failure, failed, type Next } from "@toolpact/contract";
import {
  type Account,
  type CallContext,
  type GeneralCall,
  type GeneralGuard,
  type PlannedMutation,
  takesKey,
} from "../call-context.ts";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../receipts/call-identity.ts";
import { earlierCall, type Receipt } from "../receipts/receipt.ts";
import { type SettlingDependencies, settleReceipt } from "../receipts/settle.ts";
import {
  continuedElsewhere,
  firstAnswer,
  formatReceipt,
  keyReused,
  refusedRepeat,
  stillUnknown,
} from "./repeat-answers.ts";

interface Required extends Pick<CallContext, "isOwnCall"> {
  readonly account: Account;
  readonly planned: PlannedMutation | undefined;
}

type Added = Pick<CallContext, "replayed">;

/**
 * Answers a call that was made before: within 30 seconds it is refused, later it gets the first answer, for as long
 * as its tool says. A call whose outcome is not known is settled first. Nothing of this uses up limits or money.
 */
export const repeat: GeneralGuard<SettlingDependencies, Required, Added> = {
  name: "repeat",
  codes: (tool) => (takesKey(tool) ? ["validation_error", "x_network_error"] : ["x_network_error"]),
  async run(call, next, dependencies) {
    const { planned } = call.context;
    return planned === undefined ? next() : answerRepeat(call, planned, dependencies, next);
  },
};

async function answerRepeat(
  call: GeneralCall<Required>,
  { identity, mutation, release, record }: PlannedMutation,
  { settlingFor }: SettlingDependencies,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const { account, isOwnCall } = call.context;
  if (identity.hasOwnKey && isOwnCall !== true) return ownKey();
  const { receipts } = account;
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const receipt = await receipts.find({
    claim: hasClaim ? identity.claim : undefined,
    approvalId: release?.approvalId,
  });
  if (receipt === undefined) return next();
  if (receipt.args_digest !== identity.argsDigest) return keyReused(receipt);
  record.receiptId = receipt.id;

  const settling = settlingFor(account, call.signal);
  const now = settling.xTime.now();
  const earlier = earlierCall(receipt, now, release?.approvalId);
  switch (earlier.kind) {
    case "partly_done": {
      const other = await receipts.continuedBy(receipt.id);
      if (other !== undefined) return continuedElsewhere(formatReceipt(receipt), other);
      record.receiptId = undefined;
      return next();
    }
    case "lapsed":
      record.receiptId = undefined;
      return next();
    case "just_done":
      // A person who releases an approval twice wants to know the result.
      return release === undefined ? refusedRepeat(receipt, earlier, now) : replay(call, receipt, next);
    case "running":
      return refusedRepeat(receipt, earlier, now);
    case "done":
      return replay(call, receipt, next);
    case "unsettled": {
      const settled = await settleReceipt(settling, receipt, true);
      // Another call is settling it.
      if (settled === undefined) return refusedRepeat(receipt, { kind: "running", until: now + 1_000 }, now);
      if (settled.state === "unknown") return stillUnknown(receipt, settled, now);
      if (settled.state === "confirmed")
        return replay(call, { ...receipt, state: "confirmed", attempt: receipt.attempt + 1 }, next);
      record.receiptId = undefined;
      return next();
    }
  }
}

/** The first answer; where it was lost, the tool runs again on the recorded answers, and sends nothing. */
async function replay(call: GeneralCall<Required>, receipt: Receipt, next: Next<Added>): Promise<AnyOutcome> {
  call.annotate({ replayed: true, receipt_id: receipt.id });
  return firstAnswer(receipt) ?? next({ context: { replayed: receipt } });
}

function ownKey(): Failed<Failure> {
  return failed({
    code: "invalid_input",
    message: `\`${IDEMPOTENCY_KEY}\`: keys that begin with ${OWN_KEY} are the product's own. Nothing was sent.`,
    suggestedFix: "Give another key.",
    fixBy: "agent",
  });
}
