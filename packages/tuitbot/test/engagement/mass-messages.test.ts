import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { queuedItem } from "../live-server.ts";
import { type Desk, openDesk, person } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

describe("posts that call people", () => {
  const thanks = (name: string) => ({ text: `@${name} thank you very much for the like!` });

  test("are refused in nearly the words of one that waits, and queued in other words", async () => {
    desk = await openDesk({ config: { approval_mode: true } });
    const first = await desk.call("x_post_tweet", thanks(cast.friend));
    expect(first.data).toMatchObject({ status: "queued", matched_rule_id: "hard:x_unsolicited_mention" });
    const second = await desk.call("x_post_tweet", thanks(cast.stranger));
    expect(second.error).toMatchObject({
      code: "policy_denied_user_rule",
      details: { matched_rule_id: "safety:similar_mention" },
      fix_by: "agent",
    });
    expect(second.error?.suggested_fix).toContain("X forbids the same message to many people");
    const other = { text: `@${cast.stranger} your rye recipe worked, the crust was perfect.` };
    expect((await desk.call("x_post_tweet", other)).data).toMatchObject({ status: "queued" });
    // The same call finds its own item.
    expect((await desk.call("x_post_tweet", thanks(cast.friend))).data).toMatchObject({
      approval_queue_id: Object(first.data).approval_queue_id,
    });
  });

  test("are refused in nearly the words of one that is published, unless a person writes them", async () => {
    desk = await openDesk({ config: { approval_mode: false } });
    expect((await desk.call("x_post_tweet", thanks(cast.friend), person)).success).toBe(true);
    const again = await desk.call("x_post_tweet", thanks(cast.stranger));
    expect(again.error).toMatchObject({ details: { matched_rule_id: "safety:similar_mention" } });
    expect((await desk.call("x_post_tweet", thanks(cast.stranger), person)).success).toBe(true);
  });
});

test("an agent cannot queue more posts than go out in two days", async () => {
  desk = await openDesk({ config: { approval_mode: true, limits: { max_tweets_per_day: 2 } } });
  const texts = ["Rye.", "Spelt.", "Oats.", "Barley.", "Millet."];
  const answers = [];
  for (const text of texts) answers.push(await desk.call("x_post_tweet", { text }));
  expect(answers.map(({ success }) => success)).toEqual([true, true, true, true, false]);
  expect(answers.at(-1)?.error).toMatchObject({
    code: "policy_denied_user_rule",
    fix_by: "human",
    details: { matched_rule_id: "safety:queue_full", waiting: 4, max_per_day: 2 },
  });
  expect((await desk.call("x_post_tweet", { text: "Rye." })).data).toMatchObject({ status: "queued" });
});

test("approval mode does not ask about bookmarks and mutes, which only the account sees", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  const { id, authorId } = desk.sandbox.say(cast.friend, "Worth keeping.");
  for (const [tool, args] of [
    ["x_bookmark_tweet", { tweet_id: id }],
    ["x_unbookmark_tweet", { tweet_id: id }],
    ["x_v2_mutes_create", { target_user_id: authorId }],
    ["x_v2_mutes_delete", { target_user_id: authorId }],
  ] as const)
    expect(queuedItem(await desk.call(tool, { ...args })), tool).toBeUndefined();
  expect((await desk.call("x_retweet", { tweet_id: id })).data).toMatchObject({ status: "queued" });
});

test("posts are read between two times, and without replies and reposts", async () => {
  desk = await openDesk();
  const { sandbox } = desk;
  const at = () => new Date(sandbox.clock.now()).toISOString();
  const root = sandbox.say(cast.friend, "Sourdough before.");
  sandbox.clock.advance(60_000);
  const start_time = at();
  sandbox.clock.advance(60_000);
  const within = sandbox.say(cast.friend, `Sourdough within, @${cast.owner}.`);
  const reply = sandbox.say(cast.friend, "A reply to myself.", { inReplyTo: root.id });
  sandbox.clock.advance(60_000);
  const end_time = at();
  sandbox.clock.advance(60_000);
  sandbox.say(cast.friend, `Sourdough after, @${cast.owner}.`);
  sandbox.clock.advance(60_000);
  const ids = async (tool: string, args: object) => {
    const { data, error } = await desk.call(tool, { start_time, end_time, ...args });
    if (error !== undefined) throw new Error(error.message);
    return (Object(data).tweets ?? Object(data).posts ?? Object(data).items).map(
      (post: { id: string }) => post.id,
    );
  };
  expect(await ids("x_search_tweets", { query: "sourdough" })).toEqual([within.id]);
  expect(await ids("x_get_user_mentions", {})).toEqual([within.id]);
  const user_id = sandbox.person(cast.friend).id;
  expect(await ids("x_get_user_tweets", { user_id })).toEqual([reply.id, within.id]);
  expect(await ids("x_get_user_tweets", { user_id, exclude: ["replies"] })).toEqual([within.id]);
});
