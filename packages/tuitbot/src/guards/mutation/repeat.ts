import { type AnyOutcome, type Failed, type Failure, failed, ok, type Tool } from "@toolpact/contract";
import { type Resolver, resolveEarlier } from "@toolpact/contract/internal/guards";
import type { ErrorCode } from "../../errors.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import type { XBill } from "../budget/bill.ts";
import { type Account, type PlannedMutation, takesKey } from "../call/call-context.ts";
import type { MutationCall } from "../call/mutation.ts";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../receipts/call-identity.ts";
import { earlierReceipt } from "../receipts/receipt.ts";
import { firstAnswer, repeatRefusal } from "./repeat-answers.ts";

export interface ResolverDependencies {
  /** Returns what finds out, from X, what became of a request. Its reads are added to the bill, if there is one. */
  readonly resolverFor: (account: Account, signal: AbortSignal, bill?: XBill) => Resolver;
}

/** Codes of `checkRepeat`. */
export function repeatCodes(tool: Pick<Tool, "effects">): readonly ErrorCode[] {
  return takesKey(tool) ? ["validation_error", "x_network_error"] : ["x_network_error"];
}

/**
 * Answers a call that was made before: within 30 seconds it is refused, later it gets the first answer, for as long as
 * its tool says. An unknown outcome is resolved first. This uses up neither limits nor money.
 */
export async function checkRepeat(
  call: MutationCall,
  { identity, mutation, release, record }: PlannedMutation,
  { resolverFor }: ResolverDependencies,
): Promise<
  | { readonly kind: "new" }
  /** It was carried out, and its answer is lost. */
  | { readonly kind: "done"; readonly receipt: ReceiptRow }
  | { readonly kind: "answered"; readonly outcome: AnyOutcome }
> {
  const { account, isOwnCall } = call.context;
  if (identity.hasOwnKey && isOwnCall !== true) return { kind: "answered", outcome: ownKey() };
  const hasClaim = mutation.repeat !== "free" || identity.hasKey;
  const approvalId = release?.approvalId;
  const found = await account.receipts.find({ claim: hasClaim ? identity.claim : undefined, approvalId });
  if (found === undefined) return { kind: "new" };
  const resolver = resolverFor(account, call.signal);
  const now = resolver.time.now();
  const earlier = earlierReceipt(found, identity, now, approvalId);
  if (earlier === undefined) return { kind: "new" };
  if (earlier.kind !== "key_reused") record.receiptId = found.id;
  const result = await resolveEarlier(
    { storage: account.receipts, resolverFor: () => resolver },
    // A person who releases an approval twice gets the result.
    earlier.kind === "just_done" && approvalId !== undefined ? { kind: "done", receipt: found } : earlier,
  );
  switch (result.kind) {
    case "refused":
      return { kind: "answered", outcome: repeatRefusal(result.refusal, now) };
    case "done_before": {
      const { receipt } = result;
      call.annotate({ replayed: true, receipt_id: receipt.id });
      const stored = firstAnswer(receipt);
      return stored === undefined ? { kind: "done", receipt } : { kind: "answered", outcome: ok(stored) };
    }
    case "proceed":
      record.receiptId = undefined;
      return { kind: "new" };
  }
}

function ownKey(): Failed<Failure> {
  return failed({
    code: "invalid_input",
    message: `\`${IDEMPOTENCY_KEY}\`: keys that begin with ${OWN_KEY} are the product's own. Nothing was sent.`,
    suggestedFix: "Give another key.",
    fixBy: "agent",
  });
}
