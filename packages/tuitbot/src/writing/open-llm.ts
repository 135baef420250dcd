import { type Clock, failed, type Outcome, ok } from "@toolpact/contract";
import type { Missing } from "@toolpact/contract/internal";
import type { Config } from "../config/schema.ts";
import type { Llm } from "./llm.ts";
import { type ModelLlm, modelLlm } from "./model-llm.ts";
import { standIn } from "./stand-in.ts";

export interface LlmPlace extends ModelPlace {
  /** Then texts come from a table. */
  readonly isSandbox: boolean;
}

interface ModelPlace {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Loads and asks nothing before the first text. */
export function openLlm({ llm }: Pick<Config, "llm">, place: LlmPlace): Outcome<Llm, Missing> {
  return place.isSandbox ? ok(standIn()) : openModel(llm, place);
}

export function openJudge({ llm }: Pick<Config, "llm">, place: ModelPlace): Outcome<ModelLlm, Missing> {
  return openModel({ ...llm, model: llm.judge_model }, place);
}

export function openModel(llm: Config["llm"], place: ModelPlace): Outcome<ModelLlm, Missing> {
  const { provider, model, api_key, base_url, timeout_ms, input_price, output_price } = llm;
  if (provider === "")
    return failed({
      message: "No language model is configured.",
      suggestedFix: 'Set `llm.provider` ("openai", "anthropic", "groq" or "ollama") and `llm.api_key`.',
      fixBy: "operator",
    });
  return ok(
    modelLlm({
      ...place,
      provider,
      model,
      apiKey: api_key,
      baseUrl: base_url,
      timeoutMs: timeout_ms,
      price:
        input_price === undefined || output_price === undefined
          ? undefined
          : { input: input_price, output: output_price },
    }),
  );
}
