import { ok } from "@toolpact/contract";
import { expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { standIn } from "../../src/writing/stand-in.ts";
import { chooseTopic } from "../../src/writing/topics.ts";
import { llmUsageSince, recentFrameworks, recentTopics } from "../../src/writing/usage.ts";
import { draftReply, draftTweet, type WritingContext, winningPosts } from "../../src/writing/write.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

const never = new AbortController().signal;

onBothEngines("writing", (stores) => {
  async function openDesk(config: object = {}): Promise<WritingContext> {
    return {
      store: await stores.open(),
      account: "1",
      llm: standIn(),
      config: configSchema.parse(config),
      access: { plan: "enterprise", isPremium: false },
      random: () => 0.5,
      now: () => 5_000,
    };
  }

  test("remembers what was written about, and how, for its account", async () => {
    const desk = await openDesk();
    await draftTweet(desk, { topic: "rye", format: "tip" }, never);
    await draftTweet(desk, { topic: "spelt", format: "list" }, never);
    await draftReply(
      desk,
      { post: { author: "a", text: "Hm?" }, isSummoned: true, archetype: "add_data" },
      never,
    );
    await draftTweet({ ...desk, account: "2" }, { topic: "oats" }, never);
    expect(await recentTopics(desk, "tweet")).toEqual(["spelt", "rye"]);
    expect(await recentFrameworks(desk, "tweet")).toEqual(["list", "tip"]);
    expect(await recentFrameworks(desk, "reply")).toEqual(["add_data"]);
    expect(await winningPosts(desk, "tweet")).toEqual([]);
  });

  test("is billed by model", async () => {
    const desk = await openDesk();
    const costly: WritingContext = {
      ...desk,
      llm: {
        writer: { provider: "somebody", model: "large", isStandIn: false },
        write: async () =>
          ok({
            text: "Rye is patient.",
            isCut: false,
            inputTokens: 700,
            outputTokens: 30,
            costMicros: 2_500,
          }),
      },
    };
    await draftTweet(costly, { topic: "rye" }, never);
    await draftTweet(costly, { topic: "rye" }, never);
    await draftTweet(desk, { topic: "rye" }, never);
    expect(await llmUsageSince(desk, 5_000)).toEqual([
      { model: "somebody/large", calls: 2, failed: 0, input_tokens: 1_400, output_tokens: 60, cost: 0.005 },
      { model: "sandbox/stand-in", calls: 1, failed: 0, input_tokens: 0, output_tokens: 0, cost: 0 },
    ]);
    // It is counted by day.
    expect(await llmUsageSince(desk, 5_000 + 86_400_000)).toEqual([]);
  });

  test("where nobody names a topic takes what did best, unless it was the last", async () => {
    const desk = await openDesk({ business: { industry_topics: ["rye", "spelt"] } });
    const score = { account: "1", format: "tip", posts: 1 };
    await desk.store.db
      .insertInto("topic_scores")
      .values([
        { ...score, topic: "crust", score_sum: 90 },
        { ...score, topic: "crumb", score_sum: 40 },
      ])
      .execute();
    expect(await chooseTopic(desk, "tweet")).toEqual({ ok: true, value: "crust" });
    await draftTweet(desk, { topic: "crust" }, never);
    expect(await chooseTopic(desk, "tweet")).toEqual({ ok: true, value: "crumb" });
    // One time in five it is a topic of the profile.
    expect(await chooseTopic({ ...desk, random: () => 0.9 }, "tweet")).toEqual({ ok: true, value: "spelt" });
    expect(await chooseTopic(await openDesk(), "tweet")).toMatchObject({
      failure: { code: "invalid_input" },
    });
  });
});
