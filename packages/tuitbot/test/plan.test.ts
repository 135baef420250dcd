import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

describe("on the plan that most people have", () => {
  let stage: LiveStage;
  beforeAll(async () => {
    // This X would allow everything, so what is refused was refused without asking it.
    stage = await openStage("write", () => ({ TUITBOT_X_API__PLAN: "self_serve" }));
  });
  afterAll(() => stage?.close());

  it.each(["x_like_tweet", "x_follow_user", "x_quote_tweet"])(
    "%s says what would change that",
    async (tool) => {
      const before = stage.sandbox.journal.entries.length;
      const { error } = await stage.call(tool, (await toolCalls[tool]?.args(stage)) ?? {});
      expect(error).toMatchObject({
        code: "x_forbidden",
        reason: "unavailable_on_plan",
        details: { needs: "enterprise", since: "2026-04-20" },
        suggested_fix: expect.stringContaining("enterprise"),
      });
      expect(stage.sandbox.journal.entries).toHaveLength(before);
    },
  );

  it.each([
    ["x_post_tweet_dry_run", { text: "$AAPL or $TSLA?" }],
    ["x_post_thread_dry_run", { tweets: ["Which?", "$AAPL or $TSLA?"] }],
  ])("%s says what X would not take", async (tool, args) => {
    const { error } = await stage.call(tool, args);
    expect(error).toMatchObject({ code: "x_forbidden", reason: "unavailable_on_plan" });
  });

  it("no reply is written that X would refuse", async () => {
    const { model, call } = stage;
    model.says("Mine needed a longer rest.");
    const reply = (tweet_text: string) =>
      call("generate_reply", { tweet_text, tweet_author: "@sandbox_friend" });
    const { error } = await reply("My loaf is flat.");
    expect(error).toMatchObject({
      code: "x_forbidden",
      reason: "unavailable_on_plan",
      details: { action: "reply", needs: "summons" },
    });
    expect(model.requests).toEqual([]);
    expect(await reply("Why is my loaf flat, @sandbox_owner?")).toMatchObject({
      success: true,
      data: { reply: "Mine needed a longer rest." },
    });
  });

  it("no draft is kept that X would refuse", async () => {
    stage.model.says("Flour is cheap.");
    const { data } = await stage.call("compose_tweet", { topic: "flour" });
    const { draft_id: id } = data as { readonly draft_id: number };
    const { error } = await stage.call("edit_draft", { id, texts: ["$FLOUR and $RYE are cheap."] });
    expect(error).toMatchObject({ code: "x_forbidden", details: { needs: "fewer_cashtags" } });
  });

  it("get_capabilities lists them", async () => {
    const { data } = await stage.call("get_capabilities", {});
    expect(data).toMatchObject({ tier: "self_serve", can_post_tweets: true, can_reply: true });
    const closed = (data as { unavailable_tools: { name: string }[] }).unavailable_tools;
    expect(closed.map(({ name }) => name)).toEqual([
      "x_follow_user",
      "x_like_tweet",
      "x_quote_tweet",
      "x_v2_blocks_create",
      "x_v2_blocks_delete",
      "x_v2_users_pin_tweet",
      "x_v2_users_unpin_tweet",
    ]);
  });
});
