import type { Failure } from "../errors.ts";

export type StepState = "pending" | "confirmed" | "failed" | "unknown";

/** A stored request. Members are named as the columns. */
export interface Step {
  readonly receipt_id: string;
  readonly seq: number;
  /** Null if unknown. */
  readonly operation: string | null;
  readonly method: string;
  /** Without secrets, as is the body; `digest` identifies the request. */
  readonly target: string;
  readonly body_json: string | null;
  readonly digest: string;
  readonly state: StepState;
  /** By the service's clock, as are all times of steps. */
  readonly sent_at: number;
  /** Earliest possible execution. */
  readonly effect_from: number;
  /** Latest possible execution: only effects missing afterwards did not happen. */
  readonly effect_until: number;
  readonly settled_at: number | null;
  readonly status: number | null;
  /** Or the result of reading back. */
  readonly answer_text: string | null;
  /** Such as `order:123`; null once undone. */
  readonly makes: string | null;
  /** No other step may continue from there, unless this one failed. */
  readonly continues: string | null;
}

/** A request about to be sent that changes something. */
export interface JournalRequest {
  /** Undefined for an unknown operation. */
  readonly operation?: string | undefined;
  readonly method: string;
  readonly target: string;
  readonly bodyText?: string | undefined;
}

/** The product's rules for recording requests. */
export interface RequestRules {
  /** True for requests such as upload parts, which are sent unrecorded. */
  readonly isPreparation: (request: JournalRequest) => boolean;
  /** Such as the previous part of a thread: only one request may continue it. */
  readonly continues: (request: JournalRequest) => string | undefined;
  /** Without secrets, but with everything that reading back needs. */
  readonly stored: (request: JournalRequest) => Pick<Step, "target" | "body_json">;
  /** The things it created, such as `order:123`, and undid. */
  readonly effectOf: (step: Step) => StepEffect;
}

export interface StepEffect {
  readonly makes: string | null;
  readonly unmakes?: string;
}

export type ReadBack =
  /** `answer` is the body such a request gets. */
  | {
      readonly found: "done";
      readonly answer: object;
      /** Whether another request could have created it too. */
      readonly fits?: ((other: Step) => boolean) | undefined;
    }
  | { readonly found: "not_done" }
  /** Retry from `retryAt` on, or once `blockedBy` is fixed. */
  | {
      readonly found: "no_answer";
      readonly why: string;
      readonly retryAt?: number | undefined;
      readonly blockedBy?: Failure | undefined;
    }
  /** The step could have created any of several things. */
  | { readonly found: "several" }
  /** Unknown, and repeating it does no harm. */
  | { readonly found: "repeatable" }
  /** Unknown, and repeating it could do it twice. */
  | { readonly found: "unknowable" };

/** The service's clock, and elapsed time in this process. */
export interface ReceiptTime {
  readonly now: () => number;
  /** The earliest time the service's clocks may show. */
  readonly earliest: () => number;
  /** Milliseconds of elapsed time, independent of clock changes. */
  readonly monotonic: () => number;
  /** Clock time per real time; default 1. */
  readonly speed?: number;
}
