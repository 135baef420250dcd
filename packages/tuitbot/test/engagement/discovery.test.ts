import type { JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import type { Desk } from "./desk.ts";
import { openBakery, pass } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

describe("discovery", () => {
  test("on most plans finds and writes nothing", async () => {
    desk = await openBakery({ sandbox: { plan: "self_serve" }, config: { scoring: { threshold: 10 } } });
    desk.sandbox.say(cast.stranger, "sourdough for everybody");
    desk.sandbox.clock.advance(60_000);
    const { discovery } = await pass(desk, "discovery");
    expect(discovery).toMatchObject({ status: "completed", counts: { sent: 0, queued: 0, refused: 0 } });
    const usage = await desk.services.db.store.db.selectFrom("llm_usage").select("id").execute();
    expect(usage).toEqual([]);
    const { tweets } = (await desk.call("get_discovery_feed", { min_score: 10 })).data as {
      tweets: { can_reply: boolean }[];
    };
    expect(tweets.length).toBeGreaterThan(0);
    expect(tweets.every(({ can_reply }) => !can_reply)).toBe(true);
  });

  test("goes round the keywords", async () => {
    desk = await openBakery({ config: { business: { product_keywords: ["rye", "spelt"] } } });
    for (let round = 0; round < 3; round++) await pass(desk, "discovery");
    const queries = desk.sandbox.journal
      .of("searchPostsRecent")
      .map(({ path, query }) => new URL(`http://x${path}?${query ?? ""}`).searchParams.get("query"));
    expect(queries).toEqual(["(rye) -is:retweet", "(spelt) -is:retweet", "(rye) -is:retweet"]);
  });
});

interface Candidate {
  readonly id: string;
  readonly score_total: number;
  readonly recommended_action: string;
  readonly can_reply: boolean;
}

async function find(args: JsonObject): Promise<readonly Candidate[]> {
  const { data } = await desk.call("find_reply_opportunities", args);
  return (data as { candidates: Candidate[] }).candidates;
}

describe("candidates", () => {
  test("are about what was searched for, and advice does not depend on the filter", async () => {
    desk = await openBakery();
    desk.sandbox.say(cast.friend, "Which roadmaps do you like for compilers?");
    desk.sandbox.clock.advance(60_000);
    const [found] = await find({ query: "roadmaps", min_score: 0 });
    const [filtered] = await find({ query: "roadmaps", min_score: found?.score_total });
    const [other] = await find({ query: "compilers -roadmap", min_score: 0 });
    expect(found?.score_total).toBeGreaterThan(60);
    expect(filtered).toEqual(found);
    expect(other?.recommended_action).toBe(found?.recommended_action);
  });

  test("to which X refused a reply, or whose author limits replies, are not offered as such", async () => {
    desk = await openBakery();
    const refused = desk.sandbox.say(cast.friend, "Sourdough, but how?").id;
    const limited = desk.sandbox.say(cast.friend, "Sourdough for friends").id;
    const post = desk.sandbox.world.posts.get(limited);
    if (post !== undefined) desk.sandbox.world.posts.set(limited, { ...post, replySettings: "following" });
    desk.sandbox.clock.advance(60_000);
    const canReply = async () =>
      Object.fromEntries(
        (await find({ query: "sourdough", min_score: 0 })).map(({ id, can_reply }) => [id, can_reply]),
      );
    expect(await canReply()).toMatchObject({ [refused]: true, [limited]: false });
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403 });
    const { error } = await desk.call("x_reply_to_tweet", {
      in_reply_to_id: refused,
      text: "With a long rest.",
    });
    expect(error).toMatchObject({ code: "x_forbidden" });
    expect(await canReply()).toMatchObject({ [refused]: false, [limited]: false });
    const { tweets } = (await desk.call("get_discovery_feed", { min_score: 0 })).data as {
      tweets: { id: string; can_reply: boolean }[];
    };
    expect(tweets.filter(({ can_reply }) => can_reply).map(({ id }) => id)).not.toContain(refused);
  });
});
