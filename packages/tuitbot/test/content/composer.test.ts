import { afterEach, expect, test } from "vitest";
import { type Desk, openDesk, ownerOf } from "../engagement/desk.ts";

let desk: Desk;
afterEach(() => desk.close());

const composer = { mode: "composer", business: { product_keywords: ["sourdough"] } };

function posted(): readonly string[] {
  const owner = ownerOf(desk);
  return [...desk.sandbox.world.posts.values()]
    .filter(({ authorId, at }) => authorId === owner && at >= desk.sandbox.clock.start)
    .map(({ text }) => text);
}

test("in composer mode everything is assisted, and nothing goes out without the person", async () => {
  // Even where the operator wants no approval and no policy.
  desk = await openDesk({
    config: { ...composer, approval_mode: false, mcp_policy: { enforce_for_mutations: false } },
  });
  const mode = await desk.call("get_mode");
  expect(mode).toMatchObject({
    data: { mode: "composer", approval_mode: true },
    meta: { mode: "composer", approval_mode: true },
  });

  const composed = await desk.call("compose_tweet", { topic: "sourdough", format: "tip" });
  expect(composed).toMatchObject({ success: true, data: { draft_id: 1, format: "tip", stand_in: true } });
  expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({
    success: true,
    data: { status: "queued", approval_queue_id: 1 },
    meta: { approval_mode: true },
  });
  expect(await desk.call("x_post_tweet", { text: "Around it." })).toMatchObject({
    success: true,
    data: { status: "queued", policy_decision: "routed_to_approval" },
  });
  expect(posted()).toEqual([]);

  const { texts } = composed.data as { readonly texts: readonly string[] };
  const items = await desk.call("list_pending_approvals");
  expect(items).toMatchObject({ data: { items: [{ id: 1, params: { text: texts[0] } }, { id: 2 }] } });
});

test("topics are suggested from the profile, then from what did well", async () => {
  desk = await openDesk({
    config: { ...composer, business: { industry_topics: ["rye", "spelt"], content_pillars: ["patience"] } },
  });
  const { store, account } = desk.services.db;
  expect(await desk.call("suggest_topics", { count: 2 })).toMatchObject({
    data: {
      topics: [
        { topic: "rye", format: null, total_posts: 0, avg_performance: null, because: "profile" },
        { topic: "spelt" },
      ],
    },
  });
  await store.db
    .insertInto("topic_scores")
    .values([
      { account, topic: "spelt", format: "tip", posts: 2, score_sum: 30 },
      { account, topic: "spelt", format: "list", posts: 1, score_sum: 10 },
    ])
    .execute();
  const { data } = await desk.call("suggest_topics");
  expect(data).toEqual({
    topics: [
      { topic: "spelt", format: "tip", total_posts: 2, avg_performance: 15, because: "performance" },
      { topic: "rye", format: null, total_posts: 0, avg_performance: null, because: "profile" },
      { topic: "patience", format: null, total_posts: 0, avg_performance: null, because: "profile" },
    ],
  });
});

test("the author is notified without being asked", async () => {
  desk = await openDesk();
  expect(await desk.call("get_capabilities")).toMatchObject({ data: { llm_available: true } });
  expect(await desk.call("health_check")).toMatchObject({
    data: { llm: { status: "configured", message: "sandbox/stand-in" } },
  });
});
