import { describe, expect, test } from "vitest";
import { app, as, type Caller, owner } from "./caller.ts";

const hour = 3_600_000;

async function costOf(caller: Caller, act: () => Promise<unknown>): Promise<number> {
  const before = caller.sandbox.ledger.balanceUsd;
  await act();
  return Number((before - caller.sandbox.ledger.balanceUsd).toFixed(6));
}

describe("the cost of a write", () => {
  test.each([
    ["a post", { text: "Plain" }, 0.015],
    ["a post with a link", { text: "Read https://example.com" }, 0.2],
    ["a post that names a file with a country's ending", { text: "Read README.md" }, 0.2],
  ])("%s", async (_name, body, usd) => {
    const me = owner();
    expect(await costOf(me, () => me.post("/2/tweets", body))).toBe(usd);
  });

  test("a reply to somebody who mentioned the caller is cheaper", async () => {
    const me = owner();
    const call = me.sandbox.say("sandbox_friend", "@sandbox_owner?");
    const reply = { text: "Yes", reply: { in_reply_to_tweet_id: call.id } };
    expect(await costOf(me, () => me.post("/2/tweets", reply))).toBe(0.01);
  });

  test("rejected requests are free", async () => {
    const me = owner();
    await me.post("/2/tweets", { text: "Once" });
    expect(await costOf(me, () => me.post("/2/tweets", { text: "Once" }))).toBe(0);
  });
});

describe("the cost of a read", () => {
  test("each returned and each included resource", async () => {
    const me = owner();
    const path =
      "/2/tweets/search/recent?query=from:sandbox_owner%20-is:retweet&max_results=10&expansions=author_id";
    const heard = await me.get(path);
    expect(heard.ids).toHaveLength(10);
    expect(me.sandbox.ledger.entries).toMatchObject([
      {
        operation: "searchPostsRecent",
        usd: 0.06,
        lines: [
          { priceClass: "posts_read", count: 10, billed: 10, usdEach: 0.005 },
          { priceClass: "user_read", count: 1, billed: 1, usdEach: 0.01 },
        ],
      },
    ]);
  });

  test("a second read of a resource on the same UTC day is free", async () => {
    const me = owner();
    const id = me.sandbox.person("sandbox_friend").id;
    const read = () => app(me.sandbox).get(`/2/users/${id}`);
    expect(await costOf(me, read)).toBe(0.01);
    expect(await costOf(me, read)).toBe(0);
    me.sandbox.clock.advance(12 * hour - 1);
    expect(await costOf(me, read)).toBe(0);
    me.sandbox.clock.advance(1);
    expect(await costOf(me, read)).toBe(0.01);
  });

  test("own resources are cheaper for the app's owner only", async () => {
    const me = owner();
    const { sandbox } = me;
    const [mine, friends] = [sandbox.person("sandbox_owner").id, sandbox.person("sandbox_friend").id];
    const posts = (caller: Caller, id: string) => () =>
      caller.get(`/2/users/${id}/tweets?max_results=5&exclude=retweets`);
    expect(await costOf(me, posts(me, mine))).toBe(0.005);
    expect(await costOf(me, posts(me, friends))).toBe(0.025);
    sandbox.reset();
    expect(await costOf(me, posts(app(sandbox), mine))).toBe(0.025);
    sandbox.reset();
    expect(await costOf(me, posts(as(sandbox, "sandbox_friend"), friends))).toBe(0.025);
  });
});

describe("without credits", () => {
  test("reads get one error, with an account id too large for JavaScript", async () => {
    const me = owner({ creditsUsd: 0 });
    const heard = await me.get("/2/users/me");
    const id = me.sandbox.person("sandbox_owner").id;
    expect(heard.status).toBe(402);
    expect(heard.text).toBe(
      `{"account_id":${id},"title":"CreditsDepleted","detail":"Your enrolled account [${id}] does not have any credits to fulfill this request.","type":"https://api.twitter.com/2/problems/credits"}`,
    );
  });

  test("writes get the other", async () => {
    const me = owner({ creditsUsd: 0 });
    const posts = me.sandbox.world.postsBy.of(me.sandbox.person("sandbox_owner").id);
    const newest = posts.newest();
    const heard = await me.post("/2/tweets", { text: "x" });
    expect(heard.status).toBe(402);
    expect(heard.body).toEqual({
      detail: "credits depleted",
      status: 402,
      title: "Payment Required",
      type: "https://api.x.com/2/problems/credits-depleted",
    });
    expect(posts.newest()).toBe(newest);
  });

  test("the last request may overdraw, and reading the balance is free", async () => {
    const me = owner({ creditsUsd: 0.01 });
    expect((await me.post("/2/tweets", { text: "https://example.com" })).status).toBe(201);
    expect((await me.post("/2/tweets", { text: "Another" })).status).toBe(402);
    expect((await me.get("/2/usage/credits")).body).toEqual({
      data: { free_balance: 0, free_grants: [], prepaid_balance: -0.19, total_balance: 0 },
    });
  });

  test("usage counts the posts that were read", async () => {
    const me = owner();
    await me.get("/2/tweets/search/recent?query=about&max_results=10");
    const heard = await app(me.sandbox).get(
      "/2/usage/tweets?days=2&usage.fields=daily_project_usage,cap_reset_day",
    );
    expect(heard.at("data")).toMatchObject({
      project_usage: "10",
      project_cap: "3000000",
      cap_reset_day: 1,
      daily_project_usage: {
        usage: [
          { date: "2026-08-31T00:00:00.000Z", usage: "0" },
          { date: "2026-09-01T00:00:00.000Z", usage: "10" },
        ],
      },
    });
  });
});
