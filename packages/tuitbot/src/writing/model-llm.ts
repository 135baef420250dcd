import { type Clock, failed, type Outcome, ok, once } from "@toolpact/contract";
import type { LanguageModel } from "ai";
import type { Config } from "../config/schema.ts";
import type { Llm, LlmAnswer } from "./llm.ts";
import { faultOf, type LlmFault, llmFailed, timedOut } from "./llm-fault.ts";
import { type PromptText, promptFor } from "./prompt.ts";

export interface ModelSetting {
  readonly provider: ProviderName;
  /** Empty for the provider's default. */
  readonly model: string;
  readonly apiKey: string | undefined;
  /** If not the usual one. */
  readonly baseUrl: string | undefined;
  /** From the configuration. */
  readonly price: TokenPrice | undefined;
  /** Per request. */
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** It also answers other questions. */
export interface ModelLlm extends Llm {
  readonly answer: (
    question: PromptText & { readonly maxOutputTokens: number },
    signal: AbortSignal,
  ) => ReturnType<Llm["write"]>;
}

/** Loads the SDK with the first text. */
export function modelLlm(setting: ModelSetting): ModelLlm {
  const { provider, clock, random } = setting;
  const model = setting.model === "" ? PROVIDERS[provider].defaultModel : setting.model;
  const price = setting.price ?? knownPrice(provider, model, setting.baseUrl);
  // fetch would pass headers such as x-api-key on to another host.
  const fetch: typeof globalThis.fetch = (input, init) =>
    setting.fetch(input, { ...init, redirect: "error" });
  const open = once(() => PROVIDERS[provider].open({ ...setting, model, fetch }));
  const answer: ModelLlm["answer"] = async (question, signal) => {
    const opened = await open();
    for (let retries = 0; ; retries += 1) {
      const answered = await ask(opened, question, setting, signal);
      if (answered.ok) return ok({ ...answered.value, costMicros: costOf(answered.value, price) });
      const { isTransient, retryAfterMs = backOffMs(retries, random) } = answered.failure;
      const isWorthIt = isTransient && retries < MAX_RETRIES && retryAfterMs <= MAX_WAIT_MS;
      if (!isWorthIt || signal.aborted) return llmFailed(answered.failure);
      await pause(clock, retryAfterMs, signal);
    }
  };
  return {
    writer: { provider, model, isStandIn: false },
    write: (assignment, signal) =>
      answer({ ...promptFor(assignment), maxOutputTokens: MAX_TOKENS[assignment.purpose] }, signal),
    answer,
  };
}

const MAX_RETRIES = 2;
const MAX_WAIT_MS = 10_000;

function backOffMs(retries: number, random: () => number): number {
  return 500 * 2 ** retries * (1 + random() / 4);
}

/** With the tokens of reasoning. */
const MAX_TOKENS = { tweet: 2_000, reply: 2_000, thread: 6_000 } as const;

type Answered = Omit<LlmAnswer, "costMicros">;

async function ask(
  model: LanguageModel,
  question: Parameters<ModelLlm["answer"]>[0],
  { clock, timeoutMs }: ModelSetting,
  signal: AbortSignal,
): Promise<Outcome<Answered, LlmFault>> {
  const { AISDKError, APICallError, generateText } = await import("./ai-sdk.ts");
  // Stdout belongs to the protocol.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tooLong = new AbortController();
  const stop = clock.after(timeoutMs, () => tooLong.abort());
  try {
    const { text, finishReason, usage } = await generateText({
      model,
      ...question,
      // We retry, because we know how long the caller waits.
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
    // The SDK's cause means a complete answer that it rejects; others are broken connections.
    const isComplete = error.statusCode !== 200 || AISDKError.isInstance(error.cause);
    return failed(isComplete ? faultOf(error) : unreachable);
  } finally {
    stop();
  }
}

/** A provider's wrong token count must not lose the text. */
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

/** For the provider's own address; a local model is free. */
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

/** US dollars per million tokens. */
interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/** A dated version costs as much as its model. */
function listPrice(model: string): TokenPrice | undefined {
  return PRICES.get(model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, ""));
}

/** Rounded up. */
function costMicros({ input, output }: TokenPrice, inputTokens: number, outputTokens: number): number {
  return Math.ceil(inputTokens * input + outputTokens * output);
}

const PRICES: ReadonlyMap<string, TokenPrice> = new Map(
  Object.entries<TokenPrice>({
    "gpt-4.1": { input: 2, output: 8 },
    "gpt-4.1-mini": { input: 0.4, output: 1.6 },
    "gpt-4.1-nano": { input: 0.1, output: 0.4 },
    "gpt-4o": { input: 2.5, output: 10 },
    "gpt-4o-mini": { input: 0.15, output: 0.6 },
    "gpt-5": { input: 1.25, output: 10 },
    "gpt-5-mini": { input: 0.25, output: 2 },
    "gpt-5-nano": { input: 0.05, output: 0.4 },
    "gpt-5.1": { input: 1.25, output: 10 },
    "claude-opus-4-1": { input: 15, output: 75 },
    "claude-opus-4-5": { input: 5, output: 25 },
    "claude-sonnet-4-0": { input: 3, output: 15 },
    "claude-sonnet-4-5": { input: 3, output: 15 },
    "claude-haiku-4-5": { input: 1, output: 5 },
    "llama-3.3-70b-versatile": { input: 0.59, output: 0.79 },
    "llama-3.1-8b-instant": { input: 0.05, output: 0.08 },
  }),
);

type ProviderName = Exclude<Config["llm"]["provider"], "">;

export interface ProviderSetting {
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

interface Provider {
  /** Unless configured. */
  readonly defaultModel: string;
  /** Loading the SDK is slow. */
  readonly open: (setting: ProviderSetting) => Promise<LanguageModel>;
}

const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: {
    defaultModel: "gpt-4.1-mini",
    async open({ model, apiKey = "", baseUrl, fetch }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Compatible servers rarely have OpenAI's newer API.
      return createOpenAI({ apiKey, fetch, ...(baseUrl !== undefined && { baseURL: baseUrl }) }).chat(model);
    },
  },
  anthropic: {
    defaultModel: "claude-sonnet-4-5",
    async open({ model, apiKey = "", baseUrl, fetch }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, fetch, ...(baseUrl !== undefined && { baseURL: baseUrl }) })(model);
    },
  },
  groq: {
    defaultModel: "llama-3.3-70b-versatile",
    open: (setting) => compatible("groq", "https://api.groq.com/openai/v1", setting),
  },
  ollama: {
    defaultModel: "llama3.1",
    open: (setting) => compatible("ollama", "http://localhost:11434/v1", setting),
  },
};

async function compatible(
  name: string,
  defaultUrl: string,
  { model, apiKey, baseUrl, fetch }: ProviderSetting,
) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name,
    baseURL: baseUrl ?? defaultUrl,
    fetch,
    ...(apiKey !== undefined && { apiKey }),
  })(model);
}
