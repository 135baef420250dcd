import type { Answer, Failure, Json, JsonObject } from "@toolpact/contract";
import { objectIn, textIn, type XObject } from "../x/shapes/x-object.ts";
import type { Executed } from "./release.ts";

/** How a released call ended, from the answer that the pipeline gave. */
export function executedFrom(answer: Answer): Executed {
  if (answer.kind !== "rendered") {
    const message = answer.kind === "asks" ? "It asks for something first." : answer.message;
    return { ok: false, failure: { code: "invalid_input", message }, isRetryable: false };
  }
  const envelope = objectIn(answer.envelope);
  // A success of this product's dialect has JSON as its data.
  if (envelope.success === true) return { ok: true, result: (envelope.data ?? null) as Json };
  const error = objectIn(envelope, "error");
  return { ok: false, failure: failureFrom(error), isRetryable: error.retryable === true };
}

/** The failure that the product's dialect told as this error. */
function failureFrom(error: XObject): Failure {
  const texts = {
    reason: textIn(error, "reason"),
    policyDecision: textIn(error, "policy_decision"),
    suggestedFix: textIn(error, "suggested_fix"),
    fixBy: fixers.find((one) => one === error.fix_by),
    rateLimitReset: textIn(error, "rate_limit_reset"),
    retryAfterMs: typeof error.retry_after_ms === "number" ? error.retry_after_ms : undefined,
    details: error.details === undefined ? undefined : (objectIn(error, "details") as JsonObject),
  };
  const told = Object.entries(texts).filter(([, value]) => value !== undefined);
  return {
    code: textIn(error, "code") ?? "serialization_error",
    message: textIn(error, "message") ?? "It failed.",
    ...Object.fromEntries(told),
  };
}

const fixers = ["agent", "operator", "human"] as const;
