import { usdOf } from "@toolpact/contract/internal/money";
import { dayNumber } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import type { Purpose } from "./assignment.ts";
import type { LlmAnswer, Writer } from "./llm.ts";

interface UsedFor {
  readonly purpose: Purpose | "judgement";
  readonly framework: string;
  readonly topic?: string | undefined;
}

/** Or the failure. */
export async function recordUse(
  { store, account, now }: Session & { readonly now: () => number },
  { provider, model }: Writer,
  assignment: UsedFor,
  answer: LlmAnswer | undefined,
): Promise<void> {
  await store.db
    .insertInto("llm_usage")
    .values({
      account,
      at: now(),
      purpose: assignment.purpose,
      framework: assignment.framework,
      topic: assignment.topic ?? null,
      provider,
      model,
      input_tokens: answer?.inputTokens ?? null,
      output_tokens: answer?.outputTokens ?? null,
      cost_micros: answer?.costMicros ?? null,
      failed: answer === undefined ? 1 : 0,
    })
    .execute();
}

export interface LlmUsage {
  model: string;
  calls: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  /** Null if the price is unknown. */
  cost: number | null;
}

/** By UTC day, most calls first. */
export async function llmUsageSince({ store, account }: Session, since: number): Promise<LlmUsage[]> {
  const rows = await store.db
    .selectFrom("llm_days")
    .select(({ fn }) => [
      "provider",
      "model",
      fn.sum<number>("calls").as("calls"),
      fn.sum<number>("failed").as("failed"),
      fn.sum<number | null>("input_tokens").as("input"),
      fn.sum<number | null>("output_tokens").as("output"),
      fn.sum<number | null>("cost_micros").as("cost"),
    ])
    .where("account", "=", account)
    .where("day", ">=", dayNumber(since))
    .groupBy(["provider", "model"])
    .orderBy("calls", "desc")
    .orderBy("model")
    .execute();
  // PostgreSQL returns counts and sums as text.
  return rows.map(({ provider, model, calls, failed, input, output, cost }) => ({
    model: `${provider}/${model}`,
    calls: Number(calls),
    failed: Number(failed),
    input_tokens: Number(input ?? 0),
    output_tokens: Number(output ?? 0),
    cost: cost === null ? null : usdOf(Number(cost)),
  }));
}

/** Newest first. */
export async function recentFrameworks(session: Session, purpose: Purpose): Promise<readonly string[]> {
  return recent(session, purpose, "framework");
}

/** Newest first. */
export async function recentTopics(session: Session, purpose: Purpose): Promise<readonly string[]> {
  return recent(session, purpose, "topic");
}

const RECENT = 20;

async function recent({ store, account }: Session, purpose: Purpose, column: "framework" | "topic") {
  const rows = await store.db
    .selectFrom("llm_usage")
    .select(column)
    .where("account", "=", account)
    .where("purpose", "=", purpose)
    .orderBy("id", "desc")
    .limit(RECENT)
    .execute();
  const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
  return [...new Set(values)];
}
