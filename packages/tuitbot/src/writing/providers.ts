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
  /** The model where the operator names none. */
  readonly usualModel: string;
  /** Loads the provider's part of the SDK, which takes its time. */
  readonly open: (setting: ProviderSetting) => Promise<LanguageModel>;
}

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: {
    usualModel: "gpt-4.1-mini",
    async open({ model, apiKey = "", baseUrl, fetch }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions, since other servers that speak OpenAI's language rarely have its newer API.
      return createOpenAI({ apiKey, fetch, ...(baseUrl !== undefined && { baseURL: baseUrl }) }).chat(model);
    },
  },
  anthropic: {
    usualModel: "claude-sonnet-4-5",
    async open({ model, apiKey = "", baseUrl, fetch }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, fetch, ...(baseUrl !== undefined && { baseURL: baseUrl }) })(model);
    },
  },
  groq: {
    usualModel: "llama-3.3-70b-versatile",
    open: (setting) => compatible("groq", "https://api.groq.com/openai/v1", setting),
  },
  ollama: {
    usualModel: "llama3.1",
    open: (setting) => compatible("ollama", "http://localhost:11434/v1", setting),
  },
};

async function compatible(
  name: string,
  usualUrl: string,
  { model, apiKey, baseUrl, fetch }: ProviderSetting,
) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name,
    baseURL: baseUrl ?? usualUrl,
    fetch,
    ...(apiKey !== undefined && { apiKey }),
  })(model);
}
