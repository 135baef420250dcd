import type { Failure, Outcome } from "@toolpact/contract";
import type { Assignment } from "./assignment.ts";

/** Whoever writes: the model of a provider, or the stand-in of the sandbox. */
export interface Llm {
  readonly writer: Writer;
  /** One answer as it came, possibly empty or too long. What it used is on record before it is handed over. */
  readonly write: (
    assignment: Assignment,
    signal: AbortSignal,
  ) => Promise<Outcome<string, Failure<"llm_error">>>;
}

export interface Writer {
  readonly provider: string;
  readonly model: string;
  /** No model was asked: the text is made up from a table. */
  readonly isStandIn: boolean;
}
