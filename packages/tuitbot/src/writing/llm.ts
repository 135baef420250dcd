import type { Failure, Outcome } from "@toolpact/contract";
import * as z from "zod";
import type { Assignment } from "./assignment.ts";

/** Writes texts: the language model of a provider, or the stand-in of the sandbox. */
export interface Llm {
  readonly writer: Writer;
  /** Returns one answer, unchecked: it may be empty, cut off or too long. */
  readonly write: (
    assignment: Assignment,
    signal: AbortSignal,
  ) => Promise<Outcome<LlmAnswer, Failure<"llm_error">>>;
}

export interface Writer {
  readonly provider: string;
  readonly model: string;
  /** Whether the text comes from a table and not from a model. */
  readonly isStandIn: boolean;
}

export interface LlmAnswer {
  readonly text: string;
  /** Whether the model reached its token limit. */
  readonly isCut: boolean;
  /** Undefined if the provider did not report it. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** In micro-dollars; undefined if the price is not known. */
  readonly costMicros: number | undefined;
}

/** Part of every answer with a generated text. */
export const writtenByShape = {
  written_by: z.string().describe("The model that wrote it, as provider/model"),
  stand_in: z.boolean().describe("Whether the text is a sample of the sandbox, not written by a model"),
};

export function writtenBy(writer: Writer) {
  return { written_by: writerName(writer), stand_in: writer.isStandIn };
}

export function writerName({ provider, model }: Writer): string {
  return `${provider}/${model}`;
}
