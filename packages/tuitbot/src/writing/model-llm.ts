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
  /** The provider's usual one where empty. */
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Where the provider is, if not at its own address. */
  readonly baseUrl: string | undefined;
  /** What the operator says it costs. */
  readonly price: TokenPrice | undefined;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The model of a provider. Nothing of it is loaded before the first text. */
export function modelLlm(setting: ModelSetting): Llm {
  const { provider, clock, random } = setting;
  const model = setting.model === "" ? PROVIDERS[provider].usualModel : setting.model;
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
        const { isPassing, retryAfterMs = backOffMs(retries, random) } = answered.failure;
        const isWorthIt = isPassing && retries < MOST_RETRIES && retryAfterMs <= LONGEST_WAIT_MS;
        if (!isWorthIt || signal.aborted) return llmFailed(answered.failure);
        await pause(clock, retryAfterMs, signal);
      }
    },
  };
}

const MOST_RETRIES = 2;
const LONGEST_WAIT_MS = 10_000;

function backOffMs(retries: number, random: () => number): number {
  return 500 * 2 ** retries * (1 + random() / 4);
}

/** Room for models that think before they write. */
const MOST_TOKENS = { tweet: 2_000, reply: 2_000, thread: 6_000 } as const;

type Answered = Omit<LlmAnswer, "costMicros">;

async function ask(
  model: LanguageModel,
  assignment: Assignment,
  { clock, timeoutMs }: ModelSetting,
  signal: AbortSignal,
): Promise<Outcome<Answered, LlmFault>> {
  const { AISDKError, APICallError, generateText } = await import("ai");
  // Its notices go to the output that belongs to MCP.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tooLong = new AbortController();
  const stop = clock.after(timeoutMs, () => tooLong.abort());
  try {
    const { text, finishReason, usage } = await generateText({
      model,
      ...promptFor(assignment),
      maxOutputTokens: MOST_TOKENS[assignment.purpose],
      // Repeating is up to us, who know how long the caller waits.
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
    // The SDK finds fault with what it could read itself; anything else is a connection that broke.
    const isWhole = error.statusCode !== 200 || AISDKError.isInstance(error.cause);
    return failed(isWhole ? faultOf(error) : unreachable);
  } finally {
    stop();
  }
}

/** A number of tokens that an answer can have used; a provider's mistake must not cost the text. */
function credible(tokens: number | undefined): number | undefined {
  return Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= 1e9 ? tokens : undefined;
}

const cancelled: LlmFault = { reason: "timeout", message: "The call was cancelled", isPassing: false };
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

/** List prices hold at the provider's own address; a model on one's own machine is free. */
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
