import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { queryOf } from "../../src/discovery/find-opportunities.ts";
import { type Desk, type DeskSetting, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk?.close());

const bread = { business: { product_keywords: ["sourdough"] }, scoring: { threshold: 30 } };

async function open(setting: DeskSetting = {}): Promise<void> {
  desk = await openDesk({ ...setting, config: { ...bread, ...setting.config } });
}

interface Found {
  readonly candidates: readonly { readonly id: string; readonly can_reply: boolean }[];
}

/** X's search shows a post after some seconds. */
function indexed(): void {
  desk.sandbox.clock.advance(30_000);
}

async function find(query: string): Promise<Found["candidates"]> {
  indexed();
  const { data } = await desk.call("find_reply_opportunities", { query, min_score: 0 });
  return (data as Found).candidates;
}

/** As if a larger plan had found it: its author did not mention the account. */
async function foundOnAnotherPlan(id: string): Promise<void> {
  const { db } = desk.services.db.store;
  await db.updateTable("discovered_posts").set({ is_summons: 0 }).where("id", "=", id).execute();
}

describe("find_reply_opportunities", () => {
  test("scores what it finds and keeps it for the feed", async () => {
    await open();
    desk.sandbox.say(cast.friend, "My sourdough is flat, unlike my jokes");
    desk.sandbox.say(cast.owner, "My own sourdough is fine");
    indexed();
    const { data } = await desk.call("find_reply_opportunities", { query: "flat jokes", limit: 1 });
    expect(data).toMatchObject({
      candidates: [
        {
          author: `@${cast.friend}`,
          matched_keywords: ["sourdough"],
          recommended_action: "strong_reply",
          already_replied: false,
          can_reply: true,
        },
      ],
      query: "flat jokes",
      threshold: 30,
    });
    const feed = await desk.call("get_discovery_feed", { min_score: 30 });
    expect(feed.data).toMatchObject({ tweets: [{ author: `@${cast.friend}`, replied_to: false }] });
    expect(desk.sandbox.journal.of("searchPostsRecent")).toHaveLength(1);
  });

  test("searches for the keywords, and says so where there are none", async () => {
    await open();
    desk.sandbox.say(cast.friend, "sourdough");
    indexed();
    const { data } = await desk.call("find_reply_opportunities", { min_score: 0 });
    expect(data).toMatchObject({ query: "(sourdough) -is:retweet" });
    await desk.close();
    desk = await openDesk();
    expect((await desk.call("find_reply_opportunities", {})).error).toMatchObject({ code: "invalid_input" });
  });

  test("writes phrases in quotes", () => {
    expect(queryOf(["rust", "type system", 'say "hi"'])).toBe(
      '(rust OR "type system" OR "say hi") -is:retweet',
    );
    expect(queryOf([" "])).toBeUndefined();
  });

  test("gives back what is new since a post", async () => {
    await open();
    const older = desk.sandbox.say(cast.friend, "sourdough one");
    desk.sandbox.clock.advance(1_000);
    const newer = desk.sandbox.say(cast.friend, "sourdough two");
    indexed();
    const { data } = await desk.call("find_reply_opportunities", { min_score: 0, since_id: older.id });
    expect((data as Found).candidates.map(({ id }) => id)).toEqual([newer.id]);
  });
});

describe("draft_replies_for_candidates", () => {
  test("writes for each what could be sent, and says why not for the rest", async () => {
    await open({ config: { limits: { max_replies_per_author_per_day: 1 } } });
    const { sandbox } = desk;
    const [one, two] = ["sourdough at dawn", "sourdough at dusk"].map((text) =>
      sandbox.say(cast.friend, text),
    );
    const other = sandbox.say(cast.stranger, "sourdough at noon");
    await find("sourdough");
    await desk.call("x_reply_to_tweet", { text: "At dawn it is best", in_reply_to_id: one?.id ?? "" });
    const ids = [one?.id ?? "", two?.id ?? "", other.id, "1234567890"];
    const { data } = await desk.call("draft_replies_for_candidates", {
      candidate_ids: ids,
      archetype: "ask_question",
    });
    expect(data).toMatchObject({
      drafts: [
        { status: "error", candidate_id: one?.id, error_code: "policy_denied_hard_rule" },
        { status: "error", candidate_id: two?.id, error_code: "policy_denied_rate_limited" },
        {
          status: "success",
          candidate_id: other.id,
          archetype: "ask_question",
          risks: [],
          stand_in: true,
        },
        { status: "error", candidate_id: "1234567890", error_code: "not_found" },
      ],
    });
    expect(sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test("writes nothing that X would refuse on the plan", async () => {
    await open({ sandbox: { plan: "self_serve" } });
    const { sandbox } = desk;
    const stranger = sandbox.say(cast.stranger, `sourdough for everybody, @${cast.owner}`);
    const caller = sandbox.say(cast.friend, `sourdough, @${cast.owner}?`);
    await find("sourdough");
    await foundOnAnotherPlan(stranger.id);
    const { data } = await desk.call("draft_replies_for_candidates", {
      candidate_ids: [stranger.id, caller.id],
    });
    expect(data).toMatchObject({
      drafts: [
        { status: "error", error_code: "x_forbidden", error_message: expect.stringContaining("enterprise") },
        { status: "success" },
      ],
    });
    const usage = await desk.services.db.store.db.selectFrom("llm_usage").select("id").execute();
    expect(usage).toHaveLength(1);
  });
});

describe("propose_and_queue_replies", () => {
  test("sends where nobody has to agree, once", async () => {
    await open();
    const post = desk.sandbox.say(cast.friend, "sourdough again");
    await find("sourdough");
    const items = [{ candidate_id: post.id, pre_drafted_text: "Again and again" }];
    const { data } = await desk.call("propose_and_queue_replies", { items });
    const [reply] = [...desk.sandbox.world.posts.values()].filter(
      ({ replyTo }) => replyTo?.postId === post.id,
    );
    expect(data).toEqual({
      results: [
        { status: "executed", candidate_id: post.id, text: "Again and again", reply_tweet_id: reply?.id },
      ],
    });
    expect((await desk.call("propose_and_queue_replies", { items })).data).toMatchObject({
      results: [{ status: "blocked", code: "policy_denied_hard_rule" }],
    });
  });

  test.each([
    ["approval mode", { approval_mode: true }],
    ["composer mode", { mode: "composer" }],
    ["X's rule on replies by a model", { x_api: { ai_replies_agreed: false } }],
  ])("in %s what is said to be queued is in the queue", async (_, config) => {
    await open({ config });
    const post = desk.sandbox.say(cast.friend, "sourdough again");
    await find("sourdough");
    const answer = await desk.call("propose_and_queue_replies", { items: [{ candidate_id: post.id }] });
    const { items } = (await desk.call("list_pending_approvals")).data as {
      items: { id: number; params: { text: string } }[];
    };
    expect(answer.data).toMatchObject({
      results: [
        {
          status: "queued",
          policy_decision: "routed_to_approval",
          candidate_id: post.id,
          text: items[0]?.params.text,
          approval_queue_id: items[0]?.id,
        },
      ],
    });
    expect(desk.sandbox.journal.of("createPosts")).toEqual([]);
  });

  test("refuses one by one", async () => {
    await open({ sandbox: { plan: "self_serve" } });
    const { sandbox } = desk;
    const stranger = sandbox.say(cast.stranger, `sourdough for everybody, @${cast.owner}`);
    const caller = sandbox.say(cast.friend, `sourdough, @${cast.owner}?`);
    await find("sourdough");
    await foundOnAnotherPlan(stranger.id);
    const { data } = await desk.call("propose_and_queue_replies", {
      items: [
        { candidate_id: stranger.id },
        { candidate_id: caller.id, pre_drafted_text: "You should try harder" },
        { candidate_id: caller.id, pre_drafted_text: "x".repeat(300) },
        { candidate_id: "99" },
      ],
    });
    expect(data).toMatchObject({
      results: [
        { status: "blocked", code: "x_forbidden" },
        { status: "blocked", code: "policy_denied_user_rule", text: "You should try harder" },
        { status: "blocked", code: "tweet_too_long" },
        { status: "blocked", code: "not_found" },
      ],
    });
    expect(sandbox.journal.of("createPosts")).toEqual([]);
  });
});
