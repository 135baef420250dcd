import type { Clock, Failure, JsonObject, Missing, Outcome } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { CallResult } from "../../approval/release.ts";
import type { Config } from "../../config/schema.ts";
import type { Bill, BudgetCaps } from "../../mutation/budget/bill.ts";
import type { Policy } from "../../mutation/policy/policy.ts";
import type { Preview } from "../../mutation/preview.ts";
import type { Llm } from "../../writing/llm.ts";
import type { X } from "../../x/x.ts";

/** Under which rules calls run here, and what would become of one. */
export interface Workflow {
  readonly policy: Policy;
  readonly caps: BudgetCaps;
  readonly access: Access;
  /** X with what is read put on this bill, for work that is no call. */
  readonly xFor: (bill: Bill) => X;
  readonly approvals: Config["approvals"];
  /** Most items one approval may release. */
  readonly maxBatch: number;
  readonly now: () => number;
  readonly after: Clock["after"];
  /** What would become of a call of an agent, without a request and without using anything up. */
  readonly preview: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<Outcome<Preview, Failure>>;
  /**
   * A call that nobody typed, such as a loop's, through the whole pipeline: with the same guards as an agent's. `by`
   * says in the audit who made it.
   */
  readonly call: (tool: string, args: JsonObject, by: string, signal: AbortSignal) => Promise<CallResult>;
  /** Finds out what became of calls whose outcome is open, and goes on with approved ones; quick when there are none. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** The language model, or why there is none. */
  readonly llm: (signal: AbortSignal) => Promise<Outcome<Llm, Missing>>;
  /** Writes down what was measured so far, for whoever wants to read it. */
  readonly flushTelemetry: () => Promise<void>;
}
