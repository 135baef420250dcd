import { defineErrors } from "../errors.ts";
import type { ProtectedCall } from "../guards/protect-options.ts";
import type { JsonObject } from "../json.ts";
import { defineProduct } from "../product.ts";
import type { ToolRule } from "./policy.ts";

/** Codes of the answers that the gate gives instead of the upstream server. */
export const gateErrors = defineErrors(
  {
    waiting_for_person: { category: "approval", retryable: false, meaning: "Waiting for approval" },
    rejected_by_person: { category: "approval", retryable: false, meaning: "Rejected by the approver" },
    inbox_full: { category: "approval", retryable: false, meaning: "Too many calls are waiting" },
    approval_used: { category: "approval", retryable: true, meaning: "The approval was used or has expired" },
    in_doubt: { category: "outcome", retryable: false, meaning: "Sent, and its answer was lost" },
    settled_by_person: { category: "outcome", retryable: false, meaning: "Done before; its answer is lost" },
    still_running: { category: "outcome", retryable: true, meaning: "The same call is running" },
    key_reused: { category: "input", retryable: false, meaning: "The key belongs to another call" },
    limit_reached: { category: "limit", retryable: true, meaning: "A rate limit is used up" },
    over_budget: { category: "limit", retryable: false, meaning: "The budget is used up" },
    server_unreachable: { category: "server", retryable: true, meaning: "Nothing was done" },
    protocol_error: { category: "server", retryable: false, meaning: "The server rejected the request" },
    bad_arguments: { category: "input", retryable: false, meaning: "Arguments too large or too deep" },
    gate_error: { category: "gate", retryable: false, meaning: "A bug in the gate, or its store failed" },
  },
  { badInput: "bad_arguments", duplicate: "still_running", deadline: "in_doubt", internal: "gate_error" },
);

/** Advice after a lost answer. */
export const NOT_RESENT =
  "It is not sent again. Check whether it took effect, and record the result with toolpact gate approve.";

/** The rule of a tool, and its definition as clients see it. */
export interface GateFacts extends ToolRule {
  readonly listed: JsonObject;
}

/** The context that the gate's front end gives each call. */
export interface GateContext {
  /** Sends `tools/call` to the upstream server, with these arguments. */
  readonly forward: (args: JsonObject) => Promise<JsonObject>;
  /** The caller's idempotency key. */
  readonly key?: string | undefined;
  /** The approved item that the gate sends, since its caller has gone. */
  readonly releasedItem?: number | undefined;
}

/** The metadata of an answer, in `_meta["io.toolpact/gate"]`. */
export type GateNotes = {
  readonly receipt_id?: string;
  /** The answer is that of an earlier call. */
  readonly replayed?: boolean;
  /** Decisions about the caller's earlier calls. */
  readonly decisions?: readonly JsonObject[];
};

/** The gate: a product whose tools are those of the upstream server. */
export const gateProduct = defineProduct<{
  services: Pick<GateContext, "forward">;
  facts: GateFacts;
  context: GateContext & ProtectedCall;
  annotations: GateNotes;
}>()({
  errors: gateErrors,
  categories: ["upstream"],
  profiles: ["gate"],
  services: { forward: "server_unreachable" },
});
