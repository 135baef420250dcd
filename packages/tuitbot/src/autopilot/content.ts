import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { isUndecided } from "../approval/queue.ts";
import { localTime } from "../config/schedule-window.ts";
import { partlyPublished } from "../drafts/draft.ts";
import { discardDraft, scheduleDraft } from "../drafts/edit-draft.ts";
import { createDraft } from "../drafts/store-draft.ts";
import { allLimits, limitUse } from "../guards/policy/limits.ts";
import { isOpen } from "../guards/receipts/receipt-queries.ts";
import type { PublicationKind } from "../storage/tables/publication-tables.ts";
import { writerName } from "../writing/llm.ts";
import { chooseTopic } from "../writing/topics.ts";
import { draftThread, draftTweet, THREAD_SIZE, type WritingContext } from "../writing/write.ts";
import { postingSlot } from "./active-hours.ts";
import { broken, completed, type Loop, type LoopEnd, type Pass, skipped } from "./pass.ts";
import { publishScheduled } from "./scheduled.ts";

export const content: Loop = {
  name: "content",
  does: "in autopilot writes a post when one is due, and sends or queues it",
  everyMs: () => 0,
  keepsHours: true,
  publishes: true,
  writes: true,
  async run(pass) {
    const { schedule, intervals } = pass.config;
    const slot = postingSlot(schedule, pass.now());
    if (slot === undefined) return skipped("it is not a time of schedule.preferred_times");
    const pauseMs = intervals.content_post_window_seconds * 1_000;
    return publishOne(pass, POST, slot === "any" ? pass.now() - pauseMs : slot);
  },
};

export const threads: Loop = {
  name: "threads",
  does: "in autopilot writes a thread when one is due, and sends or queues it",
  everyMs: () => 0,
  keepsHours: true,
  publishes: true,
  writes: true,
  async run(pass) {
    const { schedule, intervals } = pass.config;
    if (!isThreadTime(pass)) return skipped(`threads wait for ${schedule.thread_preferred_day}`);
    return publishOne(pass, THREAD, pass.now() - intervals.thread_interval_seconds * 1_000);
  },
};

/** Any day, unless a preferred one is set. */
function isThreadTime({ config: { schedule }, now }: Pass): boolean {
  const { thread_preferred_day: wanted, thread_preferred_time, timezone } = schedule;
  if (wanted === undefined) return true;
  const { day, hour, minute } = localTime(now(), timezone);
  const at = Number(thread_preferred_time.slice(0, 2)) * 60 + Number(thread_preferred_time.slice(3));
  return day === wanted.toLowerCase() && hour * 60 + minute >= at;
}

interface Form {
  readonly purpose: "tweet" | "thread";
  readonly kinds: readonly PublicationKind[];
  readonly tool: string;
  readonly by: string;
  readonly fewest: number;
  readonly write: (
    context: WritingContext,
    topic: { readonly topic: string; readonly mostPosts: number },
    signal: AbortSignal,
  ) => Promise<Outcome<{ readonly texts: readonly string[]; readonly format: string }, Failure>>;
}

const POST: Form = {
  purpose: "tweet",
  kinds: ["tweet", "quote"],
  tool: "x_post_tweet",
  by: "loop:content",
  fewest: 1,
  async write(context, { topic }, signal) {
    const written = await draftTweet(context, { topic }, signal);
    return written.ok ? ok({ texts: [written.value.text], format: written.value.format }) : written;
  },
};

const THREAD: Form = {
  purpose: "thread",
  kinds: ["thread"],
  tool: "x_post_thread",
  by: "loop:threads",
  fewest: THREAD_SIZE[0],
  async write(context, about, signal) {
    const written = await draftThread(context, about, signal);
    return written.ok ? ok({ texts: written.value.texts, format: written.value.structure }) : written;
  },
};

async function publishOne(pass: Pass, form: Form, since: number): Promise<LoopEnd> {
  const { store, account, config, workflow, x, now, random, signal } = pass;
  if (config.mode === "composer") return skipped("composer mode");
  if (await isTaken(pass, form, since)) return skipped("nothing is due");
  const mostPosts = await postsLeft(pass);
  if (mostPosts < form.fewest) return skipped(`limits.max_tweets_per_day leaves room for ${mostPosts} posts`);
  if (pass.isDryRun) return completed({ due: 1 });
  const llm = await workflow.llm(signal);
  if (!llm.ok) return skipped("no language model is set up");
  const context = { store, account, config, llm: llm.value, access: x.access, random, now };
  const topic = await chooseTopic(context, form.purpose);
  if (!topic.ok) return skipped("business.industry_topics is empty");
  const written = await form.write(context, { topic: topic.value, mostPosts }, signal);
  if (!written.ok) return broken(written);
  const { texts, format: framework } = written.value;
  const writer = writerName(llm.value.writer);
  const { id } = await createDraft(pass, { texts, topic: topic.value, framework, writer });
  return send(pass, id, form.by);
}

/**
 * Publishes through the schedule, which resumes threads and resolves unknown outcomes. An unsent draft is
 * discarded.
 */
async function send(pass: Pass, draftId: number, by: string): Promise<LoopEnd> {
  const planned = await scheduleDraft(pass, draftId, { dueAt: pass.now(), by });
  const row = planned.ok ? await scheduledRow(pass, planned.value.scheduleId) : undefined;
  const published = row && (await publishScheduled(pass, row, by));
  if (published?.ending === "posted") return completed({ sent: 1 });
  if (published?.ending === "queued") return completed({ queued: 1 });
  const failure = planned.ok ? published?.failure : planned.failure;
  if (failure === undefined) return completed({ later: 1 });
  // X may have published it, so it stays, and the schedule resolves it.
  if (partlyPublished(failure).resume === undefined) await discardDraft(pass, draftId, by);
  return failure.code === "policy_denied_rate_limited" ? skipped(failure.message) : broken({ failure });
}

async function postsLeft({ store, account, workflow: { policy }, now }: Pass): Promise<number> {
  const limits = allLimits(policy).filter(({ key }) => key === "tweets_per_day");
  const [use] = await limitUse(store.db, account, limits, now());
  return use === undefined ? 0 : use.limit.max - use.used;
}

async function scheduledRow({ store, account }: Pass, id: number | undefined) {
  return store.db
    .selectFrom("scheduled_posts")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id ?? 0)
    .executeTakeFirst();
}

/** Published, possibly published, or waiting since then. */
async function isTaken(
  { store, account, now }: Pass,
  { kinds, tool }: Form,
  since: number,
): Promise<boolean> {
  const out = await store.db
    .selectFrom("publications")
    .select("post_id")
    .where("account", "=", account)
    .where("kind", "in", kinds)
    .where("published_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  if (out !== undefined) return true;
  const open = await store.db
    .selectFrom("receipts")
    .select("id")
    .where("account", "=", account)
    .where("tool", "=", tool)
    .where(isOpen)
    .where("created_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  if (open !== undefined) return true;
  const waiting = await store.db
    .selectFrom("approvals")
    .select("id")
    .where("account", "=", account)
    .where("tool", "=", tool)
    .where((eb) => eb.or([isUndecided(now())({ eb }), eb("created_at", ">", since)]))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
