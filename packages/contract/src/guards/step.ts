import type { Failure } from "../errors.ts";

/** The state of one request: sent or about to be, carried out, not carried out, or its answer was lost. */
export type StepState = "pending" | "confirmed" | "failed" | "unknown";

/** One request of a call, as it is stored: its names are those of the columns, so that no storage has to translate them. */
export interface Step {
  readonly receipt_id: string;
  readonly seq: number;
  /** The service's name for such a request; null if not known. */
  readonly operation: string | null;
  readonly method: string;
  /** Without secrets, as the body; `digest` tells requests apart. */
  readonly target: string;
  readonly body_json: string | null;
  readonly digest: string;
  readonly state: StepState;
  /** By the service's clock, as all times of steps. */
  readonly sent_at: number;
  /** The earliest time at which the service can have carried it out. */
  readonly effect_from: number;
  /** The service may carry it out until then: only what does not show afterwards was not carried out. */
  readonly effect_until: number;
  readonly settled_at: number | null;
  readonly status: number | null;
  /** The service's answer, or what reading back found in its place. */
  readonly answer_text: string | null;
  /** Its effect, such as `order:123`; null once that was undone. */
  readonly makes: string | null;
  /** The thing it continues, until it is known to have failed: no other step may continue from there. */
  readonly continues: string | null;
}

/** A request that changes something, as it is about to be sent. */
export interface JournalRequest {
  /** Undefined for a request that the product does not know. */
  readonly operation?: string | undefined;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The JSON body as it is sent. */
  readonly bodyText?: string | undefined;
}

/** The product's rules about requests, for receipts. */
export interface RequestRules {
  /** Requests that only prepare others, such as the parts of an upload: they are sent unrecorded. */
  readonly isPreparation: (request: JournalRequest) => boolean;
  /** The thing that the request continues, such as the previous part of a series: only one request may. */
  readonly continues: (request: JournalRequest) => string | undefined;
  /** The request as it is stored: without secrets, and with all that reading back needs. */
  readonly stored: (request: JournalRequest) => Pick<Step, "target" | "body_json">;
  /** The things that a confirmed step has made, such as `order:123`, and undone. */
  readonly effectOf: (step: Step) => StepEffect;
}

export interface StepEffect {
  readonly makes: string | null;
  readonly unmakes?: string;
}

/** The result of reading back a request whose answer was lost. */
export type ReadBack =
  /** It was carried out; `answer` is the body of the answer that such a request gets. */
  | {
      readonly found: "done";
      readonly answer: object;
      /** For a thing that was made: whether another request could have made it as well. */
      readonly fits?: ((other: Step) => boolean) | undefined;
    }
  | { readonly found: "not_done" }
  /** Reading back failed. Looking again helps from `retryAt` on, or only once what `blockedBy` names is fixed. */
  | {
      readonly found: "no_answer";
      readonly why: string;
      readonly retryAt?: number | undefined;
      readonly blockedBy?: Failure | undefined;
    }
  /** The service shows several things that it could have made. */
  | { readonly found: "several" }
  /** Nothing shows whether it was carried out; sending it again does no harm. */
  | { readonly found: "repeatable" }
  /** Nothing shows whether it was carried out, and sending it again could do it twice. */
  | { readonly found: "unknowable" };

/** The service's clock, by which receipts are kept, and the time that passes in this process. */
export interface ReceiptTime {
  readonly now: () => number;
  /** The earliest time that the service's clocks may show now. */
  readonly earliest: () => number;
  /** Milliseconds that grow with the time that passes, whatever the clock is set to. */
  readonly monotonic: () => number;
  /** How many of these milliseconds pass in one of this machine's, which is as slow as ever; 1 where it is missing. */
  readonly speed?: number;
}
