import { labelText } from "../analytics/labels.ts";
import { chooseTopic } from "../content/choose-topic.ts";
import { draftThread, draftTweet } from "../content/write.ts";
import { localTime } from "../policy/schedule-window.ts";
import type { PublicationKind } from "../storage/engagement-tables.ts";
import { isActive, postingSlot } from "./active-hours.ts";
import { broken, completed, type Loop, type LoopEnd, type Pass, skipped } from "./pass.ts";

export const content: Loop = {
  name: "content",
  does: "in autopilot writes a post when one is due, and sends or queues it",
  everyMs: () => 0,
  keepsHours: true,
  publishes: true,
  async run(pass) {
    const { schedule, intervals } = pass.config;
    const slot = postingSlot(schedule, pass.now());
    if (slot === undefined) return skipped("it is not a time of schedule.preferred_times");
    const pauseMs = intervals.content_post_window_seconds * 1_000;
    const since = slot === "any" ? pass.now() - pauseMs : slot;
    return writeOne(pass, ["tweet", "quote"], since);
  },
};

export const threads: Loop = {
  name: "threads",
  does: "in autopilot writes a thread when one is due, and sends or queues it",
  everyMs: () => 0,
  keepsHours: true,
  publishes: true,
  async run(pass) {
    const { schedule, intervals } = pass.config;
    if (!isThreadTime(pass)) return skipped(`threads wait for ${schedule.thread_preferred_day}`);
    return writeOne(pass, ["thread"], pass.now() - intervals.thread_interval_seconds * 1_000);
  },
};

/** Without a day of its own a thread may go out on any. */
function isThreadTime({ config: { schedule }, now }: Pass): boolean {
  const { thread_preferred_day: wanted, thread_preferred_time, timezone } = schedule;
  if (wanted === undefined) return isActive(schedule, now());
  const { day, hour, minute } = localTime(now(), timezone);
  const at = Number(thread_preferred_time.slice(0, 2)) * 60 + Number(thread_preferred_time.slice(3));
  return day === wanted.toLowerCase() && hour * 60 + minute >= at;
}

async function writeOne(pass: Pass, kinds: readonly PublicationKind[], since: number): Promise<LoopEnd> {
  const { store, account, config, workflow, x, now, random, signal } = pass;
  if (config.mode === "composer") return skipped("composer mode");
  const isThread = kinds.includes("thread");
  const tool = isThread ? "x_post_thread" : "x_post_tweet";
  if (await isTaken(pass, kinds, tool, since)) return skipped("nothing is due");
  if (pass.isDryRun) return completed({ due: 1 });
  const llm = await workflow.llm(signal);
  if (!llm.ok) return skipped("no language model is set up");
  const desk = { store, account, config, llm: llm.value, access: x.access, random, now };
  const topic = await chooseTopic(desk, isThread ? "thread" : "tweet");
  if (!topic.ok) return skipped("business.industry_topics is empty");
  const written = isThread
    ? await draftThread(desk, { topic: topic.value }, signal)
    : await draftTweet(desk, { topic: topic.value }, signal);
  if (!written.ok) return broken(written);
  const texts = "texts" in written.value ? [...written.value.texts] : [written.value.text];
  const format = "structure" in written.value ? written.value.structure : written.value.format;
  const [first = ""] = texts;
  await labelText(store.db, account, first, { topic: topic.value, format }, now());
  const executed = await workflow.call(
    tool,
    isThread ? { tweets: texts } : { text: first },
    `loop:${isThread ? "threads" : "content"}`,
    signal,
  );
  if (executed.ok) return completed({ sent: 1 });
  const { failure } = executed;
  if (failure.policyDecision === "routed_to_approval") return completed({ queued: 1 });
  return failure.code === "policy_denied_rate_limited" ? skipped(failure.message) : broken(executed);
}

/** Whether one has gone out, or waits for a person, since then. */
async function isTaken(
  { store, account }: Pass,
  kinds: readonly PublicationKind[],
  tool: string,
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
  const waiting = await store.db
    .selectFrom("approvals")
    .select("id")
    .where("account", "=", account)
    .where("tool", "=", tool)
    .where((eb) => eb.or([eb("status", "in", ["pending", "releasing"]), eb("created_at", ">", since)]))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
