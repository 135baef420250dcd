import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { approvalsFor } from "../../src/app/approvals.ts";
import { resumeAll } from "../../src/guards/stop/stop.ts";
import { type Desk, openDesk } from "./desk.ts";
import { postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

async function approve(id: number): Promise<void> {
  const owner = approvalsFor(desk.services, {
    by: "person via cli",
    mayDecide: async () => true,
    signal: new AbortController().signal,
  });
  const found = await owner.find(id);
  const approved = found.ok ? await owner.approve(found.value) : found;
  if (!approved.ok) throw new Error(approved.failure.message);
}

interface Undone {
  readonly undoes: { readonly tool_name: string };
  readonly results: readonly { readonly status: string; readonly approval_queue_id?: number }[];
}

describe("undo_last", () => {
  test("asks before it deletes a thread, announces the decisions, and undoes it once", async () => {
    desk = await openDesk();
    const before = postsOf(desk).length;
    await desk.call("x_post_tweet", { text: "Stays." });
    desk.sandbox.clock.advance(60_000);
    await desk.call("x_post_thread", { tweets: ["Goes, one.", "Goes, two."] });
    desk.sandbox.clock.advance(60_000);
    const { data } = await desk.call("undo_last", { note: "Wrong week." });
    const { undoes, results } = data as Undone;
    expect(undoes.tool_name).toBe("x_post_thread");
    expect(results.map(({ status }) => status)).toEqual(["queued", "queued"]);
    expect(postsOf(desk)).toHaveLength(before + 3);
    for (const { approval_queue_id } of results) await approve(approval_queue_id ?? 0);
    expect(postsOf(desk)).toHaveLength(before + 1);
    const { meta } = await desk.call("get_pending_count");
    expect(meta?.decisions).toMatchObject([{ status: "executed" }, { status: "executed" }]);
    const next = await desk.call("undo_last");
    expect((next.data as Undone).undoes).toMatchObject({ params: { text: "Stays." } });
  });

  test("undoes at once what needs no approval, the named change, and says when there is none", async () => {
    desk = await openDesk();
    const post = desk.sandbox.say(cast.friend, "Bread with seeds.");
    const { meta } = await desk.call("x_bookmark_tweet", { tweet_id: post.id });
    await desk.call("x_post_tweet", { text: "Newer." });
    const { data } = await desk.call("undo_last", { correlation_id: String(meta?.correlation_id) });
    expect(data).toMatchObject({
      undoes: { tool_name: "x_bookmark_tweet" },
      results: [{ status: "executed" }],
    });
    const gone = await desk.call("undo_last", { correlation_id: String(meta?.correlation_id) });
    expect(gone.error).toMatchObject({ code: "not_found" });
  });
});

test("stop_everything stops every change, tells so everywhere, and only a person resumes", async () => {
  desk = await openDesk();
  const { data } = await desk.call("stop_everything", { reason: "The price is\n\u202ewrong." });
  expect(data).toMatchObject({ stop: { by: "agent via stdio, agent", reason: "The price is wrong." } });
  const { error } = await desk.call("x_post_tweet", { text: "Not now." });
  expect(error).toMatchObject({
    code: "policy_denied_user_rule",
    reason: "stopped_by_person",
    fix_by: "human",
  });
  expect(error?.message).toContain("agent via stdio");
  expect((await desk.call("get_capabilities")).data).toMatchObject({ can_post_tweets: false });
  // A second stop does not replace the first.
  const again = await desk.call("stop_everything", { reason: "Again." });
  expect(again.data).toMatchObject({ stop: { reason: "The price is wrong." } });
  const { store, account } = desk.services.db;
  expect(await resumeAll(store.db, account)).toBe(true);
  expect((await desk.call("x_post_tweet", { text: "Now." })).success).toBe(true);
});

describe("x_post_tweet", () => {
  const last = () => postsOf(desk).at(-1);

  test("publishes a poll, says who may reply, and labels the post", async () => {
    desk = await openDesk();
    const { data } = await desk.call("x_post_tweet", {
      text: "Rye or spelt?",
      poll_options: ["Rye", "Spelt"],
      poll_minutes: 60,
      reply_settings: "mentionedUsers",
      made_with_ai: true,
      paid_partnership: true,
      community_id: "1234",
    });
    const post = desk.sandbox.world.posts.get(Object(data).id);
    expect(post).toMatchObject({
      poll: { options: [{ label: "Rye" }, { label: "Spelt" }], minutes: 60 },
      replySettings: "mentionedUsers",
      madeWithAi: true,
      paidPartnership: true,
      communityId: "1234",
    });
    const { error } = await desk.call("x_post_tweet", {
      text: "Both?",
      media_ids: ["1"],
      poll_options: ["a", "b"],
    });
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("poll or media") });
  });

  test("labels each post of a thread and lets its first say who may reply", async () => {
    desk = await openDesk();
    const { data } = await desk.call("x_post_thread", {
      tweets: ["One of two.", "Two of two."],
      reply_settings: "following",
      made_with_ai: true,
    });
    const ids: string[] = Object(data).thread_tweet_ids;
    const posts = ids.map((id) => desk.sandbox.world.posts.get(id));
    expect(posts).toMatchObject([
      { replySettings: "following", madeWithAi: true },
      { replySettings: "everyone", madeWithAi: true },
    ]);
  });

  test("edits a post and publishes a long one with X Premium only", async () => {
    desk = await openDesk();
    const { data } = await desk.call("x_post_tweet", { text: "With a tpyo." });
    const args = { text: "With a typo.", edits_tweet_id: String(Object(data).id) };
    expect((await desk.call("x_post_tweet", args)).error).toMatchObject({
      code: "x_forbidden",
      reason: "unavailable_on_plan",
      details: { needs: "premium" },
    });
    expect((await desk.call("x_post_tweet", { text: "long ".repeat(100) })).error).toMatchObject({
      code: "tweet_too_long",
    });
    await desk.close();

    desk = await openDesk({ isPremium: true });
    const first = await desk.call("x_post_tweet", { text: "With a tpyo." });
    const edited = await desk.call("x_post_tweet", {
      ...args,
      edits_tweet_id: String(Object(first.data).id),
    });
    expect(edited).toMatchObject({ success: true, meta: { rollback: { reversible: false } } });
    expect(last()).toMatchObject({
      text: "With a typo.",
      versions: [Object(first.data).id, Object(edited.data).id],
    });
    expect((await desk.call("x_post_tweet", { text: "long ".repeat(100) })).success).toBe(true);
  });
});
