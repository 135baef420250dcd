import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { performanceScore } from "../src/analytics/performance.ts";
import { type Desk, ownerOf } from "./engagement/desk.ts";
import { DAY, DAYS, dice, liveFortnight, START } from "./fortnight.ts";

type Post = ReturnType<Sandbox["say"]>;

/** Compares the product's reports after two weeks with the data of the made-up X. */
describe("after a fortnight", () => {
  let desk: Desk;
  let mine: readonly Post[];

  beforeAll(async () => {
    const random = dice(7);
    // Tools use Math.random too.
    vi.spyOn(Math, "random").mockImplementation(random);
    desk = await liveFortnight(random);
    vi.restoreAllMocks();
    const me = ownerOf(desk);
    mine = [...desk.sandbox.world.posts.values()].filter(
      ({ authorId, at }) => authorId === me && at >= START,
    );
  }, 240_000);
  afterAll(() => desk?.close());

  const isReply = ({ replyTo }: Post) => replyTo !== undefined && replyTo.userId !== ownerOf(desk);
  const replies = () => mine.filter(isReply);
  const tweets = () => mine.filter((post) => !isReply(post));
  const data = async <T>(tool: string, args = {}) => (await desk.call(tool, args)).data as T;
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const mean = (posts: readonly Post[]) =>
    rounded(posts.reduce((sum, post) => sum + scoreOf(post), 0) / posts.length);

  /** From X's own numbers; the next post of a thread is no reply to it. */
  function scoreOf({ id, impressions }: Post): number {
    const { world } = desk.sandbox;
    const answers = [...world.posts.values()].filter(({ replyTo }) => replyTo?.postId === id);
    return performanceScore({
      likes: world.likes.to(id).size,
      replies: answers.filter(({ authorId }) => authorId !== ownerOf(desk)).length,
      reposts: world.repostsOf.of(id).size,
      bookmarks: 0,
      impressions,
    });
  }

  test("enough has happened to tell", () => {
    expect(replies().length).toBeGreaterThan(20);
    expect(tweets().length).toBeGreaterThan(20);
    expect(mine.some(({ replyTo }) => replyTo?.userId === ownerOf(desk))).toBe(true);
  });

  test("every post is on record, once, and a person agreed to each", async () => {
    const { db } = desk.services.db.store;
    const rows = await db
      .selectFrom("publications")
      .innerJoin("receipts", "receipts.id", "publications.receipt_id")
      .select(["publications.post_id", "receipts.approval_claim"])
      .execute();
    expect(rows.map(({ post_id }) => post_id).sort()).toEqual(mine.map(({ id }) => id).sort());
    expect(rows.filter(({ approval_claim }) => approval_claim === null)).toEqual([]);
  });

  test("get_analytics_summary and get_stats say what X says", async () => {
    const summary = await data<object>("get_analytics_summary");
    const { world } = desk.sandbox;
    expect(summary).toMatchObject({
      followers: { current: world.follows.to(ownerOf(desk)).size },
      engagement: {
        total_replies: replies().length,
        total_tweets: tweets().length,
        avg_reply_score: mean(replies()),
        avg_tweet_score: mean(tweets()),
      },
    });
    const { content_breakdown, best_hours } = summary as {
      content_breakdown: { count: number; total_impressions: number }[];
      best_hours: { posts: number }[];
    };
    expect(sum(content_breakdown.map(({ total_impressions }) => total_impressions))).toBe(
      sum(mine.map(({ impressions }) => impressions)),
    );
    expect(best_hours.length).toBeGreaterThan(0);
    for (const { posts } of best_hours) expect(posts).toBeGreaterThanOrEqual(5);
    expect(await data("get_stats")).toMatchObject({
      replies_measured: replies().length,
      tweets_measured: tweets().length,
      avg_reply_engagement: mean(replies()),
    });
  });

  test("the follower trend has every day, and ends where X is", async () => {
    const { days } = await data<{ days: { date: string; follower_count: number }[] }>("get_follower_trend", {
      limit: 30,
    });
    expect(days.map(({ date }) => date)).toEqual(
      Array.from({ length: DAYS + 2 }, (_, day) => new Date(START + day * DAY).toISOString().slice(0, 10)),
    );
    const { world } = desk.sandbox;
    expect(days.at(-1)?.follower_count).toBe(world.follows.to(ownerOf(desk)).size);
    expect((days.at(-1)?.follower_count ?? 0) - (days[0]?.follower_count ?? 0)).toBeGreaterThan(0);
  });

  test("topics and hours add up to the posts they are of", async () => {
    const { topics, total_posts_analyzed } = await data<{
      topics: { topic: string; post_count: number; measured_count: number }[];
      total_posts_analyzed: number;
    }>("topic_performance_snapshot");
    expect(sum(topics.map(({ post_count }) => post_count))).toBe(total_posts_analyzed);
    const roots = tweets().filter(({ replyTo }) => replyTo === undefined);
    const { heatmap } = await data<{ heatmap: { posts: number }[] }>("get_analytics_summary", {
      heatmap: true,
    });
    expect(sum(heatmap.map(({ posts }) => posts))).toBe(roots.length);
    expect(topics.map(({ topic }) => topic)).toEqual(expect.arrayContaining(["crust", "hydration"]));
    const { topics: suggested } = await data<{ topics: { topic: string }[] }>("suggest_topics", { count: 3 });
    expect(topics.map(({ topic }) => topic)).toContain(suggested[0]?.topic);
  });

  test("what there was with somebody is what X shows", async () => {
    const friend = desk.sandbox.person(cast.friend);
    const toFriend = replies().filter(({ replyTo }) => replyTo?.userId === friend.id);
    const context = await data<object>("get_author_context", { identifier: `@${cast.friend}` });
    expect(context).toMatchObject({
      author_id: friend.id,
      interaction_summary: { total_replies_sent: toFriend.length },
      response_metrics: { replies_measured: toFriend.length, avg_performance_score: mean(toFriend) },
    });
    expect(await data("list_target_accounts")).toMatchObject({
      targets: [{ username: cast.friend, total_replies_sent: toFriend.length }],
    });
  });

  test("no limit was exceeded, and nobody was answered twice", () => {
    const { sandbox } = desk;
    const answered = replies().map(({ replyTo }) => replyTo?.postId);
    expect(new Set(answered).size).toBe(answered.length);
    for (const post of replies()) {
      const near = replies().filter(({ at }) => at >= post.at && at < post.at + DAY);
      expect(near.length).toBeLessThanOrEqual(2 * 5);
      const toSame = near.filter(({ replyTo }) => replyTo?.userId === post.replyTo?.userId);
      expect(toSame, sandbox.world.people.get(post.replyTo?.userId ?? "")?.username).toHaveLength(1);
    }
  });

  test("drafts that were scheduled went out, or wait, or say why not", async () => {
    const { db } = desk.services.db.store;
    const rows = await db.selectFrom("scheduled_posts").select(["status", "due_at"]).execute();
    // A writer with a small table has nothing new to say on some days.
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter(({ status }) => status === "scheduled" || status === "publishing")).toEqual([]);
  });

  test("what was put down for posts and for every kind of read is what X charged", async () => {
    const { db } = desk.services.db.store;
    const rows = await db
      .selectFrom("ledger")
      .select((eb) => ["operation", eb.fn.sum<number>("settled_micros").as("micros")])
      .groupBy("operation")
      .execute();
    const ours = new Map(rows.map(({ operation, micros }) => [operation, Number(micros)]));
    const theirs = new Map<string, number>();
    const { entries } = desk.sandbox.ledger;
    for (const { operation, usd } of entries)
      theirs.set(operation, (theirs.get(operation) ?? 0) + Math.round(usd * 1e6));
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    const posted = entries.filter(({ operation }) => operation === "createPosts");
    expect(posted).toHaveLength(mine.length);
    const called = posted.filter(({ lines }) =>
      lines.some(({ priceClass }) => priceClass === "post_create_summoned"),
    );
    expect(called.length).toBeGreaterThan(0);
    const unsettled = await db
      .selectFrom("ledger")
      .select("id")
      .where("settled_micros", "is", null)
      .execute();
    expect(unsettled).toEqual([]);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
