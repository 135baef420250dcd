import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type AnyOutcome,
  type Clock,
  EFFECTS,
  type Failed,
  type Failure,
  failed,
  type Outcome,
  ok,
} from "@toolpact/contract";
import { DAY_MS, digest, parseJson } from "@toolpact/contract/internal";
import { readTextFile, syncFolder, withFileLock } from "@toolpact/file-lock";
import {
  type NotSent,
  notSent,
  type RequestJournal,
  type SendPermit,
  type WriteRequest,
  type WriteResult,
} from "@toolpact/x-api";
import { operationRow } from "../../x/operation-table.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import type { CallContext, TuitbotCall, TuitbotGuard } from "../call/call-context.ts";

/** A call that must not be made again before `until`. */
export interface RecentCall {
  /** Digest of tool and arguments. */
  readonly key: string;
  /** Whether it was carried out, or may have been: it is running, it got no answer, or its process died. */
  readonly state: "done" | "open";
  readonly until: number;
  /** Things that it made, such as `like:123`: undoing them ends it. */
  readonly makes: readonly string[];
}

/** Where `utility-write` stores its recent calls. Nothing else is stored there. */
export interface RecentCalls {
  /** Reads and replaces the list while nobody else does, and returns once it is on the disk. */
  readonly change: <T>(change: (calls: readonly RecentCall[]) => Change<T>) => Promise<Outcome<T, string>>;
}

export interface Change<T> {
  readonly calls: readonly RecentCall[];
  readonly result: T;
}

/** Recent calls of this process alone. */
export function recentCallsInMemory(): RecentCalls {
  let calls: readonly RecentCall[] = [];
  return {
    async change(change) {
      const changed = change(calls);
      calls = changed.calls;
      return ok(changed.result);
    },
  };
}

/** Recent calls in a file that all processes share. A crash at any moment leaves the old or the new list, whole. */
export function recentCallsIn(path: string): RecentCalls {
  return {
    async change(change) {
      try {
        const locked = await withFileLock(`${path}.lock`, LOCK, async () => {
          const changed = change(await readCalls(path));
          await writeCalls(path, changed.calls);
          return changed.result;
        });
        return locked.ok ? locked : failed(`The file of recent calls is ${locked.failure.kind}: ${path}.`);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return failed(`The file of recent calls cannot be read or written: ${path} (${why}).`);
      }
    },
  };
}

const LOCK = { giveUpMs: 10_000, longestMs: 30_000 };

async function readCalls(path: string): Promise<readonly RecentCall[]> {
  const text = await readTextFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"calls":[]}';
    throw error;
  });
  const { calls } = objectIn(parseJson(text));
  // An empty list in its place would let a call be made twice.
  if (!Array.isArray(calls) || !calls.every(isCall)) throw new Error("it is damaged");
  return calls;
}

function isCall(value: unknown): value is RecentCall {
  const { key, state, until, makes } = objectIn(value);
  return (
    typeof key === "string" &&
    (state === "done" || state === "open") &&
    typeof until === "number" &&
    Array.isArray(makes)
  );
}

async function writeCalls(path: string, calls: readonly RecentCall[]): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify({ calls }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

export interface RecentCallsDependencies {
  readonly clock: Clock;
  readonly recentCalls: RecentCalls;
}

/** Within this time a call that was carried out is refused. */
const DONE_MS = 30_000;
/** As long as a call whose outcome is open is refused, unless sending it again does no harm. */
const OPEN_MS = DAY_MS;

/**
 * Refuses the same creating or marking call for 30 seconds, also after a lost answer, a crash and in another process.
 * The call is written down before anything is sent, and forgotten only when it is certain that nothing happened.
 */
export const recentCalls: TuitbotGuard<RecentCallsDependencies, object, Pick<CallContext, "journal">> = {
  name: "recent calls",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].guarded) ? ["validation_error"] : []),
  async run(call, next, { clock, recentCalls: stored }) {
    const { mutates, guarded } = EFFECTS[call.effect];
    if (!mutates) return next();
    const key = guarded ? digest([call.tool.name, call.action ?? "", call.input]) : undefined;
    if (key !== undefined) {
      const begun = await stored.change((calls) => begin(calls, key, clock.now()));
      if (!begun.ok) return notWritten(begun.failure);
      if (begun.value !== undefined) return refused(call, begun.value, clock.now());
    }
    const sent = new SentRequests();
    let outcome: AnyOutcome | undefined;
    try {
      outcome = await next({ context: { journal: sent } });
    } finally {
      sent.close();
      if (key !== undefined || sent.undone.length > 0) {
        const written = await stored.change((calls) =>
          end(calls, key, sent, { isDone: outcome?.ok === true, now: clock.now() }),
        );
        if (!written.ok) call.warn(`${written.failure} The same call may be refused for a day.`);
      }
    }
    return outcome.ok === false && sent.isOpen ? uncertain(outcome) : outcome;
  },
};

/** Writes the call down as open, or finds the same one. */
function begin(calls: readonly RecentCall[], key: string, now: number): Change<RecentCall | undefined> {
  const recent = calls.filter(({ until }) => until > now);
  const same = recent.find((call) => call.key === key);
  const begun: RecentCall = { key, state: "open", until: now + OPEN_MS, makes: [] };
  return { calls: same === undefined ? [...recent, begun] : recent, result: same };
}

/** Writes down how the call ended, and forgets those whose effect it has undone. */
function end(
  calls: readonly RecentCall[],
  key: string | undefined,
  sent: SentRequests,
  { isDone, now }: { readonly isDone: boolean; readonly now: number },
): Change<undefined> {
  const others = calls.filter(
    (call) => call.key !== key && !call.makes.some((thing) => sent.undone.includes(thing)),
  );
  const { makes } = sent;
  const ended: readonly RecentCall[] =
    key === undefined
      ? []
      : sent.isOpen
        ? [{ key, state: "open", until: now + (sent.isRepeatable ? DONE_MS : OPEN_MS), makes }]
        : isDone || sent.hasConfirmed
          ? [{ key, state: "done", until: now + DONE_MS, makes }]
          : [];
  return { calls: [...others, ...ended], result: undefined };
}

/** What a call has sent that changes something, and what became of it. */
class SentRequests implements RequestJournal {
  readonly makes: string[] = [];
  readonly undone: string[] = [];
  hasConfirmed = false;
  readonly #open = new Set<WriteRequest>();
  #isClosed = false;

  /** Whether the outcome of a request is not known. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether what is open does no harm when it is sent again. */
  get isRepeatable(): boolean {
    return !this.hasConfirmed && [...this.#open].every(isRepeatable);
  }

  async beforeSend(request: WriteRequest): Promise<Outcome<SendPermit, NotSent>> {
    if (this.#isClosed) return failed(notSent("ended", "The request was not sent: the call has ended."));
    if (operationRow(request.operation)?.isPreparation) return ok({});
    this.#open.add(request);
    return ok({ afterAnswer: async (result) => this.#end(request, result) });
  }

  /** The call has been answered: nothing more may be sent for it. */
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

function isRepeatable({ operation }: WriteRequest): boolean {
  const row = operationRow(operation);
  if (row === undefined) return false;
  return row.repeat === "until_undone" || (row.readBack.look === "nowhere" && row.readBack.isRepeatable);
}

function refused(
  { tool }: TuitbotCall<object>,
  { state, until }: RecentCall,
  now: number,
): Failed<Failure<"validation_error">> {
  const isDone = state === "done";
  return failed({
    code: "validation_error",
    reason: isDone ? "duplicate_request" : "outcome_unknown",
    message: isDone
      ? `The same ${tool.name} call was carried out less than ${DONE_MS / 1_000} s ago.`
      : `The same ${tool.name} call is running, or got no answer: X may have carried it out. Nothing was sent.`,
    suggestedFix: isDone
      ? "It was carried out: do not repeat it. To do it again on purpose, wait."
      : "Look at X whether it was carried out before you do anything. The profile `write` finds that out by itself.",
    fixBy: isDone ? "agent" : "human",
    retryAfterMs: until - now,
  });
}

/** It got no answer: whether to send it again is not for a loop to decide. */
function uncertain({ failure }: Failed<Failure>): Failed<Failure> {
  return failed({
    ...failure,
    suggestedFix: "X may have carried it out. Read back what is there before you send it again.",
    fixBy: "agent",
    details: { ...failure.details, may_have_taken_effect: true },
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
