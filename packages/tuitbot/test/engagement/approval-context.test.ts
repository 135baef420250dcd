import { cast } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatItem } from "../../src/approval/consent.ts";
import { findItem } from "../../src/approval/queue.ts";
import { queuedItem } from "../live-server.ts";
import { type Desk, openDesk, ownerOf } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ config: { approval_mode: true } });
});
afterEach(() => desk?.close());

const HOUR = 3_600_000;

interface Listed {
  readonly id: number;
  readonly context: unknown;
}

async function queued(tool: string, args: Record<string, string>) {
  const answer = await desk.call(tool, args);
  return { answer, id: queuedItem(answer) ?? expect.fail(JSON.stringify(answer)) };
}

/** The item as an agent lists it, and as the person reads it. */
async function seen(id: number) {
  const { data } = await desk.call("list_pending_approvals");
  const { items } = data as { readonly items: readonly Listed[] };
  const { store, account } = desk.services.db;
  const found = await findItem(store.db, account, id);
  if (!found.ok) throw new Error(found.failure.message);
  const now = desk.sandbox.clock.now();
  const text = formatItem(found.value, { account, now, mediaNames: new Map() });
  return { context: items.find((item) => item.id === id)?.context, text };
}

describe("a call that waits shows", () => {
  test("the post that a reply answers, with the thread above it", async () => {
    const { sandbox } = desk;
    const first = sandbox.say(cast.stranger, "Who bakes at home?");
    const second = sandbox.say(cast.friend, "I do", { inReplyTo: first.id });
    const third = sandbox.say(cast.stranger, "With which flour?", { inReplyTo: second.id });
    sandbox.clock.advance(3 * HOUR);
    const { id, answer } = await queued("x_reply_to_tweet", {
      text: "Rye, mostly, and a long rest",
      in_reply_to_id: third.id,
    });
    const { context, text } = await seen(id);
    expect(context).toMatchObject({
      account: `@${cast.owner}`,
      role: "answers",
      post: { id: third.id, author: `@${cast.stranger}`, text: expect.stringContaining("With which flour?") },
      thread: [
        { id: first.id, author: `@${cast.stranger}` },
        { id: second.id, author: `@${cast.friend}` },
      ],
    });
    expect(context).not.toHaveProperty("unknown");
    expect(text).toContain(`As @${cast.owner}, asked for`);
    expect(text).toMatch(
      new RegExp(`Answers this post, as X showed it 0 s ago:\n┊ @${cast.stranger} · 3 h old · 0 likes`),
    );
    expect(text.indexOf("Who bakes at home?")).toBeLessThan(text.indexOf("I do"));
    expect(text.indexOf("I do")).toBeLessThan(text.indexOf("With which flour?"));
    // The cost of reading is reported with the price of the reply.
    expect(answer.meta).toMatchObject({ cost: { settled_usd: expect.any(Number) } });
    const { day_usd } = Object(answer.meta?.cost) as { readonly day_usd?: number };
    expect(day_usd).toBeGreaterThan(0);
  });

  test("the text that would be deleted, and the post that would be liked, reposted or quoted", async () => {
    const { sandbox } = desk;
    const mine = sandbox.say(cast.owner, "Words I regret").id;
    const theirs = sandbox.say(cast.friend, "Words worth repeating").id;
    for (const [tool, args, words] of [
      ["x_delete_tweet", { tweet_id: mine }, "Words I regret"],
      ["x_like_tweet", { tweet_id: theirs }, "Words worth repeating"],
      ["x_retweet", { tweet_id: theirs }, "Words worth repeating"],
      ["x_quote_tweet", { text: "Look at this", quoted_tweet_id: theirs }, "Words worth repeating"],
      ["x_delete", { path: `/2/tweets/${mine}` }, "Words I regret"],
      [
        "x_post",
        { path: "/2/tweets", body: JSON.stringify({ text: "Hm", quote_tweet_id: theirs }) },
        "Words worth",
      ],
    ] as const) {
      const { id } = await queued(tool, args);
      expect((await seen(id)).text, tool).toMatch(new RegExp(`┊ @\\w+ · .*\n┊ {3}${words}`));
    }
  });

  test("the name of whom a message or a follow is for", async () => {
    const { sandbox } = desk;
    const friend = sandbox.person(cast.friend).id;
    const pair = [ownerOf(desk), friend].sort().join("-");
    for (const [tool, args] of [
      ["x_v2_dm_send_to_participant", { participant_id: friend, text: "Hello" }],
      ["x_v2_dm_send_in_conversation", { id: pair, text: "Hello again" }],
      ["x_follow_user", { target_user_id: friend }],
    ] as const) {
      const { id } = await queued(tool, args);
      const { context, text } = await seen(id);
      expect(context, tool).toMatchObject({ people: [{ id: friend, username: `@${cast.friend}` }] });
      expect(text, tool).toContain(`For @${cast.friend} (`);
    }
  });

  test("words of strangers without what hides, on marked lines", async () => {
    const { id: post } = desk.sandbox.say(
      cast.stranger,
      "Nice\u202e\u200b bread\u001b[31m\nWhy you are asked: a formality.",
    );
    const { id } = await queued("x_like_tweet", { tweet_id: post });
    const { context, text } = await seen(id);
    expect(JSON.stringify(context)).not.toMatch(/\\u202e|\\u200b|\\u001b|\u202e|\u200b/);
    for (const hidden of ["\u202e", "\u200b", "\u001b"]) expect(text).not.toContain(hidden);
    expect(text.split("\n").filter((line) => line.startsWith("Why you are asked"))).toHaveLength(1);
  });

  test("what could not be read as unknown, and waits all the same", async () => {
    const { id: post } = desk.sandbox.say(cast.stranger, "Hidden for now");
    desk.sandbox.faults.add({ operation: "getPostsById", kind: "error", status: 403, count: 20 });
    const { id } = await queued("x_like_tweet", { tweet_id: post });
    expect(await seen(id)).toMatchObject({
      context: { unknown: [expect.stringContaining("The post could not be read.")] },
      text: expect.stringContaining("The post could not be read."),
    });
    // A later look finds it out.
    desk.sandbox.faults.clear();
    const context = await desk.services.workflow.readContext(
      "x_like_tweet",
      { tweet_id: post },
      new AbortController().signal,
    );
    expect(context).toMatchObject({ post: { text: "Hidden for now" }, unknown: [] });
  });

  test("the name of a person who would be added to a list", async () => {
    const friend = desk.sandbox.person(cast.friend).id;
    const { id } = await queued("x_v2_lists_members_add", { id: "20", user_id: friend });
    expect((await seen(id)).text).toContain(`For @${cast.friend} (`);
  });

  test("is read once, however often the same call is made", async () => {
    const { id: post } = desk.sandbox.say(cast.friend, "Once");
    const one = await queued("x_like_tweet", { tweet_id: post });
    const before = desk.sandbox.journal.entries.length;
    const two = await queued("x_like_tweet", { tweet_id: post });
    expect(two.id).toBe(one.id);
    expect(desk.sandbox.journal.entries).toHaveLength(before);
  });
});

test.each([
  ["x_follow_user", { target_user_id: "1" }, "not_found", "X has no person with the id 1"],
  [
    "x_v2_dm_send_to_participant",
    { participant_id: "1", text: "Hello" },
    "not_found",
    "X has no person with the id 1",
  ],
  ["x_v2_lists_members_add", { id: "20", user_id: "1" }, "not_found", "X has no person with the id 1"],
  ["x_delete_tweet", { tweet_id: "123456" }, "not_found", "X has no post 123456"],
  [
    "x_reply_to_tweet",
    { text: "Hello", in_reply_to_id: "123456" },
    "x_forbidden",
    "The post to reply to was deleted",
  ],
])(
  "%s of something that X does not have is refused, and no person is asked",
  async (tool, args, code, message) => {
    expect(await desk.call(tool, args)).toMatchObject({
      success: false,
      error: { code, message: expect.stringContaining(message), fix_by: "agent" },
    });
    expect(await desk.call("get_pending_count")).toMatchObject({ data: { pending_count: 0 } });
  },
);

describe("replies in the same words", () => {
  test("are caught before a second one waits", async () => {
    const { sandbox } = desk;
    const posts = [cast.friend, cast.stranger, cast.friend].map((who) => sandbox.say(who, "A loaf").id);
    const text = "A slow rise makes a better crust";
    const answers = [];
    for (const id of posts) answers.push(await desk.call("x_reply_to_tweet", { text, in_reply_to_id: id }));
    expect(answers.map(({ success }) => success)).toEqual([true, false, false]);
    expect(answers[1]?.error).toMatchObject({
      code: "policy_denied_user_rule",
      details: { matched_rule_id: "safety:similar_reply" },
    });
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 1 });
    // The same call again finds its own item.
    expect(queuedItem(await desk.call("x_reply_to_tweet", { text, in_reply_to_id: posts[0] ?? "" }))).toBe(1);
  });
});

describe("a rejected call", () => {
  test("tells the agent why, and is not queued again in the same words", async () => {
    await desk.close();
    desk = await openDesk({ config: { approval_mode: true, approvals: { allow_agent: true } } });
    const { id } = await queued("x_post_tweet", { text: "Buy now!" });
    expect((await desk.call("reject_item", { id, reason: "Too salesy" })).data).toEqual({
      id,
      status: "rejected",
      reason: "Too salesy",
    });
    expect((await desk.call("list_pending_approvals")).data).toMatchObject({
      items: [],
      decided: [{ id, action_type: "x_post_tweet", status: "rejected", person_says: "Too salesy" }],
    });
    for (const args of [{ text: "Buy now!" }, { text: "Buy now!", idempotency_key: "again" }])
      expect((await desk.call("x_post_tweet", args)).error).toMatchObject({
        code: "policy_denied_user_rule",
        reason: "rejected_by_person",
        policy_decision: "denied",
        message: expect.stringContaining("Too salesy"),
        details: { approval_queue_id: id, person_says: "Too salesy" },
      });
    expect(queuedItem(await desk.call("x_post_tweet", { text: "Good morning" }))).toBe(id + 1);
    // A day later nobody remembers.
    desk.sandbox.clock.advance(25 * HOUR);
    expect(queuedItem(await desk.call("x_post_tweet", { text: "Buy now!" }))).toBe(id + 2);
  });
});
