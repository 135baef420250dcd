import { ProtocolError } from "@modelcontextprotocol/server";
import type { EnvelopeFormat } from "../envelope-format.ts";
import type { Failure } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { RenderedAnswer } from "../pipeline.ts";
import type { GateNotes } from "./gate-product.ts";
import type { UpstreamAnswer, WireError } from "./upstream-tool.ts";

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

/** A refusal has `isError`, so that clients do not validate it against the tool's output schema. */
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
