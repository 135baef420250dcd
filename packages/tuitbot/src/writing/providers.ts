import type { LanguageModel } from "ai";
import type { Config } from "../config/schema.ts";

export type ProviderName = Exclude<Config["llm"]["provider"], "">;

export interface ProviderSetting {
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

interface Provider {
  /** The model if the operator configures none. */
  readonly defaultModel: string;
  /** Loads the provider's SDK, which is slow. */
  readonly open: (setting: ProviderSetting) => Promise<LanguageModel>;
}

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: {
    defaultModel: "gpt-4.1-mini",
    async open({ model, apiKey = "", baseUrl, fetch }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions, because compatible servers rarely have OpenAI's newer API.
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
