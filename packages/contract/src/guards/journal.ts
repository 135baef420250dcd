import { type Failed, failed, type Outcome, ok } from "@toolpact/outcome";
import { digest, parseJson } from "../json.ts";
import type { HeldReceipt, NotBegun, StepStorage } from "./receipt.ts";
import type { JournalRequest, ReceiptTime, RequestRules, Step } from "./step.ts";

export interface RequestResult {
  readonly state: "confirmed" | "failed" | "unknown";
  readonly status?: number;
  readonly text?: string;
}

export type SendPermit =
  | { readonly recorded: { readonly status: number; readonly text: string } }
  | { readonly recorded?: never; readonly afterAnswer?: (result: RequestResult) => Promise<void> };

/** The failure of a request that must not be sent. */
export interface NotSentFailure {
  readonly kind: "not_sent";
  readonly reason: string;
  readonly message: string;
}

export interface JournalOptions extends HeldReceipt, RequestOptions {
  readonly storage: Pick<StepStorage, "beginStep" | "endStep" | "troubleOf">;
  /** `replay` only returns recorded answers. */
  readonly mode: "send" | "replay";
}

export interface RequestOptions {
  readonly rules: RequestRules;
  readonly isSequence: boolean;
  readonly leaseMs: number;
  /** How long the service may still execute a request after its caller is gone. */
  readonly lateEffectMs: number;
  readonly time: ReceiptTime;
}

/** The reason a request was not sent. */
export type NotSent = "replay_only" | "paused" | StorageTrouble | NotBegun;

export interface StorageTrouble {
  readonly trouble: unknown;
}

/** Records each request before it is sent. A request an earlier attempt sent is answered from the record. */
export class Journal {
  notSent: NotSent | undefined;
  /** The storage failed after an answer, so the outcome is resolved later. */
  hasUnwritten = false;
  readonly #options: JournalOptions;
  readonly #steps: Step[];
  readonly #replayed = new Set<number>();
  #unwritten: Step | undefined;
  #lastSeq: number;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#steps = [...options.steps];
    this.#lastSeq = options.steps.at(-1)?.seq ?? 0;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** A confirmed step, written together with the end of its receipt. Until then it is open, as after a crash. */
  get unwritten(): Step | undefined {
    return this.#unwritten;
  }

  async beforeSend(request: JournalRequest): Promise<Outcome<SendPermit, NotSentFailure>> {
    const { rules, mode, time } = this.#options;
    if (rules.isPreparation(request)) return ok({});
    const requestDigest = digestOf(request);
    const recorded = this.#recorded(requestDigest);
    if (recorded !== undefined) return ok({ recorded });
    if (mode === "replay") return this.#refuse("replay_only");
    if (this.#unwritten !== undefined) {
      const { seq } = this.#unwritten;
      await this.#write(this.#unwritten, rules.effectOf(this.#unwritten).unmakes);
      if (this.hasUnwritten) throw new Error(`Step ${seq} could not be written down.`);
      this.#unwritten = undefined;
    }
    const step = this.#newStep(request, requestDigest);
    const beganAt = time.monotonic();
    const notBegun = await this.#begin(step);
    if (notBegun !== undefined) return this.#refuse(notBegun);
    this.#steps.push(step);
    // During a long pause, another process may have resolved the receipt.
    if (time.monotonic() - beganAt > MAX_PAUSE_MS * (time.speed ?? 1)) {
      await this.#end(step.seq, { state: "failed" });
      return this.#refuse("paused");
    }
    return ok({ afterAnswer: (result) => this.#end(step.seq, result) });
  }

  #recorded(requestDigest: string): { readonly status: number; readonly text: string } | undefined {
    const step = this.#steps.find(
      ({ digest, state, seq }) =>
        digest === requestDigest && state === "confirmed" && !this.#replayed.has(seq),
    );
    if (step === undefined) return undefined;
    this.#replayed.add(step.seq);
    return { status: step.status ?? 200, text: step.answer_text ?? "" };
  }

  #newStep(request: JournalRequest, requestDigest: string): Step {
    const { rules, id, isSequence, leaseMs, lateEffectMs, time } = this.#options;
    this.#lastSeq += 1;
    const now = time.now();
    return {
      receipt_id: id,
      seq: this.#lastSeq,
      operation: request.operation ?? null,
      method: request.method,
      ...rules.stored(request),
      digest: requestDigest,
      state: "pending",
      sent_at: now,
      effect_from: time.earliest(),
      effect_until: now + leaseMs + lateEffectMs,
      settled_at: null,
      status: null,
      answer_text: null,
      makes: null,
      continues: (isSequence ? rules.continues(request) : undefined) ?? null,
    };
  }

  async #begin(step: Step): Promise<NotSent | undefined> {
    const { storage, attempt, leaseMs } = this.#options;
    try {
      return await storage.beginStep(step, attempt, step.sent_at + leaseMs);
    } catch (error) {
      if (storage.troubleOf?.(error) === undefined) throw error;
      return { trouble: error };
    }
  }

  async #end(seq: number, { state, status, text }: RequestResult): Promise<void> {
    const { rules, isSequence, lateEffectMs, time } = this.#options;
    const now = time.now();
    const index = this.#steps.findIndex((candidate) => candidate.seq === seq);
    const step = this.#steps[index];
    if (step === undefined) throw new Error(`There is no step ${seq}.`);
    const ended: Step = {
      ...step,
      state,
      status: status ?? null,
      answer_text: text ?? null,
      effect_until: now + lateEffectMs,
      settled_at: now,
      makes: null,
    };
    const { makes, unmakes } = rules.effectOf(ended);
    const written = { ...ended, makes };
    this.#steps[index] = written;
    // The last request of the call: its receipt ends right after it.
    if (state === "confirmed" && unmakes === undefined && !isSequence) this.#unwritten = written;
    else await this.#write(written, unmakes);
  }

  async #write(step: Step, undone: string | undefined): Promise<void> {
    const { storage } = this.#options;
    try {
      if (!(await storage.endStep(step, undone))) this.hasUnwritten = true;
    } catch (error) {
      if (storage.troubleOf?.(error) === undefined) throw error;
      this.hasUnwritten = true;
    }
  }

  #refuse(why: NotSent): Failed<NotSentFailure> {
    this.notSent = why;
    const reason = typeof why === "string" ? why : "trouble" in why ? "storage" : "continued_elsewhere";
    return failed({ kind: "not_sent", reason, message: MESSAGES[reason] });
  }
}

/** The request was sent, and no answer came. */
export interface LostRequest {
  readonly kind: "lost";
  readonly message: string;
}

/**
 * Sends a request of a call through its journal. A recorded answer is returned instead. After a
 * status of 500 or more, or if `send` throws, the outcome is unknown.
 *
 * ```ts
 * const body = JSON.stringify({ item: "tea" });
 * const ordered = await sendRecorded(journal, { method: "POST", target: "/orders", bodyText: body }, async () => {
 *   const answer = await fetch("http://127.0.0.1:8080/orders", { method: "POST", body });
 *   return { status: answer.status, text: await answer.text() };
 * });
 * ```
 */
export async function sendRecorded(
  journal: Pick<Journal, "beforeSend">,
  request: JournalRequest,
  send: () => Promise<{ readonly status: number; readonly text: string }>,
): Promise<Outcome<{ readonly status: number; readonly text: string }, NotSentFailure | LostRequest>> {
  const permit = await journal.beforeSend(request);
  if (!permit.ok) return permit;
  if (permit.value.recorded !== undefined) return ok(permit.value.recorded);
  const { afterAnswer } = permit.value;
  let lost = "The service failed.";
  const answer = await send().catch((error: Error) => {
    lost = error.message;
    return undefined;
  });
  if (answer === undefined || answer.status >= 500) {
    await afterAnswer?.({ state: "unknown" });
    return failed({ kind: "lost", message: lost });
  }
  const { status, text } = answer;
  await afterAnswer?.(status < 400 ? { state: "confirmed", status, text } : { state: "failed", status });
  return ok(answer);
}

/** Milliseconds. Far shorter than a receipt's lease, and longer than a busy disk needs. */
const MAX_PAUSE_MS = 10_000;

const MESSAGES: Readonly<Record<Extract<NotSent, string> | "storage" | "continued_elsewhere", string>> = {
  replay_only: "The request was not sent: only the answers of an earlier call may be used.",
  taken_over: "The request was not sent: another call has taken over.",
  storage: "The request was not sent: it could not be written down.",
  paused: "The request was not sent: this process was stopped for too long before sending it.",
  continued_elsewhere: "The request was not sent: another call has continued this.",
};

/** Equal for equal requests, however their JSON is formatted. */
function digestOf({ method, target, bodyText }: JournalRequest): string {
  return digest([method, target, bodyText === undefined ? null : (parseJson(bodyText) ?? bodyText)]);
}
