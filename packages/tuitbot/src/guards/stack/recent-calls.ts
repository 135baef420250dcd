import {
  type AnyOutcome,
  type Clock,
  EFFECTS,
  type Failed,
  type Failure,
  failed,
  type Guard,
  type Outcome,
  ok,
} from "@toolpact/contract";
import { DAY_MS, digest, parseJson } from "@toolpact/contract/internal";
import {
  type NotSent,
  notSent,
  type RequestJournal,
  type SendPermit,
  type WriteRequest,
  type WriteResult,
} from "@toolpact/x-api";
import type { ErrorCode } from "../../errors.ts";
import { operationRow } from "../../x/operation-table.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import type { Annotations, CallContext } from "../call/call-context.ts";
import { type CallPlan, refusesRepeats, type ToolFacts, type TuitbotTool } from "../call/tool-facts.ts";
import { IDEMPOTENCY_KEY } from "../receipts/receipt.ts";
import type { Change, RecentCall, RecentCalls } from "./recent-calls-file.ts";

export interface RecentCallsDependencies {
  readonly clock: Clock;
  readonly recentCalls: RecentCalls;
}

/** After its end. */
const WINDOW_MS = 30_000;
/** With the same key. */
const KEY_MS = DAY_MS;

/**
 * Rejects repeats for 30 seconds, across crashes and processes. A call is recorded before anything is sent,
 * and forgotten only if nothing happened for certain. Other keys are other calls.
 */
export const recentCalls: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  RecentCallsDependencies,
  object,
  Pick<CallContext, "journal">,
  ErrorCode
> = {
  name: "recent calls",
  codes: (tool) => (refusesRepeats(tool) ? ["validation_error"] : []),
  async run(call, next, { clock, recentCalls: stored }) {
    const { mutates, guarded } = EFFECTS[call.effect];
    if (!mutates) return next();
    const key =
      guarded && refusesRepeats(call.tool)
        ? digest([call.tool.name, call.action ?? "", call.input])
        : undefined;
    const keptMs = call.input[IDEMPOTENCY_KEY] === undefined ? WINDOW_MS : KEY_MS;
    if (key !== undefined) {
      // Its process may die before it records the end.
      const { deadlineMs } = call.tool;
      const until = clock.now() + keptMs + (Number.isFinite(deadlineMs) ? deadlineMs : 0);
      const begun = await stored.change((calls) => begin(calls, key, clock.now(), until));
      if (!begun.ok) return notWritten(begun.failure);
      if (begun.value !== undefined) return refused(call.tool, begun.value, keptMs);
    }
    const sent = new SentRequests();
    let outcome: AnyOutcome | undefined;
    try {
      outcome = await next({ context: { journal: sent } });
    } finally {
      sent.close();
      if (key !== undefined || sent.undone.length > 0) {
        const until = clock.now() + keptMs;
        const written = await stored.change((calls) =>
          end(calls, key, sent, { isDone: outcome?.ok === true, until }),
        );
        if (!written.ok) call.warn(`${written.failure} The same call may be refused for a while.`);
      }
    }
    if (outcome.ok !== false) return outcome;
    const mayHaveActed = sent.isOpen || outcome.failure.details?.may_have_taken_effect === true;
    if (!mayHaveActed) return outcome;
    return key === undefined ? harmless(outcome) : uncertain(outcome, keptMs);
  },
};

/** Or finds the same call. */
function begin(
  calls: readonly RecentCall[],
  key: string,
  now: number,
  until: number,
): Change<RecentCall | undefined> {
  const recent = calls.filter((call) => call.until > now);
  const same = recent.find((call) => call.key === key);
  const begun: RecentCall = { key, state: "open", until, makes: [] };
  return { calls: same === undefined ? [...recent, begun] : recent, result: same };
}

/** And forgets calls it has undone. */
function end(
  calls: readonly RecentCall[],
  key: string | undefined,
  sent: SentRequests,
  { isDone, until }: { readonly isDone: boolean; readonly until: number },
): Change<undefined> {
  const others = calls.filter(
    (call) => call.key !== key && !call.makes.some((thing) => sent.undone.includes(thing)),
  );
  const { makes } = sent;
  const state = sent.isOpen ? "open" : isDone || sent.hasConfirmed ? "done" : undefined;
  const ended: readonly RecentCall[] =
    key === undefined || state === undefined ? [] : [{ key, state, until, makes }];
  return { calls: [...others, ...ended], result: undefined };
}

/** With results. */
class SentRequests implements RequestJournal {
  readonly makes: string[] = [];
  readonly undone: string[] = [];
  hasConfirmed = false;
  readonly #open = new Set<WriteRequest>();
  #isClosed = false;

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  async beforeSend(request: WriteRequest): Promise<Outcome<SendPermit, NotSent>> {
    if (this.#isClosed) return failed(notSent("ended", "The request was not sent: the call has ended."));
    if (operationRow(request.operation)?.isPreparation) return ok({});
    this.#open.add(request);
    return ok({ afterAnswer: async (result) => this.#end(request, result) });
  }

  close(): void {
    this.#isClosed = true;
  }

  #end(request: WriteRequest, { state, text }: WriteResult): void {
    if (state === "unknown") return;
    this.#open.delete(request);
    if (state === "failed") return;
    this.hasConfirmed = true;
    const row = operationRow(request.operation);
    const asSent = { path: request.path, body: objectIn(request.body) };
    const made = row?.makes?.(asSent, objectIn(parseJson(text ?? ""), "data"));
    const undone = row?.unmakes?.(asSent);
    if (made !== undefined) this.makes.push(made);
    if (undone !== undefined) this.undone.push(undone);
  }
}

function refused(
  { name }: TuitbotTool,
  { state, until }: RecentCall,
  keptMs: number,
): Failed<Failure<"validation_error">> {
  const isDone = state === "done";
  const within = keptMs === KEY_MS ? "with the same key" : `less than ${WINDOW_MS / 1_000} s ago`;
  return failed({
    code: "validation_error",
    reason: isDone ? "duplicate_request" : "outcome_unknown",
    message: isDone
      ? `The same ${name} call was carried out ${within}. Nothing was sent.`
      : `The same ${name} call is running, or got no answer: X may have carried it out. Nothing was sent.`,
    suggestedFix: isDone
      ? `It was carried out: do not repeat it. To do it again on purpose, ${SEND_AGAIN[keptMs]}.`
      : `Read back whether it was carried out. If it was not, ${SEND_AGAIN[keptMs]}.`,
    fixBy: "agent",
    details: { repeatable_at: new Date(until).toISOString() },
  });
}

const SEND_AGAIN: Readonly<Record<number, string>> = {
  [WINDOW_MS]: `call again with a new ${IDEMPOTENCY_KEY}, or without one once ${WINDOW_MS / 1_000} s have passed`,
  [KEY_MS]: `call again with a new ${IDEMPOTENCY_KEY}`,
};

/** The same call would be rejected now. */
function uncertain({ failure }: Failed<Failure>, keptMs: number): Failed<Failure> {
  const { retryable: _, ...known } = failure;
  const isThread = failure.code === "thread_partial_failure";
  return failed({
    ...known,
    // A thread's handle finds its published posts.
    ...(!isThread && {
      suggestedFix: `X may have carried it out. Read back what is there. If it is not there, ${SEND_AGAIN[keptMs]}.`,
      fixBy: "agent",
      retryAfterMs: keptMs,
    }),
    details: { ...failure.details, may_have_taken_effect: true },
  });
}

/** A repeat undoes, deletes, overwrites or uploads again. */
function harmless({ failure }: Failed<Failure>): Failed<Failure> {
  const { retryable: _, ...known } = failure;
  return failed({
    ...known,
    suggestedFix: "X may have carried it out. Call again: doing it twice does no harm.",
    fixBy: "agent",
    details: { ...failure.details, may_have_taken_effect: true, harmless_to_repeat: true },
  });
}

function notWritten(message: string): Failed<Failure<"validation_error">> {
  return failed({
    code: "validation_error",
    message: `${message} Nothing was sent: without it the same call could be carried out twice.`,
    suggestedFix: "The operator makes the folder writable, or moves it with auth.token_file.",
    fixBy: "operator",
  });
}
