import type { Session } from "../guards/session.ts";
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
