import type { Answer, AnyErrorSet, Failure, Json } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** How a call that the product made itself has ended. */
export type CallResult =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly failure: Failure; readonly isRetryable: boolean };

export function callResultFrom(answer: Answer): CallResult {
  if (answer.kind !== "rendered") {
    const message = answer.kind === "asks" ? "It asks for something first." : answer.message;
    return { ok: false, failure: { code: "invalid_input", message }, isRetryable: false };
  }
  const { outcome } = answer;
  if (outcome.ok) return { ok: true, result: outcome.value };
  const { failure } = outcome;
  return { ok: false, failure, isRetryable: rows[failure.code]?.retryable ?? false };
}

const { rows }: AnyErrorSet = errors;
