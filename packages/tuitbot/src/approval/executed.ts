import type { Answer, Failure, Json, JsonObject } from "@toolpact/contract";
import { objectIn, textIn } from "../shapes/x-object.ts";
import type { Executed } from "./release.ts";

/** How a released call ended, from the answer that the pipeline gave. */
export function executedFrom(answer: Answer): Executed {
  if (answer.kind !== "told") {
    const message = answer.kind === "asks" ? "It asks for something first." : answer.message;
    return { ok: false, failure: { code: "invalid_input", message }, isRetryable: false };
  }
  const envelope = objectIn(answer.envelope);
  // A success of this product's dialect has JSON as its data.
  if (envelope.success === true) return { ok: true, result: (envelope.data ?? null) as Json };
  const error = objectIn(envelope, "error");
  const reason = textIn(error, "reason");
  const decision = textIn(error, "policy_decision");
  const failure: Failure = {
    code: textIn(error, "code") ?? "serialization_error",
    message: textIn(error, "message") ?? "It failed.",
    ...(reason !== undefined && { reason }),
    ...(decision !== undefined && { policyDecision: decision }),
    ...(error.details !== undefined && { details: objectIn(error, "details") as JsonObject }),
  };
  return { ok: false, failure, isRetryable: error.retryable === true };
}
