import { type Clock, failed, type Outcome, ok } from "@toolpact/contract";
import type { LanguageModel } from "ai";
import type { Assignment } from "./assignment.ts";
import type { Llm, LlmAnswer } from "./llm.ts";
import { faultOf, type LlmFault, llmFailed, timedOut } from "./llm-fault.ts";
import { costMicros, listPrice, type TokenPrice } from "./prices.ts";
import { promptFor } from "./prompt.ts";
import { PROVIDERS, type ProviderName } from "./providers.ts";

export interface ModelSetting {
  readonly provider: ProviderName;
  /** Empty for the provider's default. */
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Address of the provider's API, if not the usual one. */
  readonly baseUrl: string | undefined;
  /** The price that the operator configured. */
  readonly price: TokenPrice | undefined;
  /** Timeout of one request. */
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The language model of a provider. Its SDK is loaded with the first text. */
export function modelLlm(setting: ModelSetting): Llm {
  const { provider, clock, random } = setting;
  const model = setting.model === "" ? PROVIDERS[provider].defaultModel : setting.model;
  const price = setting.price ?? knownPrice(provider, model, setting.baseUrl);
  let opening: Promise<LanguageModel> | undefined;
  return {
    writer: { provider, model, isStandIn: false },
    async write(assignment, signal) {
      opening ??= PROVIDERS[provider].open({ ...setting, model });
      const opened = await opening;
      for (let retries = 0; ; retries += 1) {
        const answered = await ask(opened, assignment, setting, signal);
        if (answered.ok) return ok({ ...answered.value, costMicros: costOf(answered.value, price) });
        const { isTransient, retryAfterMs = backOffMs(retries, random) } = answered.failure;
        const isWorthIt = isTransient && retries < MAX_RETRIES && retryAfterMs <= MAX_WAIT_MS;
        if (!isWorthIt || signal.aborted) return llmFailed(answered.failure);
        await pause(clock, retryAfterMs, signal);
      }
    },
  };
}

const MAX_RETRIES = 2;
const MAX_WAIT_MS = 10_000;

function backOffMs(retries: number, random: () => number): number {
  return 500 * 2 ** retries * (1 + random() / 4);
}

/** Includes the tokens of models that reason before they write. */
const MAX_TOKENS = { tweet: 2_000, reply: 2_000, thread: 6_000 } as const;

type Answered = Omit<LlmAnswer, "costMicros">;

async function ask(
  model: LanguageModel,
  assignment: Assignment,
  { clock, timeoutMs }: ModelSetting,
  signal: AbortSignal,
): Promise<Outcome<Answered, LlmFault>> {
  const { AISDKError, APICallError, generateText } = await import("ai");
  // The SDK prints warnings to stdout, which belongs to the protocol.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tooLong = new AbortController();
  const stop = clock.after(timeoutMs, () => tooLong.abort());
  try {
    const { text, finishReason, usage } = await generateText({
      model,
      ...promptFor(assignment),
      maxOutputTokens: MAX_TOKENS[assignment.purpose],
      // We retry ourselves, because we know how long the caller waits.
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, tooLong.signal]),
    });
    const [inputTokens, outputTokens] = [usage.inputTokens, usage.outputTokens].map(credible);
    return ok({ text, isCut: finishReason === "length", inputTokens, outputTokens });
  } catch (error) {
    if (tooLong.signal.aborted) return failed(timedOut);
    if (signal.aborted) return failed(cancelled);
    if (!AISDKError.isInstance(error)) throw error;
    if (!APICallError.isInstance(error)) return failed(unreadable);
    // A cause of the SDK means a complete answer that it rejects; any other is a broken connection.
    const isComplete = error.statusCode !== 200 || AISDKError.isInstance(error.cause);
    return failed(isComplete ? faultOf(error) : unreachable);
  } finally {
    stop();
  }
}

/** Ignores impossible token counts: a provider's mistake must not lose the text. */
function credible(tokens: number | undefined): number | undefined {
  return Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= 1e9 ? tokens : undefined;
}

const cancelled: LlmFault = { reason: "timeout", message: "The call was cancelled", isTransient: false };
const unreadable = faultOf({ statusCode: 200 });
const unreachable = faultOf({});

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** List prices apply at the provider's own address; a local model is free. */
function knownPrice(
  provider: ProviderName,
  model: string,
  baseUrl: string | undefined,
): TokenPrice | undefined {
  if (provider === "ollama") return { input: 0, output: 0 };
  return baseUrl === undefined ? listPrice(model) : undefined;
}

function costOf({ inputTokens, outputTokens }: Answered, price: TokenPrice | undefined): number | undefined {
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  return costMicros(price, inputTokens, outputTokens);
}
