import { usdOf } from "../mutation/budget/money.ts";
import type { Session } from "../storage/session.ts";
import type { Assignment } from "./assignment.ts";
import type { LlmAnswer, Writer } from "./llm.ts";

/** Writes down what one answer has used, or that there was none. */
export async function recordUse(
  { store, account, now }: Session & { readonly now: () => number },
  { provider, model }: Writer,
  assignment: Assignment,
  answer: LlmAnswer | undefined,
): Promise<void> {
  await store.db
    .insertInto("llm_usage")
    .values({
      account,
      at: now(),
      purpose: assignment.purpose,
      framework: assignment.framework,
      topic: assignment.purpose === "reply" ? null : assignment.topic,
      provider,
      model,
      input_tokens: answer?.inputTokens ?? null,
      output_tokens: answer?.outputTokens ?? null,
      cost_micros: answer?.costMicros ?? null,
      failed: answer === undefined ? 1 : 0,
    })
    .execute();
}

/** What a language model has used and cost for an account. */
export interface LlmUsage {
  model: string;
  calls: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  /** Null where the price of the model is not known. */
  cost: number | null;
}

/** By model, the busiest first. */
export async function llmUsageSince({ store, account }: Session, since: number): Promise<LlmUsage[]> {
  const rows = await store.db
    .selectFrom("llm_usage")
    .select(({ fn }) => [
      "provider",
      "model",
      fn.countAll<number>().as("calls"),
      fn.sum<number>("failed").as("failed"),
      fn.sum<number | null>("input_tokens").as("input"),
      fn.sum<number | null>("output_tokens").as("output"),
      fn.sum<number | null>("cost_micros").as("cost"),
    ])
    .where("account", "=", account)
    .where("at", ">=", since)
    .groupBy(["provider", "model"])
    .orderBy("calls", "desc")
    .orderBy("model")
    .execute();
  // PostgreSQL counts and sums in numbers that come as text.
  return rows.map(({ provider, model, calls, failed, input, output, cost }) => ({
    model: `${provider}/${model}`,
    calls: Number(calls),
    failed: Number(failed),
    input_tokens: Number(input ?? 0),
    output_tokens: Number(output ?? 0),
    cost: cost === null ? null : usdOf(Number(cost)),
  }));
}
