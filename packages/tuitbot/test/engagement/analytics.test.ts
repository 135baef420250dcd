import { cast } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { snapshotFollowers } from "../../src/analytics/followers.ts";
import { measurePublications } from "../../src/analytics/measure.ts";
import { labelText } from "../../src/publications/labels.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { type Desk, openDesk, ownerOf } from "./desk.ts";

const DAY = 86_400_000;
const never = new AbortController().signal;

test("statistics report their basis, and the next step before anything is measured", async () => {
  const desk = await openDesk();
  const basis = async () => {
    const answers = [await desk.call("get_stats"), await desk.call("get_analytics_summary")];
    const [one, other] = answers.map(({ data }) => Object(data).based_on as string);
    expect(one).toBe(other);
    return one;
  };
  expect(await basis()).toMatch(/^No posts are recorded yet\. Call refresh_analytics/);
  await desk.call("x_post_tweet", { text: "The first one." });
  expect(await basis()).toMatch(
    /^1 posts and replies are recorded, none measured yet\. .* refresh_analytics measures/,
  );
  desk.sandbox.clock.advance(2 * DAY);
  const { data } = await desk.call("refresh_analytics");
  expect(await basis()).toMatch(/^Based on 1 of 1 recorded posts/);
  expect(data).toMatchObject({ based_on: await basis() });
  await desk.close();
});

test("the first refresh measures the newest posts of an account that was used without tuitbot", async () => {
  const desk = await openDesk({ sandbox: { size: { people: 12, posts: 600 } } });
  const { data } = await desk.call("refresh_analytics", { limit: 20 });
  const { posts, measured, based_on } = data as { posts: object[]; measured: number; based_on: string };
  expect(posts).toHaveLength(20);
  expect(measured).toBeGreaterThan(0);
  expect(based_on).toMatch(new RegExp(`^Based on ${measured} of 20 recorded posts`));
  const before = desk.sandbox.journal.of("getUsersPosts").length;
  await desk.call("refresh_analytics", { limit: 20 });
  expect(desk.sandbox.journal.of("getUsersPosts")).toHaveLength(before);
  expect((await desk.call("get_analytics_summary")).data).toMatchObject({
    engagement: { total_tweets: expect.toSatisfy((count: number) => count > 0) },
    best_times: expect.any(Array),
  });
  await desk.close();
});

/** A Tuesday at noon: two posts, a thread and two replies; a day later they are measured. */
onBothEngines("a day later", ({ place }) => {
  let desk: Desk;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    desk = await openDesk({
      config: { business: { product_keywords: ["sourdough"] } },
      store: await place(),
    });
    const { sandbox, services } = desk;
    const account = ownerOf(desk);
    await snapshotFollowers(services.db, services.x.client, sandbox.clock.now(), never);
    await labelText(services.db.store.db, account, "A tip", { topic: "crust", format: "tip" }, 1);
    ids.tip = await posted("x_post_tweet", { text: "A tip" });
    ids.sourdough = await posted("x_post_tweet", { text: "On sourdough, again" });
    await desk.call("x_post_thread", { tweets: ["Part one", "Part two"] });
    const theirs = sandbox.say(cast.friend, "Does anybody bake?");
    const other = sandbox.say(cast.stranger, "I only eat.");
    ids.liked = await posted("x_reply_to_tweet", { text: "Every night", in_reply_to_id: theirs.id });
    ids.unseen = await posted("x_reply_to_tweet", { text: "Fair enough", in_reply_to_id: other.id });
    like(ids.tip, 4, 100);
    like(ids.liked, 1, 50);
    sandbox.clock.advance(DAY);
    follow(2);

    async function posted(tool: string, args: { text: string; in_reply_to_id?: string }) {
      const answer = await desk.call(tool, args);
      return (answer.data as { id: string }).id;
    }
    function like(id: string, likes: number, impressions: number): void {
      const { world } = sandbox;
      const people = [...world.people.values()].filter(({ id: who }) => who !== account);
      for (const liker of people.slice(0, likes))
        world.likes.add(liker.id, id, world.idAt(sandbox.clock.now()));
      const post = world.posts.get(id);
      if (post !== undefined) post.impressions = impressions;
    }
    function follow(count: number): void {
      const { world } = sandbox;
      const strangers = [...world.people.values()].filter(
        ({ id }) => id !== account && !world.follows.has(id, account),
      );
      for (const { id } of strangers.slice(0, count))
        world.follows.add(id, account, world.idAt(sandbox.clock.now()));
    }
  });
  afterAll(() => desk?.close());

  test("nothing younger than a day is measured, then everything is, once", async () => {
    const { sandbox, services, config } = desk;
    const { client } = services.x;
    const now = sandbox.clock.now();
    const measuring = { ...services.db, client, config, signal: never };
    expect(await measurePublications({ ...measuring, now: now - 1 })).toEqual({
      ok: true,
      value: { measured: 0, gone: 0 },
    });
    const unseen = sandbox.world.posts.get(ids.unseen ?? "");
    if (unseen !== undefined) sandbox.world.removePost(unseen);
    expect(await measurePublications({ ...measuring, now })).toEqual({
      ok: true,
      value: { measured: 5, gone: 1 },
    });
    expect(await measurePublications({ ...measuring, now })).toEqual({
      ok: true,
      value: { measured: 0, gone: 0 },
    });
    await snapshotFollowers(services.db, client, now, never);
  });

  test("get_stats adds it up", async () => {
    const { data } = await desk.call("get_stats");
    expect(data).toMatchObject({
      net_follower_change_7d: 2,
      net_follower_change_30d: 2,
      // Three likes of weight 3 in 100 and 50 views, per thousand.
      top_topics: [
        { topic: "crust", format: "tip", total_posts: 1, avg_performance: 120 },
        { topic: "sourdough", format: "tweet", total_posts: 1, avg_performance: 0 },
      ],
      avg_reply_engagement: 60,
      avg_tweet_engagement: 30,
      replies_measured: 1,
      tweets_measured: 4,
    });
    const { follower_trend } = data as { follower_trend: { date: string; follower_count: number }[] };
    expect(follower_trend.map(({ date }) => date)).toEqual(["2026-09-01", "2026-09-02"]);
  });

  test("get_analytics_summary has the hours and the kinds", async () => {
    const { data } = await desk.call("get_analytics_summary", { heatmap: true });
    expect(data).toMatchObject({
      engagement: { avg_reply_score: 60, avg_tweet_score: 30, total_replies: 2, total_tweets: 4 },
      best_times: [],
      best_hours: [],
      based_on: expect.stringContaining("Hours are rated from 5 measured posts"),
      content_breakdown: [
        { content_type: "reply", count: 2, measured: 1, avg_performance: 60, total_impressions: 50 },
        { content_type: "thread", count: 2, measured: 2, avg_performance: 0 },
        { content_type: "tweet", count: 2, measured: 2, avg_performance: 60, total_impressions: 100 },
      ],
    });
    expect(data).toMatchObject({ heatmap: [{ weekday: "Tue", hour: 12, posts: 3, avg_performance: 40 }] });
  });

  test("replies are listed, those that failed too", async () => {
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403 });
    await desk.call("x_reply_to_tweet", { text: "Not this one", in_reply_to_id: ids.tip ?? "" });
    const { data } = await desk.call("get_recent_replies", { since_hours: 48 });
    expect(data).toMatchObject({
      replies: [
        { text: "Not this one", reply_to: ids.tip, status: "failed" },
        { id: ids.unseen, text: "Fair enough", status: "sent", error_message: null },
        { id: ids.liked, text: "Every night", status: "sent" },
      ],
    });
    expect((await desk.call("get_reply_count_today")).data).toEqual({ replies_today: 0 });
  });

  test("topic_performance_snapshot holds topics against the average", async () => {
    const { data } = await desk.call("topic_performance_snapshot");
    expect(data).toEqual({
      lookback_days: 30,
      topics: [
        {
          topic: "crust",
          post_count: 1,
          measured_count: 1,
          avg_performance: 120,
          performance_vs_average: 2,
          provenance: {
            best_content_preview: "A tip",
            best_performance_score: 120,
            worst_performance_score: 120,
          },
          recommendation: "experiment",
        },
        expect.objectContaining({ topic: "sourdough", performance_vs_average: 0 }),
      ],
      overall_avg_performance: 60,
      total_posts_analyzed: 2,
    });
  });

  test("get_author_context knows how replies to somebody went", async () => {
    const friend = desk.sandbox.person(cast.friend);
    const { data } = await desk.call("get_author_context", { identifier: friend.id });
    expect(data).toMatchObject({
      author_id: friend.id,
      interaction_summary: { total_replies_sent: 1, distinct_days_active: 1 },
      conversation_history: [
        {
          reply: { id: ids.liked, text: "Every night", likes: 1, replies: 0, views: 50 },
          performance: {
            performance_score: 60,
            engagement_rate: 0.02,
          },
        },
      ],
      risk_signals: [],
      response_metrics: {
        replies_with_engagement: 1,
        replies_measured: 1,
        response_rate: 1,
        avg_performance_score: 60,
      },
    });
    expect((await desk.call("get_author_context", { identifier: "@nobody_there" })).data).toMatchObject({
      author_username: "nobody_there",
      author_id: null,
      conversation_history: [],
      risk_signals: [{ signal: "no_prior_interaction", severity: "low" }],
    });
  });
});

test("before anything was measured every answer is empty, not an error", async () => {
  const desk = await openDesk();
  expect((await desk.call("get_stats")).data).toEqual({
    follower_trend: [],
    net_follower_change_7d: null,
    net_follower_change_30d: null,
    top_topics: [],
    avg_reply_engagement: null,
    avg_tweet_engagement: null,
    replies_measured: 0,
    tweets_measured: 0,
    based_on: expect.stringContaining("No posts are recorded yet"),
  });
  expect((await desk.call("get_follower_trend")).data).toEqual({ days: [] });
  expect((await desk.call("get_discovery_feed")).data).toMatchObject({ tweets: [] });
  expect((await desk.call("topic_performance_snapshot")).data).toMatchObject({ topics: [] });
  await desk.close();
});

test("before the first measurement what is not known is null, not 0", async () => {
  const fresh = await openDesk();
  expect((await fresh.call("get_stats")).data).toMatchObject({
    net_follower_change_7d: null,
    net_follower_change_30d: null,
    avg_reply_engagement: null,
    avg_tweet_engagement: null,
    replies_measured: 0,
  });
  expect((await fresh.call("get_analytics_summary")).data).toMatchObject({
    followers: { current: null, change_7d: null, change_30d: null },
    engagement: { avg_reply_score: null, avg_tweet_score: null },
    best_times: [],
  });
  expect((await fresh.call("get_author_context", { identifier: "@nobody_there" })).data).toMatchObject({
    response_metrics: { replies_measured: 0, response_rate: null, avg_performance_score: null },
  });
  expect((await fresh.call("topic_performance_snapshot")).data).toMatchObject({
    overall_avg_performance: null,
  });
  await fresh.close();
});
