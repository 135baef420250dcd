import { microsOf } from "@toolpact/contract/internal/money";
import { afterEach, describe, expect, test } from "vitest";
import { editItem } from "../../src/approval/edit.ts";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { tick } from "../../src/autopilot/tick.ts";
import { settleDraft } from "../../src/drafts/settle-draft.ts";
import { identityOf } from "../../src/guards/receipts/receipt.ts";
import { type Desk, openDesk, ownerOf } from "../engagement/desk.ts";

let desk: Desk;
afterEach(() => desk.close());

const HOUR = 3_600_000;

async function pass(): Promise<void> {
  const { db, x, workflow, config } = desk.services;
  const setting = { ...db, x, workflow, config: config.values, random: () => 0.5 };
  const wish = { loops: ["scheduled"], isDryRun: false, ignoresSchedule: false } as const;
  const passed = await tick(setting, wish, new AbortController().signal);
  if (!passed.ok) throw new Error(passed.failure.message);
}

function posted(): readonly string[] {
  const owner = ownerOf(desk);
  const { world, clock } = desk.sandbox;
  return [...world.posts.values()]
    .filter((post) => post.authorId === owner && post.at >= clock.start)
    .map(({ text }) => text);
}

async function scheduled(format: string): Promise<readonly string[]> {
  const { data } = await desk.call("compose_tweet", { topic: "rye", format });
  const { draft_id: id, texts } = data as { readonly draft_id: number; readonly texts: readonly string[] };
  const scheduled_for = new Date(desk.sandbox.clock.now() + HOUR).toISOString();
  expect(await desk.call("schedule_draft", { id, scheduled_for })).toMatchObject({ success: true });
  return texts;
}

test("a discarded draft is withdrawn, not rejected, and its text can be proposed again", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  const scheduled_for = new Date(desk.sandbox.clock.now() + HOUR).toISOString();
  const { data } = await desk.call("create_draft", { texts: ["Rye on Friday"], scheduled_for });
  const { draft_id: id, approval_queue_id } = data as { draft_id: number; approval_queue_id: number };
  await desk.call("discard_draft", { id });
  const { data: list } = await desk.call("list_pending_approvals");
  const { decided } = list as { decided: object[] };
  expect(decided).toMatchObject([{ id: approval_queue_id, status: "withdrawn" }]);
  expect(decided[0]).not.toHaveProperty("person_says");
  const again = await desk.call("x_post_tweet", { text: "Rye on Friday" });
  expect(again).toMatchObject({ success: true, data: { status: "queued" } });
});

test.each(["autopilot", "composer"])(
  "in %s a scheduled draft goes its way when it is due, not before",
  async (mode) => {
    desk = await openDesk({ config: { mode } });
    const texts = await scheduled("thread");
    await pass();
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "scheduled" } });
    desk.sandbox.clock.advance(HOUR);
    await pass();
    await pass();
    const { data } = await desk.call("get_draft", { id: 1 });
    if (mode === "autopilot") {
      expect(data).toMatchObject({ status: "published", tweet_ids: texts.map(() => expect.any(String)) });
      expect(posted()).toEqual(texts);
    } else {
      // The person was asked when it was scheduled, and has not answered.
      expect(data).toMatchObject({ status: "scheduled", approval: "waiting", approval_queue_id: 1 });
      expect(posted()).toEqual([]);
    }
  },
);

test("a draft that was published by hand does not go out again on schedule", async () => {
  desk = await openDesk();
  const texts = await scheduled("tip");
  await desk.call("publish_draft", { id: 1 });
  desk.sandbox.clock.advance(2 * HOUR);
  await pass();
  expect(posted()).toEqual(texts);
});

test("a link is scheduled with a yes to its price, and goes out when it is due", async () => {
  desk = await openDesk();
  await desk.call("compose_tweet", { topic: "rye", format: "tip" });
  await desk.call("edit_draft", { id: 1, texts: ["Read https://example.com/rye"] });
  const scheduled_for = new Date(desk.sandbox.clock.now() + HOUR).toISOString();
  expect(await desk.call("schedule_draft", { id: 1, scheduled_for })).toMatchObject({
    error: { code: "validation_error", reason: "url_price" },
  });
  await desk.call("schedule_draft", { id: 1, scheduled_for, accept_url_price: true });
  expect(await desk.call("edit_draft", { id: 1, texts: ["Read https://example.com/other"] })).toMatchObject({
    error: { code: "validation_error", reason: "url_price" },
  });
  desk.sandbox.clock.advance(HOUR);
  await pass();
  expect(posted()).toEqual([expect.stringContaining("Read https://")]);
});

test("a post that went out is not called unsent, nor sent again, however late the next pass is", async () => {
  desk = await openDesk();
  const texts = await scheduled("tip");
  desk.sandbox.clock.advance(HOUR);
  await pass();
  // The state left by a process that dies between X's answer and recording it.
  await desk.services.db.store.db
    .updateTable("scheduled_posts")
    .set({ status: "publishing", post_id: null })
    .execute();
  desk.sandbox.clock.advance(25 * HOUR);
  await pass();
  expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
  expect(posted()).toEqual(texts);
});

test("a thread that was cut down midway can be finished by hand, however late the next pass is", async () => {
  desk = await openDesk();
  const texts = await scheduled("thread");
  desk.sandbox.clock.advance(HOUR);
  desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 });
  await pass();
  // The state left by a process that dies between two posts.
  await desk.services.db.store.db
    .updateTable("scheduled_posts")
    .set({ status: "publishing", error_json: null, lease_until: 0, due_at: desk.sandbox.clock.now() })
    .execute();
  desk.sandbox.clock.advance(25 * HOUR);
  await pass();
  const { data } = await desk.call("get_draft", { id: 1 });
  expect(data).toMatchObject({ status: "draft", tweet_ids: [expect.any(String), expect.any(String)] });
  expect(posted()).toEqual(texts.slice(0, 2));
  expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({
    data: { status: "published", tweet_ids: texts.map(() => expect.any(String)) },
  });
  expect(posted()).toEqual(texts);
});

describe("a scheduled thread of which a part is out", () => {
  async function cutAtThird() {
    desk = await openDesk();
    const texts = await scheduled("thread");
    desk.sandbox.clock.advance(HOUR);
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 });
    await pass();
    return texts;
  }
  const shown = async () => (await desk.call("get_draft", { id: 1 })).data;
  const ids = (texts: readonly string[]) => texts.map(() => expect.any(String));

  test("says so, keeps its texts, and goes on by itself", async () => {
    const texts = await cutAtThird();
    expect(await shown()).toMatchObject({ status: "scheduled", tweet_ids: ids(texts.slice(0, 2)) });
    expect(await desk.call("edit_draft", { id: 1, texts: ["Other."] })).toMatchObject({
      error: { code: "validation_error" },
    });
    desk.sandbox.clock.advance(HOUR);
    await pass();
    expect(await shown()).toMatchObject({ status: "published", tweet_ids: ids(texts) });
    expect(posted()).toEqual(texts);
  });

  test("goes on from there when somebody does not want to wait", async () => {
    const texts = await cutAtThird();
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({
      data: { status: "published", tweet_ids: ids(texts) },
    });
    desk.sandbox.clock.advance(HOUR);
    await pass();
    expect(posted()).toEqual(texts);
  });

  test("shows all that is out, by itself and by hand, once that is known", async () => {
    const texts = await cutAtThird();
    const { faults, clock } = desk.sandbox;
    faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    // Before going on it looks once; what became of the lost answer it cannot see.
    faults.add({ operation: "getUsersPosts", kind: "error", status: 403, at: 2, count: 50 });
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    faults.clear();
    clock.advance(HOUR);
    await pass();
    expect(await shown()).toMatchObject({ status: "draft", tweet_ids: ids(texts.slice(0, 3)) });
    await desk.call("publish_draft", { id: 1 });
    expect(await shown()).toMatchObject({ status: "published", tweet_ids: ids(texts) });
    expect(posted()).toEqual(texts);
  });

  test("goes on by itself when going on by hand failed", async () => {
    const texts = await cutAtThird();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    desk.sandbox.clock.advance(HOUR);
    await pass();
    expect(await shown()).toMatchObject({ status: "published", tweet_ids: ids(texts) });
    expect(posted()).toEqual(texts);
  });
});

test("while nobody knows whether it is out, a scheduled draft cannot be changed, published or discarded", async () => {
  desk = await openDesk();
  const texts = await scheduled("tip");
  desk.sandbox.clock.advance(HOUR);
  desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
  desk.sandbox.faults.add({
    operation: "getUsersPosts",
    kind: "error",
    when: "before",
    status: 403,
    count: 6,
  });
  await pass();
  desk.sandbox.faults.clear();
  const refused = { success: false, error: { code: "validation_error" } };
  expect(await desk.call("edit_draft", { id: 1, texts: ["Another text"] })).toMatchObject(refused);
  expect(await desk.call("discard_draft", { id: 1 })).toMatchObject(refused);
  expect(await desk.call("publish_draft", { id: 1 })).toMatchObject(refused);
  desk.sandbox.clock.advance(HOUR);
  await pass();
  expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
  expect(posted()).toEqual(texts);
});

describe("a scheduled draft of which X never says what became", () => {
  const book = () => ({ ...desk.services.db, now: desk.services.workflow.now });

  /** Sent without an answer, and X does not let anybody look. */
  async function inDoubt(format: string, at: number, when: "before" | "after") {
    desk = await openDesk();
    const texts = await scheduled(format);
    desk.sandbox.clock.advance(HOUR);
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when, at });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 100 });
    await pass();
    desk.sandbox.clock.advance(HOUR);
    await pass();
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "scheduled" } });
    return texts;
  }

  test.each([
    ["tip", 1],
    ["thread", 2],
  ])("goes on from the post that a person found (%s)", async (format, at) => {
    const texts = await inDoubt(format, at, "after");
    const owner = ownerOf(desk);
    const out = [...desk.sandbox.world.posts.values()].filter(({ authorId }) => authorId === owner).at(-1);
    const settled = await settleDraft(book(), 1, { isOut: true, postId: out?.id ?? "" }, "terminal");
    expect(settled).toMatchObject({ ok: true });
    await pass();
    const { data } = await desk.call("get_draft", { id: 1 });
    expect(data).toMatchObject({ status: "published", tweet_ids: texts.map(() => expect.any(String)) });
    expect(posted()).toEqual(texts);
  });

  test("is a draft again once a person has not found it", async () => {
    const texts = await inDoubt("tip", 1, "before");
    expect(await settleDraft(book(), 1, { isOut: false }, "terminal")).toMatchObject({
      value: { status: "draft" },
    });
    await desk.call("publish_draft", { id: 1 });
    expect(posted()).toEqual(texts);
    expect(await settleDraft(book(), 1, { isOut: false }, "terminal")).toMatchObject({
      failure: { code: "validation_error" },
    });
  });
});

test("no caller can take the key of a scheduled post", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  const taken = await desk.call("x_post_tweet", { text: "Mine", idempotency_key: "tuitbot:scheduled-1" });
  expect(taken).toMatchObject({ success: false, error: { code: "invalid_input" } });
  await desk.call("x_post_tweet", { text: "Mine", idempotency_key: "scheduled-1" });
  const texts = await scheduled("tip");
  desk.sandbox.clock.advance(HOUR);
  await pass();
  const { data } = await desk.call("list_pending_approvals");
  expect(data).toMatchObject({ items: [{ params: { text: "Mine" } }, { params: { text: texts[0] } }] });
});

test("a draft shows as published what the person made of it", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  await desk.call("compose_tweet", { topic: "rye", format: "tip" });
  await desk.call("publish_draft", { id: 1 });
  const { approvals, db } = desk.services;
  const found = await findItem(db.store.db, db.account, 1);
  if (!found.ok) throw new Error(found.failure.message);
  const { digest, tool, args: before, estimatedUsd } = found.value;
  const args = { ...before, text: "In the person's own words" };
  const edited = await editItem(db.store, approvals.key, {
    account: db.account,
    id: 1,
    digest,
    args,
    media: [],
    claim: identityOf(db.account, tool, args).claim,
    estimatedMicros: microsOf(estimatedUsd),
    editor: "terminal",
    now: desk.sandbox.clock.now(),
  });
  if (!edited.ok) throw new Error(edited.failure.message);
  await releaseItem(approvals, 1, { digest: edited.value.digest, by: "terminal" });
  expect(await desk.call("get_draft", { id: 1 })).toMatchObject({
    data: { status: "published", texts: ["In the person's own words"] },
  });
  expect(posted()).toEqual(["In the person's own words"]);
});
