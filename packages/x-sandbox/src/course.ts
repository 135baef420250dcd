import type { Answer } from "./answer.ts";
import type { Caller } from "./gate/authenticate.ts";

/** What became of a request: its answer, and what the journal wants to know. */
export interface Course {
  readonly answer: Answer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: Caller;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly usd?: number;
}
