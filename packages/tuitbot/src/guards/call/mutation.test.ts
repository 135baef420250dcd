import { EFFECTS, type JsonObject, type Tool } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { fullCatalog, withCallOptions } from "../../server/catalog.ts";
import { postOptions } from "../../x/post-options.ts";
import { mutationOf, rollbackOf } from "./mutation.ts";

function of(name: string, input: JsonObject = {}) {
  const tool = fullCatalog.get(name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  const [effect = "none"] = tool.effects;
  const parsed = tool.parse(input);
  return mutationOf({ tool, effect, input, plan: parsed.ok ? parsed.value.plan : () => undefined });
}

function rollback(name: string, input: JsonObject, result: JsonObject) {
  return rollbackOf(fullCatalog.get(name) ?? expect.fail(name), input, result);
}

function argsOf(tool: Tool, args: Readonly<Record<string, string>>): JsonObject {
  const { properties = {} } = tool.inputSchema("flat");
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in (properties as object)));
}

test("a thread of one post falls under the rules about posts, one of several does not", () => {
  expect(of("x_post_thread", { tweets: ["One"] })?.policy.tools).toEqual(["x_post_thread", "x_post_tweet"]);
  expect(of("x_post_thread", { tweets: ["One", "Two"] })?.policy.tools).toEqual(["x_post_thread"]);
  expect(of("x_post_tweet", { text: "One" })?.policy.tools).toEqual(["x_post_tweet"]);
});

test("a raw request is known by what it does, and one that X does not list is said to be that", () => {
  const subtitles = { path: "/2/media/subtitles", body: "{}" };
  expect(of("x_post", subtitles)?.policy.categories).toEqual(["universal_request", "write"]);
  expect(of("x_delete", { path: subtitles.path })?.policy.categories).toEqual([
    "universal_request",
    "delete",
  ]);
  expect(of("x_post", { path: "/2/media/metadata" })?.policy.categories).toEqual([
    "universal_request",
    "write",
  ]);
  for (const path of ["/1.1/statuses/destroy/1.json", "/1.1/favorites/create.json", "/2/Tweets"])
    expect(of("x_post", { path, body: "{}" })?.policy.isUnlisted, path).toBe(true);
  expect(of("x_post", { path: "/2/tweets", body: "{}" })?.policy.isUnlisted).toBe(false);
  expect(of("x_post_tweet", { text: "One" })?.policy.isUnlisted).toBe(false);
});

test("every tool that changes something at X has a place in the policy, and says how it repeats", () => {
  const changing = fullCatalog.tools.filter(
    (tool) => tool.effects.some((effect) => EFFECTS[effect].mutates) && !tool.facts.isLocal,
  );
  const table = changing.map(({ name }) => {
    const mutation = of(name, { path: "/2/unknown" });
    return `${name}: ${mutation?.policy.categories.join("+")}, ${mutation?.repeat}`;
  });
  expect(table).toMatchInlineSnapshot(`
    [
      "x_ads_campaign_create: ads, day",
      "x_ads_campaign_delete: ads, free",
      "x_ads_campaign_update: ads, free",
      "x_ads_line_item_create: ads, day",
      "x_ads_promoted_tweet_create: ads, day",
      "x_ads_targeting_create: ads, day",
      "x_ads_targeting_delete: ads, free",
      "x_bookmark_tweet: engage, until_undone",
      "x_delete: universal_request+delete, free",
      "x_delete_tweet: delete, free",
      "x_follow_user: engage, until_undone",
      "x_like_tweet: engage, until_undone",
      "x_post: universal_request+write, day",
      "x_post_thread: thread, day",
      "x_post_tweet: write, day",
      "x_put: universal_request+write, free",
      "x_quote_tweet: write, day",
      "x_reply_to_tweet: write, day",
      "x_retweet: engage, until_undone",
      "x_unbookmark_tweet: engage, free",
      "x_unfollow_user: engage, free",
      "x_unlike_tweet: engage, free",
      "x_unretweet: engage, free",
      "x_upload_media: media, free",
      "x_v2_articles_draft: write, day",
      "x_v2_compliance_job_create: enterprise_admin, moments",
      "x_v2_dm_create_group: direct_message, moments",
      "x_v2_dm_send_in_conversation: direct_message, moments",
      "x_v2_dm_send_to_participant: direct_message, moments",
      "x_v2_lists_create: list, day",
      "x_v2_lists_delete: delete, free",
      "x_v2_lists_follow: list, until_undone",
      "x_v2_lists_members_add: list, until_undone",
      "x_v2_lists_members_remove: list, free",
      "x_v2_lists_pin: list, until_undone",
      "x_v2_lists_unfollow: list, free",
      "x_v2_lists_update: list, free",
      "x_v2_mutes_create: moderation, until_undone",
      "x_v2_mutes_delete: moderation, free",
      "x_v2_stream_rules_add: enterprise_admin, moments",
      "x_v2_stream_rules_delete: enterprise_admin, free",
      "x_v2_tweets_hide_reply: moderation, until_undone",
      "x_v2_tweets_unhide_reply: moderation, free",
    ]
  `);
});

test("reads and dry runs do not count as mutations", () => {
  expect(of("x_search_tweets", { query: "a" })).toBeUndefined();
  expect(of("x_upload_media", { file_path: "a", dry_run: true })).toBeUndefined();
});

describe("a request in X's own terms", () => {
  test("is the equivalent tool, and rules about that tool apply", () => {
    const body = JSON.stringify({ text: "Hi", reply: { in_reply_to_tweet_id: "12" } });
    expect(of("x_post", { path: "/2/tweets", body })).toMatchObject({
      repeat: "day",
      policy: {
        tools: ["x_post", "x_reply_to_tweet"],
        categories: ["universal_request", "write"],
        engagement: "reply",
        texts: ["Hi"],
      },
      replyTo: "12",
      requests: [{ operation: "createPosts", micros: 15_000 }],
    });
    expect(of("x_delete", { path: "/2/tweets/12" })?.policy).toMatchObject({
      tools: ["x_delete", "x_delete_tweet"],
      categories: ["universal_request", "delete"],
    });
    expect(of("x_post", { path: "/2/users/1/likes", body: '{"tweet_id":"2"}' })).toMatchObject({
      repeat: "until_undone",
      policy: { tools: ["x_post", "x_like_tweet"], engagement: "like" },
    });
    expect(of("x_post", { path: "/2/dm_conversations/with/1/messages", body: "{}" })?.repeat).toBe("moments");
    expect(
      of("x_post", { path: "/12/accounts/1/campaigns", host: "ads-api.x.com" })?.policy.categories,
    ).toEqual(["universal_request", "ads"]);
    expect(of("x_delete", { path: "/2/something/new" })?.policy.categories).toContain("delete");
  });
});

test("posts are priced by their text", () => {
  const micros = (name: string, input: JsonObject) =>
    of(name, input)?.requests.map((request) => request.micros);
  expect(micros("x_post_tweet", { text: "Hello" })).toEqual([15_000]);
  expect(micros("x_post_tweet", { text: "See example.com" })).toEqual([200_000]);
  expect(micros("x_post_thread", { tweets: ["a", "b example.com", "c"] })).toEqual([15_000, 200_000, 15_000]);
});

test("somebody is mentioned only where they are called", () => {
  expect(of("x_post_tweet", { text: "Hi @Somebody" })?.mentioned).toEqual(["somebody"]);
  expect(of("x_post_tweet", { text: "mail@example" })?.mentioned).toEqual([]);
  expect(of("x_reply_to_tweet", { text: "Hi @somebody", in_reply_to_id: "1" })?.mentioned).toEqual([
    "somebody",
  ]);
});

describe("undoing", () => {
  test("names a tool that takes the arguments", () => {
    const ids = { tweet_id: "1", target_user_id: "2", user_id: "3", list_id: "4", id: "5", account_id: "a" };
    for (const tool of fullCatalog.tools) {
      const result = { ...ids, data: { id: "b" }, thread_tweet_ids: ["1"], rules: [{ id: "6" }] };
      const { undo_tool, params = {} } = rollbackOf(tool, argsOf(tool, ids), result);
      if (undo_tool === undefined || tool.name === "x_post_thread") continue;
      expect([tool.name, fullCatalog.get(undo_tool)?.parse(params).ok]).toEqual([tool.name, true]);
    }
  });

  test("says with what", () => {
    expect(rollback("x_post_tweet", { text: "a" }, { id: "7" })).toMatchObject({
      undo_tool: "x_delete_tweet",
      params: { tweet_id: "7" },
    });
    expect(rollback("x_post_thread", {}, { thread_tweet_ids: ["1", "2"] })).toMatchObject({
      calls: [{ tweet_id: "2" }, { tweet_id: "1" }],
    });
    expect(rollback("x_unlike_tweet", { tweet_id: "7" }, {})).toEqual({
      reversible: true,
      undo_tool: "x_like_tweet",
      params: { tweet_id: "7" },
    });
    expect(rollback("x_delete_tweet", { tweet_id: "7" }, {}).reversible).toBe(false);
    expect(rollback("x_v2_lists_update", {}, {}).reversible).toBe(false);
  });
});

describe("call options", () => {
  const tool = withCallOptions(fullCatalog.get("x_post_tweet") ?? expect.fail());

  test("are offered, taken, and kept from the tool", () => {
    const { properties } = tool.inputSchema("flat");
    expect(Object.keys(properties as object)).toEqual([
      "text",
      "media_ids",
      ...Object.keys(postOptions),
      "edits_tweet_id",
      "idempotency_key",
      "accept_url_price",
      "note",
    ]);
    const parsed = tool.parse({ text: "a", idempotency_key: "k" });
    expect(parsed).toMatchObject({ ok: true, value: { input: { text: "a", idempotency_key: "k" } } });
  });

  test("are checked, and nothing else is let through", () => {
    expect(tool.parse({ text: "a", idempotency_key: "" }).ok).toBe(false);
    expect(tool.parse({ text: "a", accept_url_price: "yes" }).ok).toBe(false);
    expect(tool.parse({ text: "a", something: 1 }).ok).toBe(false);
  });

  test("are not for reads", () => {
    const read = fullCatalog.get("x_search_tweets") ?? expect.fail();
    expect(withCallOptions(read)).toBe(read);
  });
});
