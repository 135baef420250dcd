import type { Failure } from "../errors.ts";

/** The state of a request: sent or about to be, executed, not executed, or answer lost. */
export type StepState = "pending" | "confirmed" | "failed" | "unknown";

/** A stored request of a call. Members have the names of the columns, which spares storages a mapping. */
export interface Step {
  readonly receipt_id: string;
  readonly seq: number;
  /** The service's name for the operation; null if unknown. */
  readonly operation: string | null;
  readonly method: string;
  /** Without secrets, as is the body; `digest` identifies the request. */
  readonly target: string;
  readonly body_json: string | null;
  readonly digest: string;
  readonly state: StepState;
  /** By the service's clock, like all times of steps. */
  readonly sent_at: number;
  /** The earliest time the service can have executed it. */
  readonly effect_from: number;
  /** The latest time the service may execute it: only effects missing after that did not happen. */
  readonly effect_until: number;
  readonly settled_at: number | null;
  readonly status: number | null;
  /** The service's answer, or the result of reading back. */
  readonly answer_text: string | null;
  /** Its effect, such as `order:123`; null once undone. */
  readonly makes: string | null;
  /** The thing it continues, unless it failed: no other step may continue from there. */
  readonly continues: string | null;
}

/** A request about to be sent that changes something. */
export interface JournalRequest {
  /** Undefined for an operation unknown to the product. */
  readonly operation?: string | undefined;
  readonly method: string;
  readonly target: string;
  /** The JSON body as sent. */
  readonly bodyText?: string | undefined;
}

/** The product's rules for recording requests. */
export interface RequestRules {
  /** True for requests that only prepare others, such as upload parts: they are sent unrecorded. */
  readonly isPreparation: (request: JournalRequest) => boolean;
  /** The thing the request continues, such as the previous part of a thread: only one request may. */
  readonly continues: (request: JournalRequest) => string | undefined;
  /** The request as stored: without secrets, with everything reading back needs. */
  readonly stored: (request: JournalRequest) => Pick<Step, "target" | "body_json">;
  /** The things a confirmed step created, such as `order:123`, and undid. */
  readonly effectOf: (step: Step) => StepEffect;
}

export interface StepEffect {
  readonly makes: string | null;
  readonly unmakes?: string;
}

/** The result of reading back a lost answer. */
export type ReadBack =
  /** It was executed; `answer` is the body such a request gets. */
  | {
      readonly found: "done";
      readonly answer: object;
      /** For created things: whether another request could have created it too. */
      readonly fits?: ((other: Step) => boolean) | undefined;
    }
  | { readonly found: "not_done" }
  /** Reading back failed. Retry from `retryAt` on, or once `blockedBy` is fixed. */
  | {
      readonly found: "no_answer";
      readonly why: string;
      readonly retryAt?: number | undefined;
      readonly blockedBy?: Failure | undefined;
    }
  /** The service has several things it could have created. */
  | { readonly found: "several" }
  /** The outcome is unknown; repeating it does no harm. */
  | { readonly found: "repeatable" }
  /** The outcome is unknown, and repeating it could do it twice. */
  | { readonly found: "unknowable" };

/** The service's clock, used for receipts, and elapsed time in this process. */
export interface ReceiptTime {
  readonly now: () => number;
  /** The earliest time the service's clocks may show now. */
  readonly earliest: () => number;
  /** Milliseconds that increase with elapsed time, independent of clock changes. */
  readonly monotonic: () => number;
  /** Clock milliseconds per real millisecond; default 1. */
  readonly speed?: number;
}
