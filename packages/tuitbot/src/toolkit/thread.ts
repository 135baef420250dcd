import {
  type Clock,
  type Failed,
  type Failure,
  type JsonObject,
  ok,
  type Progress,
} from "@toolpact/contract";
import { parsePost } from "@toolpact/x-api";
import { errors } from "../errors.ts";
import type { X } from "../services/x.ts";
import { referenced, wholeText } from "../shapes/post.ts";
import { textIn, type XObject } from "../shapes/x-object.ts";
import { askX, type FromX } from "./ask-x.ts";
import { signedIn } from "./people.ts";
import { type Part, readResume, resumeHandle, type ThreadState } from "./thread-resume.ts";
import { refusedDraft, sendPost, type WriteCode } from "./write.ts";

export interface Thread {
  thread_tweet_ids: string[];
  tweet_count: number;
  root_tweet_id: string;
}

export interface ThreadSetting {
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
  readonly clock: Clock;
  /** After this long it stops by itself, so that it can still tell what is out. */
  readonly stopAfterMs: number;
}

export type ThreadCode = WriteCode | "thread_partial_failure";

/**
 * Posts a thread, each post answering the one before. All are checked before the first is sent. When it fails in
 * the middle, the failure carries a handle; the same call with that handle goes on and posts nothing twice.
 */
export async function postThread(
  x: Pick<X, "client" | "access" | "me">,
  parts: readonly Part[],
  resume: string | undefined,
  setting: ThreadSetting,
): Promise<FromX<Thread, ThreadCode>> {
  const refusal = refusedThread(parts, x.access);
  if (refusal !== undefined) return refusal;
  const resumed = resume === undefined ? undefined : readResume(resume, parts);
  if (resumed?.ok === false) return errors.fail("invalid_input", resumed.failure, { fixBy: "agent" });

  const late = new AbortController();
  const stopTimer = setting.clock.after(setting.stopAfterMs, () => late.abort());
  const signal = AbortSignal.any([setting.signal, late.signal]);
  try {
    const me = await signedIn(x, signal);
    if (!me.ok) return me;
    const begun: ThreadState = resumed?.value ?? {
      by: me.value.id,
      begun: setting.clock.now(),
      posted: [],
      isNextUncertain: false,
    };
    if (begun.by !== me.value.id) {
      return errors.fail("invalid_input", "The handle belongs to a thread of another account.", {
        suggestedFix: "Sign in as the account that began the thread.",
        fixBy: "operator",
      });
    }
    return await goOn(x, parts, begun, { ...setting, signal });
  } finally {
    stopTimer();
  }
}

async function goOn(
  x: Pick<X, "client" | "access">,
  parts: readonly Part[],
  begun: ThreadState,
  { signal, progress }: ThreadSetting,
): Promise<FromX<Thread, ThreadCode>> {
  const posted = [...begun.posted];
  if (begun.isNextUncertain) {
    const found = await lookForNext(x, parts[posted.length], begun, signal);
    if (!found.ok) return cut(parts, begun, found.failure);
    if (found.value !== undefined) posted.push(found.value);
  }
  for (const part of parts.slice(posted.length)) {
    const sent = await sendPost(x, { ...part, ...replyTo(posted.at(-1)) }, signal);
    if (!sent.ok) {
      // X refuses as a repetition what went out unseen before.
      const isOut =
        begun.isNextUncertain && posted.length === begun.posted.length && isRepetition(sent.failure);
      const isNextUncertain = isOut || sent.failure.details?.may_have_taken_effect === true;
      return cut(parts, { ...begun, posted, isNextUncertain }, sent.failure);
    }
    posted.push(sent.value.id);
    progress({ done: posted.length, total: parts.length });
  }
  return ok({ thread_tweet_ids: posted, tweet_count: posted.length, root_tweet_id: posted[0] ?? "" });
}

function replyTo(id: string | undefined): { replyTo?: string } {
  return id === undefined ? {} : { replyTo: id };
}

function isRepetition({ code, reason }: Failure): boolean {
  return code === "x_forbidden" && reason === "duplicate_content";
}

/** Why no post of the thread may be sent. */
function refusedThread(parts: readonly Part[], access: X["access"]): Failed<Failure<WriteCode>> | undefined {
  for (const [index, part] of parts.entries()) {
    const refusal = refusedDraft(part, access) ?? refusedTwin(parts, index);
    if (refusal === undefined) continue;
    const { failure } = refusal;
    return {
      ok: false,
      failure: {
        ...failure,
        message: `Post ${index + 1} of ${parts.length}: ${failure.message} No post was sent.`,
        details: { ...failure.details, tweet_index: index },
      },
    };
  }
  return undefined;
}

function refusedTwin(parts: readonly Part[], index: number): Failed<Failure<"invalid_input">> | undefined {
  const text = parts[index]?.text.trim();
  const twin = parts.findIndex((part) => part.text.trim() === text);
  if (text === "" || twin >= index) return undefined;
  return errors.fail("invalid_input", `It repeats post ${twin + 1}, which X refuses.`, { fixBy: "agent" });
}

/** The thread is cut; unless nothing at all went out, the failure says how to go on. */
function cut(
  parts: readonly Part[],
  state: ThreadState,
  cause: Failure<WriteCode>,
): Failed<Failure<ThreadCode>> {
  const { posted, isNextUncertain } = state;
  if (posted.length === 0 && !isNextUncertain) return { ok: false, failure: cause };
  const out = `${posted.length} of ${parts.length} posts are out`;
  const next = isNextUncertain ? ", and the next may be" : "";
  const isMended = errors.rows[cause.code].retryable || isNextUncertain;
  const details: JsonObject = {
    posted_tweet_ids: posted,
    failed_at_index: posted.length,
    resume: resumeHandle(state, parts),
    cause: {
      code: cause.code,
      message: cause.message,
      ...(cause.reason !== undefined && { reason: cause.reason }),
      ...(cause.suggestedFix !== undefined && { suggested_fix: cause.suggestedFix }),
      ...(cause.details !== undefined && { details: cause.details }),
    },
  };
  return errors.fail("thread_partial_failure", `${out}${next}. Then: ${cause.message}`, {
    suggestedFix: isMended
      ? "Call x_post_thread again with the same `tweets` and this `resume`: it goes on and posts nothing twice."
      : "Mend what `cause` names (the texts that are not out may change), then call again with this `resume`.",
    fixBy: "agent",
    ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
    ...(cause.rateLimitReset !== undefined && { rateLimitReset: cause.rateLimitReset }),
    details,
  });
}

/** The id of the next post, if it went out although X gave no clear answer. */
async function lookForNext(
  x: Pick<X, "client">,
  part: Part | undefined,
  { by, begun, posted }: ThreadState,
  signal: AbortSignal,
): Promise<FromX<string | undefined>> {
  const last = posted.at(-1);
  const recent = await askX<XObject[]>(x.client, "getUsersPosts", {
    path: { id: by },
    query: {
      max_results: 20,
      "tweet.fields": "created_at,note_tweet,referenced_tweets",
      ...(last !== undefined && { since_id: last }),
    },
    signal,
  });
  if (!recent.ok) return recent;
  const isNext = (candidate: XObject): boolean =>
    last === undefined
      ? referenced(candidate, "replied_to") === undefined &&
        Date.parse(textIn(candidate, "created_at") ?? "") > begun - CLOCK_DRIFT_MS &&
        comparable(wholeText(candidate)) === comparable(part?.text ?? "")
      : referenced(candidate, "replied_to") === last;
  const found = recent.value.data.find(isNext);
  return ok(found && textIn(found, "id"));
}

/** How far X's clock and this one may be apart. */
const CLOCK_DRIFT_MS = 300_000;

/** A text without links, which X rewrites and adds for media. */
function comparable(text: string): string {
  const parsed = parsePost(text);
  let rest = "";
  let at = 0;
  for (const { start, end } of parsed.urls) {
    rest += parsed.text.slice(at, start);
    at = end;
  }
  return (rest + parsed.text.slice(at)).replace(/\s+/g, " ").trim();
}
