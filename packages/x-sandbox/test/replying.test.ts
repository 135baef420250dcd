import { describe, expect, test } from "vitest";
import { as, owner } from "./caller.ts";
import { forbidden, refused } from "./refusals.ts";

describe("a reply", () => {
  const notAllowed = forbidden(
    "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.",
  );
  const reply = (id: string, text = "An answer") => ({ text, reply: { in_reply_to_tweet_id: id } });

  test("on self-serve needs a mention or a quote by the author", async () => {
    const me = owner();
    const { sandbox } = me;
    const plain = sandbox.say("sandbox_unknown", "Nobody in particular");
    refused(await me.post("/2/tweets", reply(plain.id)), 403, notAllowed);
    const call = sandbox.say("sandbox_unknown", "What do you think, @sandbox_owner?");
    expect((await me.post("/2/tweets", reply(call.id))).status).toBe(201);
    const mine = await me.post("/2/tweets", { text: "Quote me" });
    const quote = sandbox.say("sandbox_unknown", "Interesting", { quoting: mine.word("data", "id") });
    expect((await me.post("/2/tweets", reply(quote.id))).status).toBe(201);
    sandbox.plan = "enterprise";
    expect((await me.post("/2/tweets", reply(plain.id))).status).toBe(201);
  });

  test("to oneself is always allowed, and makes a thread", async () => {
    const me = owner();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const last = ids.at(-1);
      const heard = await me.post("/2/tweets", {
        text: `Part ${i}`,
        ...(last !== undefined && { reply: { in_reply_to_tweet_id: last } }),
      });
      ids.push(heard.word("data", "id"));
    }
    const thread = await me.get(
      `/2/tweets?ids=${ids.join()}&post.fields=conversation_id&expansions=referenced_posts`,
    );
    expect(thread.at("data")).toMatchObject([
      { conversation_id: ids[0] },
      { conversation_id: ids[0], referenced_posts: [{ type: "replied_to", id: ids[0] }] },
      { conversation_id: ids[0], referenced_posts: [{ type: "replied_to", id: ids[1] }] },
    ]);
    me.sandbox.clock.advance(11_000);
    const found = await me.get(`/2/tweets/search/recent?query=conversation_id:${ids[0]}`);
    expect(found.ids).toEqual([...ids].reverse());
  });

  test("starts with the answered username, which does not count", async () => {
    const me = owner();
    const call = me.sandbox.say("sandbox_friend", "Hello @sandbox_owner");
    const heard = await me.post("/2/tweets", reply(call.id, "c".repeat(280)));
    expect(heard.word("data", "text")).toBe(`@sandbox_friend ${"c".repeat(280)}`);
    const named = await me.post("/2/tweets", reply(call.id, `@sandbox_friend ${"d".repeat(280)}`));
    expect(named.status).toBe(201);
    const read = await me.get(`/2/tweets/${named.word("data", "id")}?post.fields=display_text_range`);
    expect(read.at("data", "display_text_range")).toEqual([16, 296]);
  });

  test("respects the author's reply settings", async () => {
    const me = owner({ plan: "enterprise" });
    const friend = as(me.sandbox, "sandbox_unknown");
    const limited = await friend.post("/2/tweets", {
      text: "Only those I name",
      reply_settings: "mentionedUsers",
    });
    refused(
      await me.post("/2/tweets", reply(limited.word("data", "id"))),
      403,
      forbidden("Reply to this conversation is not allowed because its author limits who can reply."),
    );
  });

  test.each(["sandbox_shy", "sandbox_foe"])("to %s, whose posts one cannot see, is refused", async (user) => {
    const me = owner({ plan: "enterprise" });
    const hidden = me.sandbox.say(user, "Not for @sandbox_owner");
    refused(
      await me.post("/2/tweets", reply(hidden.id)),
      403,
      forbidden("You attempted to reply to a Tweet that is deleted or not visible to you."),
    );
  });
});
