import {
  type Clock,
  type Failed,
  type Failure,
  type JsonObject,
  type Outcome,
  ok,
  type Progress,
} from "@toolpact/contract";
import { parsePost } from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import { referenced, wholeText } from "../shapes/post.ts";
import { textIn, type XObject } from "../shapes/x-object.ts";
import type { X } from "../x.ts";
import { askX, type FromX, signedIn } from "./ask-x.ts";
import { firstRefusal } from "./preflight.ts";
import { type Part, readResume, resumeHandle, type ThreadState } from "./thread-resume.ts";
import { refusedPost, sendPost, type WriteCode } from "./write.ts";

export interface Thread {
  thread_tweet_ids: string[];
  tweet_count: number;
  root_tweet_id: string;
}

export interface ThreadSetting {
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
  readonly clock: Clock;
  /** While it can still report published posts. */
  readonly stopAfterMs: number;
}

export type ThreadCode = WriteCode | "thread_partial_failure";

/**
 * Checks all posts first. A failure in the middle has a handle; the same call with it continues, and posts
 * nothing twice.
 */
export async function postThread(
  x: Pick<X, "client" | "access" | "me" | "handleKey">,
  parts: readonly Part[],
  resume: string | undefined,
  setting: ThreadSetting,
): Promise<FromX<Thread, ThreadCode>> {
  const refusal = refusedThread(parts, x.access);
  if (refusal !== undefined) return refusal;
  // Needed to continue a thread that is cut.
  const key = await keyOf(x);
  if (!key.ok) return key;
  const resumed = resume === undefined ? undefined : readResume(key.value, resume, parts);
  if (resumed?.ok === false) return errors.fail("invalid_input", resumed.failure, { fixBy: "agent" });
  const claim = resumed === undefined ? undefined : claimTail(x.client, resumed.value);
  if (claim === "taken") return continuedNow();

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
      return errors.fail("not_found", "The handle belongs to no thread of this account.", {
        suggestedFix: "Use it as the account that began the thread.",
        fixBy: "operator",
      });
    }
    return await goOn(x, key.value, parts, begun, { ...setting, signal });
  } finally {
    stopTimer();
    claim?.();
  }
}

/** Ends that running calls continue from: looked at together, each would seem free. */
const tailsUnderWay = new WeakMap<X["client"], Set<string>>();

function claimTail(client: X["client"], { by, begun, posted }: ThreadState): (() => void) | "taken" {
  const tails = tailsUnderWay.get(client) ?? new Set();
  tailsUnderWay.set(client, tails);
  const tail = posted.at(-1) ?? `${by} ${begun}`;
  if (tails.has(tail)) return "taken";
  tails.add(tail);
  return () => tails.delete(tail);
}

function continuedNow(): Failed<Failure<"invalid_input">> {
  return errors.fail("invalid_input", "Another call goes on with this thread right now. Nothing was sent.", {
    suggestedFix: "Wait for its answer.",
    fixBy: "agent",
  });
}

async function keyOf({
  handleKey,
}: Pick<X, "handleKey">): Promise<Outcome<Uint8Array, Failure<"invalid_input">>> {
  try {
    return ok(await handleKey());
  } catch {
    return errors.fail("invalid_input", "The key that signs handles cannot be used. No post was sent.", {
      suggestedFix: "Run `tuitbot doctor`: it says what is wrong with approvals.key_file.",
      fixBy: "operator",
    });
  }
}

async function goOn(
  x: Pick<X, "client" | "access">,
  key: Uint8Array,
  parts: readonly Part[],
  begun: ThreadState,
  { signal, progress }: ThreadSetting,
): Promise<FromX<Thread, ThreadCode>> {
  const posted = [...begun.posted];
  if (posted.length > 0 || begun.isNextUncertain) {
    const found = await lookForMore(x, parts, begun, signal);
    if (!found.ok) return cut(key, parts, begun, found.failure);
    if (found.value.stranger !== undefined) return continuedElsewhere(found.value.stranger);
    posted.push(...found.value.ids);
  }
  for (const part of parts.slice(posted.length)) {
    const sent = await sendPost(x, { ...part, ...replyTo(posted.at(-1)) }, signal);
    if (!sent.ok) {
      // X rejects an unseen earlier post as a repetition.
      const isOut =
        begun.isNextUncertain && posted.length === begun.posted.length && isRepetition(sent.failure);
      const isNextUncertain = isOut || sent.failure.details?.may_have_taken_effect === true;
      return cut(key, parts, { ...begun, posted, isNextUncertain }, sent.failure);
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

/** Undefined if all may be sent. */
function refusedThread(parts: readonly Part[], access: X["access"]): Failed<Failure<WriteCode>> | undefined {
  return firstRefusal(parts.length, (index) => {
    const part = parts[index];
    return part && (refusedPost(part, access) ?? refusedTwin(parts, index));
  });
}

function refusedTwin(parts: readonly Part[], index: number): Failed<Failure<"invalid_input">> | undefined {
  const text = parts[index]?.text.trim();
  const twin = parts.findIndex((part) => part.text.trim() === text);
  if (text === "" || twin >= index) return undefined;
  return errors.fail("invalid_input", `It repeats post ${twin + 1}, which X refuses.`, { fixBy: "agent" });
}

/** Unless nothing was published, the failure says how to continue. */
function cut(
  key: Uint8Array,
  parts: readonly Part[],
  state: ThreadState,
  cause: Failure<WriteCode>,
): Failed<Failure<ThreadCode>> {
  const { posted, isNextUncertain } = state;
  if (posted.length === 0 && !isNextUncertain) return { ok: false, failure: cause };
  const out = `${posted.length} of ${parts.length} posts are out`;
  const next = isNextUncertain ? ", and the next may be" : "";
  const isFixed = errors.rows[cause.code].retryable || isNextUncertain;
  const details: JsonObject = {
    posted_tweet_ids: posted,
    failed_at_index: posted.length,
    resume: resumeHandle(key, state, parts),
    cause: {
      code: cause.code,
      message: cause.message,
      ...(cause.reason !== undefined && { reason: cause.reason }),
      ...(cause.suggestedFix !== undefined && { suggested_fix: cause.suggestedFix }),
      ...(cause.details !== undefined && { details: cause.details }),
    },
  };
  return errors.fail("thread_partial_failure", `${out}${next}. Then: ${cause.message}`, {
    suggestedFix: isFixed
      ? "Call x_post_thread again with the same `tweets` and this `resume`: it continues and posts nothing twice."
      : "Fix what `cause` names (the texts that are not out may change), then call again with this `resume`.",
    fixBy: isFixed ? "agent" : (cause.fixBy ?? "agent"),
    ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
    ...(cause.rateLimitReset !== undefined && { rateLimitReset: cause.rateLimitReset }),
    details,
  });
}

/** Beyond the handle. */
interface More {
  readonly ids: readonly string[];
  /** It continues the thread with other words. */
  readonly stranger?: string;
}

/** Published without a clear answer, or with the same handle before. */
async function lookForMore(
  x: Pick<X, "client">,
  parts: readonly Part[],
  { by, begun, posted, isNextUncertain }: ThreadState,
  signal: AbortSignal,
): Promise<FromX<More>> {
  let last = posted.at(-1);
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
  const says = (candidate: XObject, part: Part | undefined): boolean =>
    comparable(wholeText(candidate)) === comparable(part?.text ?? "");
  const ids: string[] = [];
  for (const [index, part] of parts.slice(posted.length).entries()) {
    const isRoot = (candidate: XObject): boolean =>
      referenced(candidate, "replied_to") === undefined &&
      Date.parse(textIn(candidate, "created_at") ?? "") > begun - CLOCK_DRIFT_MS &&
      says(candidate, part);
    const next = recent.value.data.find((candidate) =>
      last === undefined ? isRoot(candidate) : referenced(candidate, "replied_to") === last,
    );
    const id = next && textIn(next, "id");
    if (next === undefined || id === undefined) break;
    const isExpected = index === 0 && isNextUncertain;
    if (!isExpected && !says(next, part)) return ok({ ids, stranger: id });
    ids.push(id);
    last = id;
  }
  return ok({ ids });
}

function continuedElsewhere(id: string): Failed<Failure<"invalid_input">> {
  return errors.fail("invalid_input", `The thread was continued already, with other words: see post ${id}.`, {
    suggestedFix: "Read the thread as it is now. To say more in it, answer its last post.",
    fixBy: "agent",
    details: { continued_by_tweet_id: id },
  });
}

/** Between X and this machine. */
const CLOCK_DRIFT_MS = 300_000;

/** Without links, which X rewrites and adds. */
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
