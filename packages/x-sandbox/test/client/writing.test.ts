import { createXClient } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import { cast } from "../../src/index.ts";
import { failureOf, places, type SignedIn, signedIn } from "./signed-in.ts";

describe.each(places)("writing with the client, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  test("posts once: the same text again is a duplicate", async () => {
    expect((await x.post("Hello")).ok).toBe(true);
    expect(await failureOf(x.post("Hello"))).toMatchObject({
      kind: "forbidden",
      reason: "duplicate_content",
    });
  });

  test("names the missing post of a reply", async () => {
    const reply = { reply: { in_reply_to_tweet_id: "1" } };
    expect(await failureOf(x.post("Hi", reply))).toMatchObject({
      kind: "forbidden",
      reason: "reply_target_missing",
    });
  });

  test("on self-serve can answer people who mentioned it, and nothing the plan excludes", async () => {
    const stranger = x.sandbox.say(cast.stranger, "A fact about boats");
    const caller = x.sandbox.say(cast.friend, `What do you think, @${cast.owner}?`);
    const replyTo = (id: string) => ({ reply: { in_reply_to_tweet_id: id } });
    expect((await x.post("A lot", replyTo(caller.id))).ok).toBe(true);
    expect(await failureOf(x.post("Hi", replyTo(stranger.id)))).toMatchObject({
      kind: "forbidden",
      reason: "reply_not_allowed",
    });
    const lacking = { kind: "forbidden", reason: "unavailable_on_plan" };
    expect(await failureOf(x.post("Look", { quote_tweet_id: stranger.id }))).toMatchObject(lacking);
    const like = { path: { id: x.owner.id }, body: { tweet_id: stranger.id } };
    expect(await failureOf(x.client.call("likePost", like))).toMatchObject(lacking);
    x.sandbox.plan = "enterprise";
    expect((await x.client.call("likePost", like)).ok).toBe(true);
    expect((await x.post("Look", { quote_tweet_id: stranger.id })).ok).toBe(true);
  });

  test("reports which scopes are missing", async () => {
    const { accessToken } = x.sandbox.signIn({ scopes: ["tweet.read", "users.read"] });
    const narrow = createXClient({
      ...x.surroundings,
      tokens: {
        userToken: async () => ({ ok: true, value: accessToken }),
        appToken: async () => ({ ok: false, failure: "none" }),
        rejected: async () => ({ ok: false, failure: "none" }),
      },
    });
    expect(await failureOf(narrow.call("createPosts", { body: { text: "Hi" } }))).toMatchObject({
      kind: "forbidden",
      reason: "missing_scope",
      scopes: expect.arrayContaining(["tweet.write"]),
    });
  });
});
