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
