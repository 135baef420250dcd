import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** In our words, because a provider's may contain the key. */
export interface LlmFault {
  readonly reason: "unreachable" | "timeout" | "rate_limited" | "provider_error" | "refused" | "unreadable";
  readonly message: string;
  /** The same request may soon succeed. */
  readonly isTransient: boolean;
  readonly retryAfterMs?: number | undefined;
}

export interface ProviderAnswer {
  readonly statusCode?: number | undefined;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
}

export function faultOf({ statusCode, responseHeaders = {} }: ProviderAnswer): LlmFault {
  if (statusCode === undefined)
    return { reason: "unreachable", message: "The language model could not be reached", isTransient: true };
  const said = `The provider of the language model answered ${statusCode}`;
  if (statusCode === 429 || statusCode === OVERLOADED)
    return {
      reason: "rate_limited",
      message: said,
      isTransient: true,
      retryAfterMs: retryAfterIn(responseHeaders),
    };
  if (statusCode >= 500 || statusCode === 408)
    return {
      reason: statusCode === 408 || statusCode === 504 ? "timeout" : "provider_error",
      message: said,
      isTransient: true,
      retryAfterMs: retryAfterIn(responseHeaders),
    };
  if (statusCode < 400)
    return { reason: "unreadable", message: "The provider's answer could not be read", isTransient: false };
  return { reason: "refused", message: `${said}${MEANING[statusCode] ?? ""}`, isTransient: false };
}

export const timedOut: LlmFault = {
  reason: "timeout",
  message: "The language model did not answer in time",
  isTransient: true,
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

/** Overload at Anthropic. */
const OVERLOADED = 529;

const MEANING: Readonly<Record<number, string>> = {
  401: ": the key is not valid",
  402: ": payment is required",
  403: ": this key has no permission for that",
  404: ": the model does not exist",
};

/** Providers send seconds, not dates. */
function retryAfterIn(headers: Readonly<Record<string, string>>): number | undefined {
  const said = headers["retry-after"] ?? "";
  return /^\d{1,6}(?:\.\d+)?$/.test(said) ? Number(said) * 1_000 : undefined;
}
