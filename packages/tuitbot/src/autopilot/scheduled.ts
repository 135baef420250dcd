import type { Failure, Json, JsonObject } from "@toolpact/contract";
import type { Selectable } from "kysely";
import { forgetSecrets } from "../approval/queue.ts";
import type { CallResult } from "../approval/release.ts";
import { mediaFrom, mediaIdsPerPost } from "../drafts/draft-media.ts";
import { optionsFrom } from "../drafts/draft-options.ts";
import { postingCall, scheduleKey } from "../drafts/publish-draft.ts";
import { TOO_LATE_MS } from "../drafts/schedule.ts";
import { syncDrafts } from "../drafts/sync-drafts.ts";
import { giveUpReceipt } from "../guards/receipts/kysely-receipts.ts";
import { ACCEPT_URL_PRICE, identityOf } from "../guards/receipts/receipt.ts";
import { findReceipt, stepsOf } from "../guards/receipts/receipt-queries.ts";
import { findStop, STOPPED } from "../guards/stop/stop.ts";
import { labelText } from "../publications/labels.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { ReceiptRow, StepRow } from "../storage/tables/receipt-tables.ts";
import type { ScheduledPostRow } from "../storage/tables/schedule-tables.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import { resumeHandle } from "../x/toolkit/thread-resume.ts";
import { keepRenewing } from "./lease.ts";
import { completed, type Loop, type LoopEnd, leaseMsOf, type Pass } from "./pass.ts";
import { approvedContent, postedIn, releaseOf, withUploads } from "./scheduled-content.ts";

type Scheduled = Selectable<ScheduledPostRow>;

export const scheduled: Loop = {
  name: "scheduled",
  does: "publishes what is due, or asks the person for it",
  everyMs: () => 0,
  keepsHours: false,
  publishes: true,
  async run(pass) {
    if (!pass.isDryRun) await syncDrafts(pass);
    if (pass.isDryRun) return completed({ due: (await dueNow(pass)).length });
    return publishDue(pass);
  },
};

/** Safe in parallel: each process takes a row before it sends it. */
export async function publishDue(pass: Pass): Promise<LoopEnd> {
  const counts = { posted: 0, queued: 0, failed: 0, later: 0 };
  const codes: string[] = [];
  for (const post of await dueNow(pass)) {
    if (pass.signal.aborted || (await findStop(pass.store.db, pass.account)) !== undefined) break;
    const published = await publishScheduled(pass, post, "loop:scheduled");
    if (published === undefined) continue;
    counts[published.ending] += 1;
    if (published.failure !== undefined) codes.push(published.failure.code);
  }
  return completed(counts, codes);
}

/**
 * Share of the runner's lease for which a row is claimed. It ends earlier, so the next runner finds
 * interrupted rows.
 */
const ROW_SHARE = 0.7;
const MAX_POSTS = 20;
const MAX_TRIES = 5;

/** Due, and waiting for nobody. */
export function dueNow({
  store,
  account,
  now,
}: Pick<Pass, "store" | "account" | "now">): Promise<Scheduled[]> {
  const at = now();
  return (
    store.db
      .selectFrom("scheduled_posts")
      .selectAll()
      .where("account", "=", account)
      .where("due_at", "<=", at)
      .where((eb) =>
        eb.or([
          eb("status", "=", "scheduled"),
          eb.and([eb("status", "=", "publishing"), eb("lease_until", "<=", at)]),
        ]),
      )
      // They wait for the person who was asked.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("approvals")
              .select("approvals.id")
              .whereRef("approvals.account", "=", "scheduled_posts.account")
              .whereRef("approvals.id", "=", "scheduled_posts.approval_id")
              .where("approvals.status", "=", "pending"),
          ),
        ),
      )
      .orderBy("due_at")
      .limit(MAX_POSTS)
      .execute()
  );
}

export interface Published {
  readonly ending: Ending;
  /** If the call failed. */
  readonly failure?: Failure | undefined;
}

/** Or queues it; undefined if another process took it. */
export async function publishScheduled(
  pass: Pass,
  post: Scheduled,
  by: string,
): Promise<Published | undefined> {
  const taken = { ...post, tries: post.tries + 1 };
  if (!(await claim(pass, post))) return undefined;
  const stop = keepRow(pass, taken);
  try {
    return await publish(pass, post, by);
  } finally {
    await stop();
  }
}

function keepRow(pass: Pass, { id, tries }: Scheduled): () => Promise<void> {
  const { store, account, now, workflow } = pass;
  const lifeMs = leaseMsOf(pass) * ROW_SHARE;
  const renew = async () => {
    const kept = await store.db
      .updateTable("scheduled_posts")
      .set({ lease_until: now() + lifeMs })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "=", "publishing")
      .where("tries", "=", tries)
      .where("lease_until", ">", now())
      .executeTakeFirst();
    return kept.numUpdatedRows > 0n;
  };
  // A lost row is safe, because the call's receipt lets no other send.
  return keepRenewing({ renew, release: async () => {} }, workflow.after, lifeMs, () => {});
}

/** False if another process was faster, or it was unscheduled. */
async function claim(pass: Pass, { id, status, tries }: Scheduled): Promise<boolean> {
  const { store, account, now } = pass;
  const taken = await store.db
    .updateTable("scheduled_posts")
    .set({ status: "publishing", lease_until: now() + leaseMsOf(pass) * ROW_SHARE, tries: tries + 1 })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("status", "=", status)
    .where("tries", "=", tries)
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

type Ending = "posted" | "queued" | "failed" | "later";

async function publish(pass: Pass, post: Scheduled, by: string): Promise<Published> {
  const { store, account, workflow, now, signal } = pass;
  const { id, due_at, topic, format } = post;
  const media = mediaFrom(post.media_json);
  // Written as a list of texts.
  const planned = JSON.parse(post.texts_json) as string[];
  const content = { texts: planned, media, options: optionsFrom(post.options_json) };
  const { claim } = identityOf(account, ...postingCall(content, scheduleKey(id)));
  const earlier = await findReceipt(store.db, account, { claim });
  if (earlier?.state === "confirmed" && earlier.result_json !== null)
    // It was published, but not recorded as such.
    return {
      ending: await settle(pass, post, { ok: true, result: JSON.parse(earlier.result_json) as Json }),
    };
  // The previous process has ended, so resolve its receipt by reading X.
  if (earlier?.state === "pending" && post.status === "publishing") await giveUpReceipt(pass, earlier, now());
  if (now() - due_at > TOO_LATE_MS && earlier?.state !== "confirmed")
    return { ending: await tooLate(pass, post, earlier, { texts: planned, media }) };
  const approved = await approvedContent(pass, post, planned, media);
  if (!approved.ok)
    return { ending: await refuse(pass, post, earlier, approved.failure), failure: approved.failure };
  const { texts, options, acceptsPrice } = approved.value;
  if (topic !== null)
    await labelText(store.db, account, texts[0] ?? "", { topic, format: format ?? undefined }, now());
  const ready = await withUploads(pass, post, media, earlier, by);
  const [tool, args] = postingCall(
    { texts, options, media: ready.ok ? ready.value : media },
    scheduleKey(id),
  );
  const priced = acceptsPrice ? { ...args, [ACCEPT_URL_PRICE]: true } : args;
  const executed = ready.ok
    ? await workflow.call(tool, priced, by, signal, releaseOf(pass, post, tool, args))
    : ready.failure;
  const ending = await settle(pass, post, executed);
  // On record before the pause, which may last minutes.
  await pass.rest();
  return { ending, failure: executed.ok === false ? executed.failure : undefined };
}

/** For content without a matching approval. */
async function refuse(
  pass: Pass,
  post: Scheduled,
  earlier: ReceiptRow | undefined,
  failure: Failure,
): Promise<Ending> {
  const error_json = JSON.stringify(failure);
  if (earlier !== undefined && UNSETTLED.has(earlier.state))
    return leaveUnsettled(pass, post.id, error_json, pass.now() + pauseAfter(post.tries));
  return end(pass, post, "failed", { error_json });
}

async function settle(pass: Pass, post: Scheduled, executed: CallResult): Promise<Ending> {
  const { id, tries } = post;
  if (executed.ok) {
    const result = objectIn(executed.result);
    const [root] = listIn(result, "thread_tweet_ids").map(String);
    return end(pass, post, "posted", { post_id: textIn(result, "id") ?? root ?? null, error_json: null });
  }
  if (executed.ok === null)
    return end(pass, post, "queued", { approval_id: executed.queued.approval_queue_id });
  const { failure, isRetryable } = executed;
  const error_json = JSON.stringify(failure);
  const isLimited = failure.code === "policy_denied_rate_limited";
  const isOpen =
    failure.reason === "duplicate_request" ||
    UNSETTLED.has(textIn(objectIn(objectIn(failure.details), "receipt"), "state") ?? "");
  if (isOpen) return leaveUnsettled(pass, id, error_json, pass.now() + pauseAfter(tries));
  // Sent after the resume, without using up a try.
  if (failure.reason === STOPPED) return end(pass, post, "later", { tries, error_json });
  if (isLimited || (isRetryable && tries + 1 < MAX_TRIES))
    return end(pass, post, "later", {
      due_at: pass.now() + Math.max(pauseAfter(tries), failure.retryAfterMs ?? 0),
      error_json,
    });
  return end(pass, post, "failed", { error_json });
}

/** X may have published it, so it must not change. The same call resolves it, and sends nothing twice. */
async function leaveUnsettled(
  { store, account }: Pass,
  id: number,
  error_json: string | null,
  until: number,
): Promise<Ending> {
  await store.db
    .updateTable("scheduled_posts")
    .set({ lease_until: until, error_json })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("status", "=", "publishing")
    .execute();
  return "later";
}

const UNSETTLED: ReadonlySet<string> = new Set(["pending", "unknown"]);

/** 2, 4, 8 … up to 30 minutes. */
function pauseAfter(tries: number): number {
  return Math.min(30, 2 ** Math.min(tries + 1, 5)) * 60_000;
}

async function end(
  { store, account, now }: Pass,
  { id, approval_id }: Scheduled,
  ending: Ending,
  columns: Partial<Pick<ScheduledPostRow, "due_at" | "tries" | "post_id" | "approval_id" | "error_json">>,
): Promise<Ending> {
  await store.transaction(async (db) => {
    await db
      .updateTable("scheduled_posts")
      .set({ status: ending === "later" ? "scheduled" : ending, ...columns })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "=", "publishing")
      .execute();
    if (approval_id !== null && ending !== "later") {
      const ended = await db
        .updateTable("approvals")
        .set({
          status: ending === "posted" ? "executed" : "failed",
          claim: null,
          decision: null,
          decided_at: now(),
          result_json: columns.post_id == null ? null : JSON.stringify({ id: columns.post_id }),
          error_json: columns.error_json ?? null,
        })
        .where("account", "=", account)
        .where("id", "=", approval_id)
        .where("status", "=", "approved")
        .returning(["id", "args_json", "schedule_json"])
        .execute();
      // A failed item may be approved again.
      if (ending === "posted") await forgetSecrets(db, account, ended);
    }
  });
  return ending;
}

async function tooLate(
  pass: Pass,
  post: Scheduled,
  earlier: ReceiptRow | undefined,
  content: Content,
): Promise<Ending> {
  const { id, due_at, tries, error_json } = post;
  if (earlier !== undefined && UNSETTLED.has(earlier.state))
    return leaveUnsettled(pass, id, error_json, pass.now() + pauseAfter(tries));
  const failure: Failure = {
    code: "validation_error",
    message: `It was due at ${new Date(due_at).toISOString()}, and within a day after that tuitbot did not run or nobody approved it. ${
      earlier === undefined ? "It was not sent." : "A part of it is out; the rest was not sent."
    }`,
    ...(earlier !== undefined && { details: await cutAfter(pass, earlier, content) }),
  };
  return end(pass, post, "failed", { error_json: JSON.stringify(failure) });
}

type Content = Parameters<typeof postingCall>[0];

async function cutAfter({ store, x }: Pass, earlier: ReceiptRow, content: Content): Promise<JsonObject> {
  const key = await x.handleKey().catch((cause: unknown) => {
    throw new StorageError("failed", "The key that signs handles cannot be used.", { cause });
  });
  return cutThread(key, earlier, await stepsOf(store.db, earlier.id), content);
}

/** How far an interrupted thread got, from its receipt. */
function cutThread(
  key: Uint8Array,
  { account, created_at }: Pick<ReceiptRow, "account" | "created_at">,
  steps: readonly StepRow[],
  { texts, media }: Content,
): JsonObject {
  const posted = postedIn(steps);
  const state = { by: account, begun: created_at, posted, isNextUncertain: false };
  const ids = mediaIdsPerPost(media, texts.length);
  const parts = texts.map((text, index) => ({ text, mediaIds: ids[index] ?? [] }));
  return { posted_tweet_ids: posted, resume: resumeHandle(key, state, parts) };
}
