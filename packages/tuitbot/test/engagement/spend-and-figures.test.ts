import { afterEach, describe, expect, test } from "vitest";
import { performanceReport } from "../../src/app/performance.ts";
import { resolveCall } from "../../src/app/resolve-call.ts";
import { spendingReport } from "../../src/app/spending.ts";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { recentMutations } from "../../src/audit/mutations.ts";
import { queuedItem } from "../live-server.ts";
import { type Desk, person } from "./desk.ts";
import { DAY, never, openBakery, pass } from "./passes.ts";

let desk: Desk;
afterEach(() => desk.close());

/** X's price list. */
const POST_USD = 0.015;
const LINK_USD = 0.2;

const caller = async (name: string) => {
  const { callers } = await spendingReport(desk.services, 14);
  return callers.find((one) => one.caller === name);
};

describe("spending by agent", () => {
  test("names the client, the loop and the person, and adds up to everything that was spent", async () => {
    desk = await openBakery();
    await desk.call("x_post_tweet", { text: "Of an agent." }, { transport: "http", client: "scribe" });
    await desk.call("x_post_tweet", { text: "Of a person." }, person);
    await desk.call("x_post_tweet", { text: "From the page." }, { transport: "web", client: "ada" });
    await pass(desk, "discovery");
    expect(await caller("scribe")).toMatchObject({ calls: 1, cost: POST_USD, error_count: 0 });
    expect(await caller("command line")).toMatchObject({ cost: POST_USD });
    expect(await caller("page: ada")).toMatchObject({ cost: POST_USD });
    const { callers, summary, operations } = await spendingReport(desk.services, 14);
    expect(callers.find(({ caller }) => caller === "loop:discovery")?.cost).toBeGreaterThan(0);
    const together = callers.reduce((sum, { cost }) => sum + cost, 0);
    expect(together).toBeCloseTo(summary.cost_all_time, 9);
    expect(together).toBeCloseTo(
      operations.reduce((sum, { cost }) => sum + cost, 0),
      9,
    );
  });

  test("charges what a person has approved to the agent that asked for it", async () => {
    desk = await openBakery({ config: { mcp_policy: { require_approval_for: ["x_post_tweet"] } } });
    const asking = { transport: "http", client: "scribe" } as const;
    const id = queuedItem(await desk.call("x_post_tweet", { text: "May I?" }, asking)) ?? 0;
    expect(await caller("scribe")).toBeUndefined();
    const { db, approvals } = desk.services;
    const item = await findItem(db.store.db, db.account, id);
    if (!item.ok) throw new Error(item.failure.message);
    expect(await releaseItem(approvals, id, { digest: item.value.digest, by: "a person" })).toMatchObject({
      ok: true,
    });
    expect(await caller("scribe")).toMatchObject({ calls: 1, cost: POST_USD });
  });

  test("forgets nothing of a request that fails, and charges nothing for it", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403 });
    await desk.call("x_post_tweet", { text: "Refused." }, { transport: "http", client: "scribe" });
    expect(await caller("scribe")).toMatchObject({ calls: 1, cost: 0, error_count: 1 });
  });
});

test("a planned week is what is scheduled in it, by X's prices, and the average of everything else", async () => {
  desk = await openBakery();
  const at = (days: number) => new Date(desk.sandbox.clock.now() + days * DAY).toISOString();
  const schedule = async (text: string, days: number, more = {}) =>
    expect(
      await desk.call("create_draft", { texts: [text], scheduled_for: at(days), ...more }),
    ).toMatchObject({ success: true });
  await schedule("Rye.", 3);
  await schedule("See example.com for rye.", 6, { accept_url_price: true });
  await schedule("Next week.", 9);
  expect((await spendingReport(desk.services, 14)).next_week).toMatchObject({
    posts: [
      { text: "Rye.", cost_usd: POST_USD, waits: false },
      { text: "See example.com for rye.", cost_usd: LINK_USD },
    ],
    scheduled_usd: 0.215,
    other_usd_per_day: null,
    total_usd: null,
  });
  await pass(desk, "discovery", "analytics");
  const spent = desk.sandbox.journal.entries
    .filter(({ operation }) => operation === "searchPostsRecent" || operation === "getUsersMe")
    .reduce((sum, { usd }) => sum + usd, 0);
  desk.sandbox.clock.advance(DAY);
  const { next_week: week } = await spendingReport(desk.services, 14);
  expect(week.other_days).toBe(1);
  expect(week.other_usd_per_day).toBeGreaterThan(0);
  expect(week.other_usd_per_day).toBeLessThanOrEqual(spent + 0.02);
  expect(week.total_usd).toBeCloseTo(week.scheduled_usd + 7 * (week.other_usd_per_day ?? 0), 6);
});

test("figures of posts are the sums of the rows they come with, and unknown before they are measured", async () => {
  desk = await openBakery({ config: { analytics: { measure_after_hours: 1 } } });
  const texts = ["Crust first.", "Crumb second.", "Oven third."];
  for (const text of texts) await desk.call("x_post_tweet", { text });
  const before = await performanceReport(desk.services, 30);
  expect(before.posts.map(({ text, figures }) => [text, figures])).toEqual(
    texts.toReversed().map((text) => [text, null]),
  );
  expect(before.days).toMatchObject([{ posts: 3, measured: 0, impressions: null, engagement: null }]);
  expect(before.week).toMatchObject({ best: null, followers: null, followers_change: null });
  const { world } = desk.sandbox;
  const own = [...world.posts.values()].filter(({ submitted }) => texts.includes(submitted));
  for (const [index, post] of own.entries()) post.impressions = 100 * (index + 1);
  const [, second] = own;
  for (const id of [...world.people.keys()].slice(0, 4))
    world.likes.add(id, second?.id ?? "", world.relationKeyAt(desk.sandbox.clock.now()));
  desk.sandbox.clock.advance(2 * 3_600_000);
  await pass(desk, "analytics");
  const after = await performanceReport(desk.services, 30);
  expect(after.days).toMatchObject([{ posts: 3, measured: 3, impressions: 600, engagement: 4 }]);
  expect(after.week.now).toEqual({ posts: 3, replies: 0, measured: 3, impressions: 600, engagement: 4 });
  expect(after.week.before).toEqual({
    posts: 0,
    replies: 0,
    measured: 0,
    impressions: null,
    engagement: null,
  });
  // Three posts are too few to call one of them the best.
  expect(after.week.best).toBeNull();
  await desk.call("x_post_thread", { tweets: ["A thread.", "Its second post.", "Its third post."] });
  const [thread] = (await performanceReport(desk.services, 30)).posts;
  expect(thread).toMatchObject({ kind: "thread", text: "A thread.", posts: 3 });
  desk.sandbox.clock.advance(8 * DAY);
  const later = await performanceReport(desk.services, 30);
  expect(later.week.now).toMatchObject({ posts: 0, impressions: null });
  expect(later.week.before).toMatchObject({ posts: 4, impressions: 600 });
});

describe("a call of which X never says what became", () => {
  const asking = { transport: "http", client: "scribe" } as const;

  /** Sent without an answer, and X does not let anybody look. */
  async function inDoubt(when: "before" | "after") {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 100 });
    await desk.call("x_post_tweet", { text: "Is it out?" }, asking);
    desk.sandbox.clock.advance(3_600_000);
    const { items } = await recentMutations(desk.services.db.store.db, desk.services.db.account, {
      limit: 1,
    });
    expect(items).toMatchObject([{ status: "pending" }]);
    return items[0]?.correlation_id ?? "";
  }
  const settle = (id: string, is_out: boolean) =>
    resolveCall(
      { id, is_out },
      { ...desk.services, by: "a person", mayDecide: async () => true, signal: never },
    );

  test.each([
    [true, "after", "confirmed", "success", POST_USD],
    [false, "before", "failed", "failure", 0],
  ] as const)(
    "is settled by a person who looked (there: %s), once",
    async (isOut, when, state, status, cost) => {
      const id = await inDoubt(when);
      const requests = desk.sandbox.journal.entries.length;
      expect(await settle(id, isOut)).toEqual({ ok: true, value: { id, state } });
      expect(desk.sandbox.journal.entries.length).toBe(requests);
      const { items } = await recentMutations(desk.services.db.store.db, desk.services.db.account, {
        limit: 1,
      });
      expect(items).toMatchObject([{ status }]);
      expect(await caller("scribe")).toMatchObject({ cost });
      expect(await settle(id, !isOut)).toMatchObject({ ok: false, failure: { code: "validation_error" } });
      expect(await settle("no-such-call", true)).toMatchObject({ ok: false, failure: { code: "not_found" } });
    },
  );
});
