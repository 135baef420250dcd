import type { Call } from "../call.ts";
import { protect } from "../guards/protect.ts";
import type { ProtectedCall } from "../guards/protect-options.ts";
import type { Receipt } from "../guards/receipt.ts";
import type { RefusalWords } from "../guards/refusals.ts";
import { askInClient } from "./ask-in-client.ts";
import { gateFormat } from "./gate-format.ts";
import { type GateContext, type GateFacts, gateErrors, gateProduct, NOT_RESENT } from "./gate-product.ts";
import type { Policy } from "./policy.ts";

/** The guards that the policy puts in front of every tool. */
export function gateStack({ name, askInClient: asks, waitMs, expiresMs, budget }: Policy) {
  return gateProduct
    .guardStack("gate")
    .use(
      protect<typeof gateErrors, GateFacts>({
        errors: gateErrors,
        codes: {
          retry: "still_running",
          limit: "limit_reached",
          needsApproval: "waiting_for_person",
          rejected: "rejected_by_person",
          unknownOutcome: "in_doubt",
          conflict: "key_reused",
          budget: "over_budget",
          refused: "gate_error",
          expired: "approval_used",
          item_used: "approval_used",
          inbox_full: "inbox_full",
          answer_lost: "settled_by_person",
        },
        words,
        once: {
          key: (call) => contextOf(call).key,
          sameCallMs: ({ tool }) => tool.facts.sameCallMs,
          uncertain: ["in_doubt"],
          isDelivered: (call) => contextOf(call).releasedItem === undefined && !call.signal.aborted,
        },
        limits: ({ tool }) => tool.facts.limits,
        budget: { ...budget, price: ({ tool }) => tool.facts.price },
        countsReads: ({ tool: { facts } }) => facts.price > 0 || facts.limits.length > 0,
        approval: {
          needs: ({ tool }) => tool.facts.rule === "person",
          reason: ({ tool }) =>
            tool.facts.isNamed
              ? `The policy requires approval of ${tool.name}.`
              : `The policy does not name ${tool.name}, so it requires approval.`,
          expiresMs,
          waitMs,
          onWait: (call, { id }, times) =>
            call.progress({ done: times, message: `Waiting for approval of item ${id}.` }),
          ...(asks && { ask: (call, item) => askInClient(call, item, name) }),
          released: (call) => contextOf(call).releasedItem,
        },
      }),
    )
    .use(noteReceipt)
    .answering(gateFormat);
}

/** Adds the receipt of a call to the metadata of its answer. */
const noteReceipt = gateProduct.guard<{ requires: ProtectedCall }>({
  name: "note receipt",
  codes: () => [],
  run(call, next) {
    const { receiptId } = call.context;
    if (receiptId !== undefined) call.annotate({ receipt_id: receiptId });
    return next();
  },
});

/** The gate's front end begins every call with this context. */
function contextOf(call: Call<GateFacts>): Partial<GateContext> {
  return call.context;
}

/** The gate sends approved calls itself, and its own commands record unknown outcomes. */
const words: RefusalWords<Receipt> = ({ details }, refusal) => {
  switch (refusal.kind) {
    case "waiting":
      return {
        suggestedFix:
          "It is sent once it is approved. Make the same call with the same arguments later to get its result.",
        details: { ...details, expires_at: new Date(refusal.item.expiresAt).toISOString() },
      };
    case "in_doubt":
      return { suggestedFix: NOT_RESENT };
    case "answer_lost": {
      const { tool, note } = refusal.receipt;
      return {
        message: `${tool} was carried out before, and its answer is lost${note === undefined || note === "" ? "" : ` (${note})`}. It was not sent again.`,
      };
    }
    default:
      return {};
  }
};
