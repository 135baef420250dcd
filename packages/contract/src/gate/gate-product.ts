import { ProtocolError } from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { RenderedAnswer } from "../call-state.ts";
import type { EnvelopeFormat } from "../envelope-format.ts";
import { defineErrors, type Failure } from "../errors.ts";
import type { ProtectedCall } from "../guards/protect-options.ts";
import type { JsonObject } from "../json.ts";
import { defineProduct } from "../product.ts";
import type { CallFacts } from "./conditions.ts";
import type { PlanStep } from "./plan-calls.ts";
import type { ToolChange } from "./tool-definition.ts";
import type { Decision, ToolRule } from "./tool-rules.ts";
import type { UpstreamAnswer, WireError } from "./upstream-catalog.ts";

/** Codes of the answers that the gate gives instead of the upstream server. */
export const gateErrors = defineErrors(
  {
    waiting_for_person: { category: "approval", retryable: false, meaning: "Waiting for approval" },
    rejected_by_person: { category: "approval", retryable: false, meaning: "Rejected by the approver" },
    inbox_full: { category: "approval", retryable: false, meaning: "Too many calls are waiting" },
    approval_used: { category: "approval", retryable: true, meaning: "The approval was used or has expired" },
    denied_by_policy: { category: "approval", retryable: false, meaning: "The policy forbids such calls" },
    tool_changed: {
      category: "approval",
      retryable: true,
      meaning: "The tool is not the one that was approved",
    },
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

/** The rule of a tool, and its definition. */
export interface GateFacts extends ToolRule {
  /** The definition as clients see it. */
  readonly listed: JsonObject;
  /** The definition by the server. */
  readonly definition: JsonObject;
  /** The rule for one call. A tool that is new or changed needs approval. */
  readonly decide: (facts: Omit<CallFacts, "at">) => Decision;
  /** Set while the tool is new or changed, and nobody has approved a call of it. */
  readonly change: ToolChange | undefined;
  readonly server: string;
  readonly upstreamName: string;
}

export type SendCall = (
  tool: Pick<GateFacts, "server" | "upstreamName">,
  args: JsonObject,
) => Promise<JsonObject>;

/** The context that the gate's front end gives each call. */
export interface GateContext {
  /** Sends `tools/call` to the server of the tool. */
  readonly send: SendCall;
  /** The caller's idempotency key. */
  readonly key?: string | undefined;
  /** The approved item that the gate sends, since its caller has gone. */
  readonly releasedItem?: number | undefined;
  /** The plan that the call is a step of. */
  readonly plan?: PlanStep | undefined;
  /** Set if nobody has to be asked about the call. */
  readonly admitted?: Admission | undefined;
}

/** Why a call that needs approval is approved without a question. */
export interface Admission {
  /** The name of the rule in the log. */
  readonly decision: string;
  /** Who decided. */
  readonly by: string;
}

/** The metadata of an answer, in `_meta["io.toolpact/gate"]`. */
export type GateNotes = {
  readonly receipt_id?: string;
  /** The answer is that of an earlier call. */
  readonly replayed?: boolean;
  /** Decisions about the caller's earlier calls. */
  readonly decisions?: readonly JsonObject[];
};

/** The rule for a call, with everything that conditions read. */
export function decisionOf({
  tool: { facts },
  input,
  caller,
}: {
  readonly tool: { readonly facts: GateFacts };
  readonly input: JsonObject;
  readonly caller: Pick<Caller, "principal" | "client">;
}): Decision {
  return facts.decide({ args: input, caller: caller.principal ?? "", client: caller.client ?? "" });
}

/** The gate: a product whose tools are those of the upstream server. */
export const gateProduct = defineProduct<{
  services: Pick<GateContext, "send">;
  facts: GateFacts;
  context: GateContext & ProtectedCall;
  annotations: GateNotes;
}>()({
  errors: gateErrors,
  categories: ["upstream"],
  profiles: ["gate"],
  services: { send: "server_unreachable" },
});

/** The member of `_meta` that holds the gate's data about a tool or an answer. */
export const GATE_META = "io.toolpact/gate";

/** Answer to requests of the protocol's tasks extension. */
export const NO_TASKS = "A gate has no tasks: each call is answered when it is done.";

/** Passes results of the upstream server through, and renders refusals of the gate as tool results with `isError`. */
export const gateFormat: EnvelopeFormat<GateNotes> = {
  name: "gate",
  render: (outcome, { annotations }) => ({
    // Values of this product are answers of the upstream server.
    envelope: outcome.ok
      ? passedOn(outcome.value as UpstreamAnswer, annotations)
      : refused(outcome.failure, annotations),
  }),
  noteCut: (envelope) => envelope,
  outputSchema: (value) => value,
};

/** The result of `tools/call`. Throws if the server answered with an error of the protocol. */
export function toolResult({ outcome, envelope }: RenderedAnswer): JsonObject {
  const error = protocolErrorIn(outcome);
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data ?? undefined);
  return envelope ?? {};
}

/** The error of the protocol that ended a call. It is stored if the tool may have run, and a failure otherwise. */
export function protocolErrorIn(outcome: RenderedAnswer["outcome"]): WireError | undefined {
  if (!outcome.ok) return outcome.failure.details?.error as WireError | undefined;
  const answer = outcome.value as UpstreamAnswer;
  return "error" in answer ? answer.error : undefined;
}

/** The result with the gate's metadata in place of anything that the server may have written there. */
function passedOn(answer: UpstreamAnswer, { receipt_id, replayed, decisions }: GateNotes): JsonObject {
  if ("error" in answer) return {};
  const { result } = answer;
  if (receipt_id === undefined && result._meta === undefined) return result;
  // `_meta` of a result is an object.
  const { [GATE_META]: _, ...meta } = (result._meta ?? {}) as JsonObject;
  const own = { receipt_id, from_receipt: replayed, decisions };
  return { ...result, _meta: { ...meta, ...(receipt_id !== undefined && { [GATE_META]: own }) } };
}

/** A refusal has `isError`, which keeps clients from validating it against the tool's output schema. */
function refused(
  { code, message, suggestedFix, retryAfterMs, details = {} }: Failure,
  { receipt_id, decisions }: GateNotes,
): JsonObject {
  const text = suggestedFix === undefined ? message : `${message} ${suggestedFix}`;
  const { item_id, expires_at } = details;
  const notes = { code, receipt_id: details.receipt_id ?? receipt_id, item_id, expires_at };
  return {
    content: [{ type: "text", text }],
    isError: true,
    _meta: { [GATE_META]: { ...notes, retry_after_ms: retryAfterMs, decisions } },
  };
}
