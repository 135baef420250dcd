import type { Failure, Outcome } from "@toolpact/contract";
import * as z from "zod";
import type { Assignment } from "./assignment.ts";

/** A provider's model, or the sandbox's stand-in. */
export interface Llm {
  readonly writer: Writer;
  /** Unchecked: the answer may be empty, cut off or too long. */
  readonly write: (
    assignment: Assignment,
    signal: AbortSignal,
  ) => Promise<Outcome<LlmAnswer, Failure<"llm_error">>>;
}

export interface Writer {
  readonly provider: string;
  readonly model: string;
  /** Texts come from a table. */
  readonly isStandIn: boolean;
}

export interface LlmAnswer {
  readonly text: string;
  /** By the token limit. */
  readonly isCut: boolean;
  /** If reported. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** If the price is known. */
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
