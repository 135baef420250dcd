import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Why a model gave no answer, in this product's words: a provider's own may repeat the key. */
export interface LlmFault {
  readonly reason: "unreachable" | "timeout" | "rate_limited" | "refused" | "unreadable";
  readonly message: string;
  /** The same request may succeed in a moment. */
  readonly isPassing: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** What the SDK's error for an answer of a provider tells. */
export interface ProviderAnswer {
  readonly statusCode?: number | undefined;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
}

export function faultOf({ statusCode, responseHeaders = {} }: ProviderAnswer): LlmFault {
  if (statusCode === undefined)
    return { reason: "unreachable", message: "The language model could not be reached", isPassing: true };
  const said = `The provider of the language model answered ${statusCode}`;
  if (statusCode === 429 || statusCode === OVERLOADED)
    return { reason: "rate_limited", message: said, isPassing: true, retryAfterMs: waitIn(responseHeaders) };
  if (statusCode >= 500 || statusCode === 408)
    return { reason: "unreachable", message: said, isPassing: true, retryAfterMs: waitIn(responseHeaders) };
  if (statusCode < 400)
    return { reason: "unreadable", message: "The provider's answer could not be read", isPassing: false };
  return { reason: "refused", message: `${said}${WHAT_IT_MEANS[statusCode] ?? ""}`, isPassing: false };
}

export const timedOut: LlmFault = {
  reason: "timeout",
  message: "The language model did not answer in time",
  isPassing: true,
};

export function llmFailed({ reason, message, retryAfterMs }: LlmFault): Failed<Failure<"llm_error">> {
  return errors.fail("llm_error", `${message}. Nothing was written.`, {
    reason,
    suggestedFix:
      reason === "refused"
        ? "Check llm.provider, llm.model and llm.api_key: `tuitbot doctor`."
        : "Try again.",
    fixBy: reason === "refused" ? "operator" : "agent",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Anthropic's word for it. */
const OVERLOADED = 529;

const WHAT_IT_MEANS: Readonly<Record<number, string>> = {
  401: ": it does not take the key",
  402: ": it wants to be paid first",
  403: ": it does not let this key do that",
  404: ": it has no such model",
};

/** Seconds only: providers send no dates. */
function waitIn(headers: Readonly<Record<string, string>>): number | undefined {
  const said = headers["retry-after"] ?? "";
  return /^\d{1,6}(?:\.\d+)?$/.test(said) ? Number(said) * 1_000 : undefined;
}
