import type { ProtectedCall } from "../guards/protect-options.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { EndedCall, Observer } from "../observer.ts";
import { audit } from "../observers/audit.ts";
import { protocolErrorIn } from "./gate-format.ts";
import type { GateContext, GateFacts, GateNotes } from "./gate-product.ts";
import type { UpstreamAnswer } from "./upstream-tool.ts";

type Context = Partial<GateContext & ProtectedCall>;
type GateCall = EndedCall<GateFacts, unknown, Context, GateNotes>;

/** Stores a record of every call, with the policy's rule and the ids of its receipt and its approval item. */
export function gateAudit(
  storage: GuardStorage,
  log: (message: string) => void,
): Observer<GateFacts, unknown, Context, GateNotes> {
  return audit({
    write(record, call) {
      // A call that asks is made again with the answer, and recorded then.
      if (record.outcome === "asked") return;
      return storage
        .record({ ...record, ...endingOf(call), decision: call.tool.facts.rule, ...idsOf(call) })
        .catch((error: Error) =>
          log(`A call of ${record.tool} is missing in the audit log: ${error.message}`),
        );
    },
  });
}

/** An error that the server answered with is a failed call, although it was carried out. */
function endingOf({ outcome }: GateCall) {
  if (outcome.ok === null) return {};
  const error = protocolErrorIn(outcome);
  if (error !== undefined) return { outcome: "failed", code: `protocol_error ${error.code}` } as const;
  if (!outcome.ok) return {};
  // Values of this product are answers of the upstream server.
  const answer = outcome.value as UpstreamAnswer;
  const isError = "result" in answer && answer.result.isError === true;
  return isError ? ({ outcome: "failed", code: "tool_error" } as const) : {};
}

function idsOf({ outcome, context, annotations }: GateCall) {
  const details = outcome.ok === false ? (outcome.failure.details ?? {}) : {};
  const receiptId = details.receipt_id ?? annotations.receipt_id ?? context.receiptId;
  const itemId = details.item_id ?? context.itemId;
  return {
    ...(typeof receiptId === "string" && { receiptId }),
    ...(typeof itemId === "number" && { itemId }),
  };
}
