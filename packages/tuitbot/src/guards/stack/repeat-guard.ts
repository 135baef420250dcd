import { type AnyOutcome, type Failed, type Failure, failed, type Next, ok } from "@toolpact/contract";
import { resolveEarlier } from "@toolpact/contract/guards";
import {
  type Account,
  type CallContext,
  type PlannedMutation,
  type TuitbotCall,
  type TuitbotGuard,
  takesKey,
} from "../call/call-context.ts";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../receipts/call-identity.ts";
import { earlierReceipt } from "../receipts/receipt.ts";
import { answerRepeated, firstAnswer } from "../repeat/repeat-answers.ts";
import type { SettlingDependencies } from "./settle-leftovers-guard.ts";

interface Required extends Pick<CallContext, "isOwnCall"> {
  readonly account: Account;
  readonly planned: PlannedMutation | undefined;
}

type Added = Pick<CallContext, "replayed">;

/**
 * Answers a call that was made before: within 30 seconds it is refused, later it gets the first answer, for as long
 * as its tool says. A call whose outcome is not known is settled first. Nothing of this uses up limits or money.
 */
export const repeat: TuitbotGuard<SettlingDependencies, Required, Added> = {
  name: "repeat",
  codes: (tool) => (takesKey(tool) ? ["validation_error", "x_network_error"] : ["x_network_error"]),
  async run(call, next, dependencies) {
    const { planned } = call.context;
    return planned === undefined ? next() : answerRepeat(call, planned, dependencies, next);
  },
};

async function answerRepeat(
  call: TuitbotCall<Required>,
  { identity, mutation, release, record }: PlannedMutation,
  { settlingFor }: SettlingDependencies,
  next: Next<Added>,
): Promise<AnyOutcome> {
  const { account, isOwnCall } = call.context;
  if (identity.hasOwnKey && isOwnCall !== true) return ownKey();
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const approvalId = release?.approvalId;
  const receipt = await account.receipts.find({ claim: hasClaim ? identity.claim : undefined, approvalId });
  if (receipt === undefined) return next();
  const resolver = settlingFor(account, call.signal);
  const now = resolver.time.now();
  const earlier = earlierReceipt(receipt, identity, now, approvalId);
  if (earlier === undefined) return next();
  if (earlier.kind !== "key_reused") record.receiptId = receipt.id;
  const answered = await resolveEarlier(
    { storage: account.receipts, resolverFor: () => resolver },
    // A person who releases an approval twice wants to know the result.
    earlier.kind === "just_done" && approvalId !== undefined ? { kind: "done", receipt } : earlier,
  );
  if (answered.kind === "refused") return answerRepeated(answered.refusal, now);
  if (answered.kind === "done_before") {
    const { receipt: replayed } = answered;
    call.annotate({ replayed: true, receipt_id: replayed.id });
    const stored = firstAnswer(replayed);
    return stored === undefined ? next({ context: { replayed } }) : ok(stored);
  }
  record.receiptId = undefined;
  return next();
}

function ownKey(): Failed<Failure> {
  return failed({
    code: "invalid_input",
    message: `\`${IDEMPOTENCY_KEY}\`: keys that begin with ${OWN_KEY} are the product's own. Nothing was sent.`,
    suggestedFix: "Give another key.",
    fixBy: "agent",
  });
}
