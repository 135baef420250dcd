import { describe, expect, it } from "vitest";
import { operations, prices } from "./operations/index.ts";
import { expansionPrices, includedPrices, priceAfter, priceBefore } from "./price.ts";

const user = { path: { id: "12" } };

describe("the estimated cost of a call", () => {
  it.each([
    ["searchUsers", { query: { query: "cats" } }, 1],
    ["getUsersFollowers", { ...user, query: { max_results: 1000 } }, 10],
    ["getUsersFollowers", { ...user, query: { max_results: "5" } }, 0.05],
    ["searchPostsRecent", { query: { query: "cats" } }, 0.05],
    ["getPostsByIds", { query: { ids: ["1", "2", "3"] } }, 0.015],
    ["getPostsByIds", { query: { ids: "1,2,3" } }, 0.015],
    ["getPostsById", { path: { id: "1" } }, 0.005],
    ["getUsersMe", {}, 0.01],
    ["createPosts", { body: { text: "hello" } }, 0.015],
    ["createPosts", { body: { text: "see README.md" } }, 0.2],
    ["createPosts", { body: { text: "hi", reply: { in_reply_to_tweet_id: "1" } } }, 0.015],
    ["deletePosts", { path: { id: "1" } }, 0.005],
    ["likePost", { ...user, body: { tweet_id: "1" } }, 0.015],
    ["unfollowUser", { path: { source_user_id: "1", target_user_id: "2" } }, 0.01],
    ["createDirectMessagesByParticipantId", { path: { participant_id: "1" }, body: { text: "hi" } }, 0.015],
    ["getPostsCountsAll", { query: { query: "cats" } }, 0.01],
  ] as const)("%s %j costs at most $%d", (id, input, usd) => {
    expect(priceBefore(id, input).usd).toBe(usd);
  });

  it("is lower for replies to authors who mentioned the account, unless there is a link", () => {
    const reply = (text: string) => ({ body: { text, reply: { in_reply_to_tweet_id: "1" } } });
    expect(priceBefore("createPosts", reply("hi"), { isSummoned: true }).usd).toBe(0.01);
    expect(priceBefore("createPosts", reply("x.com"), { isSummoned: true }).usd).toBe(0.2);
    expect(priceBefore("createPosts", { body: { text: "hi" } }, { isSummoned: true }).usd).toBe(0.015);
  });

  it("assumes the largest page if the page size is not a number", () => {
    const input = { ...user, query: { max_results: "abc" } };
    expect(priceBefore("getUsersFollowers", input)).toMatchObject({ usd: 10, resources: 1000 });
  });

  it("is not lower for the app owner's own resources when read with the app's token", () => {
    const input = { ...user, query: { max_results: 10 }, as: "app" } as const;
    expect(priceBefore("getUsersMentions", input, { appOwnerId: "12" }).unitUsd).toBe(0.005);
  });

  it("is lower for the app owner's own resources", () => {
    const input = { ...user, query: { max_results: 10 } };
    expect(priceBefore("getUsersMentions", input, { appOwnerId: "12" })).toMatchObject({
      usd: 0.01,
      unitUsd: 0.001,
    });
    expect(priceBefore("getUsersMentions", input, { appOwnerId: "13" })).toMatchObject({
      usd: 0.05,
      unitUsd: 0.005,
    });
    expect(priceBefore("getUsersTimeline", input, { appOwnerId: "12" })).toMatchObject({ unitUsd: 0.005 });
  });

  it("includes expansions", () => {
    const query = { ids: ["1", "2"], expansions: ["author_id", "attachments.media_keys"] };
    expect(priceBefore("getPostsByIds", { query }).usd).toBe(0.03);
  });

  it("is unpublished if X publishes no price", () => {
    expect(priceBefore("getUsageCredits", {})).toEqual({
      usd: 0,
      basis: "unpublished",
      priceClass: undefined,
      unitUsd: 0,
      resources: 0,
    });
  });

  it("uses only valid expansions and published classes", () => {
    const taken = new Set(
      Object.values(operations).flatMap((op) =>
        op.params.flatMap((param) => (param.name === "expansions" ? (param.items?.enum ?? []) : [])),
      ),
    );
    expect([...expansionPrices.keys()].filter((name) => !taken.has(name))).toEqual([]);
    const classes = [
      ...[...expansionPrices.values()].map((row) => row.priceClass),
      ...includedPrices.values(),
    ];
    expect(classes.filter((name) => prices.perResource[name] === undefined)).toEqual([]);
  });
});

describe("the actual cost of a call", () => {
  const answer = {
    data: [{ id: "1" }, { id: "2" }],
    includes: { users: [{ id: "9" }], media: [{ media_key: "3_1" }], tweets: [{ id: "7" }] },
  };

  it("counts delivered resources, including expanded ones", () => {
    const cost = priceAfter("getUsersPosts", user, answer);
    expect(cost.usd).toBe(0.025);
    expect(cost.billed).toEqual(["posts_read:1", "posts_read:2", "user_read:9", "posts_read:7"]);
  });

  it("excludes resources charged earlier that day", () => {
    const first = priceAfter("getUsersPosts", user, answer);
    const again = priceAfter("getUsersPosts", user, answer, {
      billedToday: (id) => first.billed.includes(id),
    });
    expect(again).toMatchObject({ usd: 0, billed: [] });
  });

  it("counts resources without id each time", () => {
    const nameless = { data: [{}, {}], includes: {} };
    expect(priceAfter("getUsersPosts", user, nameless)).toMatchObject({ usd: 0.01, billed: [] });
  });

  it("charges the owner's own posts less and their authors in full", () => {
    expect(priceAfter("getUsersPosts", user, answer, { appOwnerId: "12" }).usd).toBe(0.017);
  });

  it("is zero for nothing, and equals the estimate for writes", () => {
    expect(priceAfter("getUsersPosts", user, { data: [], includes: {} }).usd).toBe(0);
    const body = { body: { text: "hello" } };
    expect(priceAfter("createPosts", body, { data: { id: "1" }, includes: {} }).usd).toBe(
      priceBefore("createPosts", body).usd,
    );
  });
});
