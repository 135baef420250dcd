import type { Failure, Outcome } from "@toolpact/contract";
import type { Assignment } from "./assignment.ts";

/** Whoever writes: the model of a provider, or the stand-in of the sandbox. */
export interface Llm {
  readonly writer: Writer;
  /** One answer as it came: possibly empty, cut or too long. */
  readonly write: (
    assignment: Assignment,
    signal: AbortSignal,
  ) => Promise<Outcome<LlmAnswer, Failure<"llm_error">>>;
}

export interface Writer {
  readonly provider: string;
  readonly model: string;
  /** No model was asked: the text comes out of a table. */
  readonly isStandIn: boolean;
}

export interface LlmAnswer {
  readonly text: string;
  /** The model ran into its limit before it was done. */
  readonly isCut: boolean;
  /** Undefined where the provider did not say. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** In micro-dollars; undefined where the price is not known. */
  readonly costMicros: number | undefined;
}
