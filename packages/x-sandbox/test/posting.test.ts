import { describe, expect, test } from "vitest";
import { app, as, type Heard, owner } from "./caller.ts";

const hour = 3_600_000;

function forbidden(detail: string): object {
  return { detail, type: "about:blank", title: "Forbidden", status: 403 };
}

function invalid(parameter: string, value: string, message: string): object {
  return {
    errors: [{ parameters: { [parameter]: [value] }, message }],
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: "https://api.twitter.com/2/problems/invalid-request",
  };
}

function refused(heard: Heard, status: number, body: object): void {
  expect(heard.body).toEqual(body);
  expect(heard.status).toBe(status);
}

describe("a post", () => {
  test("has a 19-digit id and the text as X stores it", async () => {
    const me = owner();
    const heard = await me.post("/2/tweets", { text: "See https://example.com/a and README.md" });
    expect(heard.status).toBe(201);
    expect(heard.word("data", "id")).toMatch(/^[0-9]{19}$/);
    expect(heard.word("data", "text")).toMatch(/^See https:\/\/t\.co\/\w{10} and https:\/\/t\.co\/\w{10}$/);
    const read = await me.get(`/2/tweets/${heard.word("data", "id")}?post.fields=entities`);
    expect(read.at("data", "entities", "urls")).toMatchObject([
      { expanded_url: "https://example.com/a", start: 4, end: 27 },
      { expanded_url: "http://README.md", start: 32, end: 55 },
    ]);
  });

  test("is refused when it repeats one of the last day, and taken when that was deleted or is older", async () => {
    const me = owner();
    const first = await me.post("/2/tweets", { text: "Once  is enough " });
    refused(
      await me.post("/2/tweets", { text: "Once is enough" }),
      403,
      forbidden("You are not allowed to create a Tweet with duplicate content."),
    );
    await me.delete(`/2/tweets/${first.word("data", "id")}`);
    expect((await me.post("/2/tweets", { text: "Once is enough" })).status).toBe(201);
    me.sandbox.clock.advance(24 * hour + 1);
    const later = as(me.sandbox, "sandbox_owner");
    expect((await later.post("/2/tweets", { text: "Once is enough" })).status).toBe(201);
  });

  test("may weigh 280, and 25,000 with Premium", async () => {
    const me = owner();
    const tooLong = `${"字".repeat(140)}a`;
    expect((await me.post("/2/tweets", { text: "字".repeat(140) })).status).toBe(201);
    refused(
      await me.post("/2/tweets", { text: tooLong }),
      400,
      invalid("text", tooLong, "Your Tweet text is too long."),
    );
    me.sandbox.person("sandbox_owner").subscription = "Premium";
    const long = await me.post("/2/tweets", { text: "b".repeat(25_000) });
    expect(long.status).toBe(201);
    expect(long.word("data", "text")).toHaveLength(25_000);
    const read = await me.get(`/2/tweets/${long.word("data", "id")}?post.fields=note_post`);
    expect(read.word("data", "text")).toHaveLength(280);
    expect(read.word("data", "note_post", "text")).toHaveLength(25_000);
    expect((await me.post("/2/tweets", { text: "b".repeat(25_001) })).status).toBe(400);
  });

  test("may have one cashtag on self-serve, several on enterprise", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: "$BREAD or $MAPS" }),
      403,
      forbidden("You are not allowed to create a Tweet with more than one cashtag."),
    );
    expect((await me.post("/2/tweets", { text: "$BREAD and $bread" })).status).toBe(201);
    me.sandbox.plan = "enterprise";
    expect((await me.post("/2/tweets", { text: "$BREAD or $MAPS" })).status).toBe(201);
  });

  test("needs something to say, and one kind of attachment", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: " " }),
      400,
      invalid("text", " ", "The Tweet must have text or media."),
    );
    const both = await me.post("/2/tweets", {
      text: "x",
      poll: { options: ["a", "b"], duration_minutes: 5 },
      media: { media_ids: ["1"] },
    });
    expect(both.status).toBe(400);
    expect(both.word("errors", 0, "message")).toBe("[poll, media] are mutually exclusive.");
  });

  test("with a field that X does not know is refused", async () => {
    const me = owner();
    const heard = await me.post("/2/tweets", { text: "x", idempotency_key: "k" });
    const message =
      "$.idempotency_key: is not defined in the schema and the schema does not allow additional properties";
    refused(heard, 400, invalid("idempotency_key", "k", message));
  });

  test("with media that are not there is refused", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: "x", media: { media_ids: ["1"] } }),
      400,
      invalid("media.media_ids", "1", "Your media IDs are invalid."),
    );
  });
});

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

  test("begins with the name it answers, which does not count", async () => {
    const me = owner();
    const call = me.sandbox.say("sandbox_friend", "Hello @sandbox_owner");
    const heard = await me.post("/2/tweets", reply(call.id, "c".repeat(280)));
    expect(heard.word("data", "text")).toBe(`@sandbox_friend ${"c".repeat(280)}`);
    const named = await me.post("/2/tweets", reply(call.id, `@sandbox_friend ${"d".repeat(280)}`));
    expect(named.status).toBe(201);
    const read = await me.get(`/2/tweets/${named.word("data", "id")}?post.fields=display_text_range`);
    expect(read.at("data", "display_text_range")).toEqual([16, 296]);
  });

  test("obeys who the author lets reply", async () => {
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

describe("plans", () => {
  const notInPlan = (clientId: string, what: string): object => ({
    client_id: clientId,
    detail: `${what} is not part of your current access level; it needs enterprise access.`,
    registration_url: "https://developer.x.com/en/portal/products",
    title: "Client Forbidden",
    required_enrollment: "Appropriate Level of API Access",
    reason: "access-level-forbidden",
    type: "https://api.twitter.com/2/problems/client-forbidden",
  });

  test("likes, follows and quotes are for enterprise only", async () => {
    const me = owner();
    const { sandbox } = me;
    const id = sandbox.person("sandbox_owner").id;
    const stranger = sandbox.person("sandbox_unknown").id;
    const post = sandbox.say("sandbox_unknown", "Like me");
    const like = () => me.post(`/2/users/${id}/likes`, { tweet_id: post.id });
    const follow = () => me.post(`/2/users/${id}/following`, { target_user_id: stranger });
    const quote = () => me.post("/2/tweets", { text: "Look", quote_tweet_id: post.id });
    refused(await like(), 403, notInPlan(sandbox.app.clientId, "Liking posts"));
    refused(await follow(), 403, notInPlan(sandbox.app.clientId, "Following people"));
    refused(await quote(), 403, notInPlan(sandbox.app.clientId, "Quoting posts"));
    sandbox.plan = "enterprise";
    expect((await like()).body).toEqual({ data: { liked: true } });
    expect((await follow()).body).toEqual({ data: { following: true, pending_follow: false } });
    expect((await quote()).status).toBe(201);
    expect(
      (await me.get(`/2/tweets/${post.id}?post.fields=public_metrics`)).at("data", "public_metrics"),
    ).toMatchObject({ like_count: 1, quote_count: 1 });
  });

  test("an app that is not enrolled can do nothing", async () => {
    const me = owner();
    me.sandbox.app.enrolled = false;
    const heard = await me.get("/2/users/me");
    expect(heard.status).toBe(403);
    expect(heard.body).toMatchObject({
      title: "Client Forbidden",
      reason: "client-not-enrolled",
      required_enrollment: "Appropriate Level of API Access",
      client_id: me.sandbox.app.clientId,
      type: "https://api.twitter.com/2/problems/client-forbidden",
    });
  });
});

describe("editing", () => {
  const edit = (id: string, text: string) => ({ text, edit_options: { previous_post_id: id } });

  test("makes a new version within an hour, five times, with Premium", async () => {
    const me = owner();
    const first = (await me.post("/2/tweets", { text: "Version 0" })).word("data", "id");
    refused(
      await me.post("/2/tweets", edit(first, "Version 1")),
      403,
      forbidden("You are not permitted to edit Tweets; editing needs a Premium account."),
    );
    me.sandbox.person("sandbox_owner").subscription = "Premium";
    let latest = first;
    for (let i = 1; i <= 5; i++) {
      const heard = await me.post("/2/tweets", edit(latest, `Version ${i}`));
      expect(heard.status, heard.text).toBe(201);
      latest = heard.word("data", "id");
    }
    refused(
      await me.post("/2/tweets", edit(latest, "Version 6")),
      403,
      forbidden("This Tweet has no edits remaining."),
    );
    refused(
      await me.post("/2/tweets", edit(first, "Too late")),
      403,
      forbidden("You can only edit the latest version of a Tweet."),
    );
    const read = await me.get(`/2/tweets/${latest}?post.fields=edit_controls`);
    expect(read.at("data", "edit_history_post_ids")).toHaveLength(6);
    expect(read.at("data", "edit_controls")).toMatchObject({ edits_remaining: 0 });
    const own = await me.get(`/2/users/${me.sandbox.person("sandbox_owner").id}/tweets?max_results=5`);
    expect(own.ids.filter((id) => [first, latest].includes(id))).toEqual([latest]);
    expect((await me.get(`/2/tweets/${first}`)).word("data", "text")).toBe("Version 0");
  });

  test("ends after an hour, and is not for polls", async () => {
    const me = owner();
    me.sandbox.person("sandbox_owner").subscription = "Premium";
    const poll = (
      await me.post("/2/tweets", { text: "Tea?", poll: { options: ["a", "b"], duration_minutes: 5 } })
    ).word("data", "id");
    refused(
      await me.post("/2/tweets", edit(poll, "Coffee?")),
      403,
      forbidden("This kind of Tweet can not be edited."),
    );
    const post = (await me.post("/2/tweets", { text: "Soon too old" })).word("data", "id");
    me.sandbox.clock.advance(hour / 2);
    const edited = (await me.post("/2/tweets", edit(post, "Half an hour old"))).word("data", "id");
    me.sandbox.clock.advance(hour / 2);
    refused(
      await me.post("/2/tweets", edit(edited, "Too old")),
      403,
      forbidden("This Tweet can no longer be edited."),
    );
  });
});

describe("deleting and hiding", () => {
  test("one deletes one's own posts, and they are gone from everywhere", async () => {
    const me = owner();
    const { sandbox } = me;
    const id = (await me.post("/2/tweets", { text: "Soon gone" })).word("data", "id");
    await me.post(`/2/users/${sandbox.person("sandbox_owner").id}/bookmarks`, { tweet_id: id });
    expect((await me.delete(`/2/tweets/${id}`)).body).toEqual({ data: { deleted: true } });
    expect((await me.get(`/2/tweets/${id}`)).body).toEqual({
      errors: [
        {
          value: id,
          detail: `Could not find tweet with id: [${id}].`,
          title: "Not Found Error",
          resource_type: "tweet",
          parameter: "id",
          resource_id: id,
          type: "https://api.x.com/2/problems/resource-not-found",
        },
      ],
    });
    expect((await me.get(`/2/users/${sandbox.person("sandbox_owner").id}/bookmarks`)).ids).not.toContain(id);
    expect((await me.delete(`/2/tweets/${id}`)).status).toBe(404);
    const theirs = sandbox.say("sandbox_friend", "Mine, not yours");
    refused(
      await me.delete(`/2/tweets/${theirs.id}`),
      403,
      forbidden("You are not authorized to delete this Tweet."),
    );
  });

  test("one hides other people's replies in one's own conversations", async () => {
    const me = owner();
    const { sandbox } = me;
    const id = (await me.post("/2/tweets", { text: "Come and talk" })).word("data", "id");
    const answer = sandbox.say("sandbox_friend", "Noise", { inReplyTo: id });
    expect((await me.put(`/2/tweets/${answer.id}/hidden`, { hidden: true })).body).toEqual({
      data: { hidden: true },
    });
    expect((await me.put(`/2/tweets/${answer.id}/hidden`, { hidden: false })).body).toEqual({
      data: { hidden: false },
    });
    const elsewhere = sandbox.say("sandbox_friend", "Not here");
    refused(
      await me.put(`/2/tweets/${elsewhere.id}/hidden`, { hidden: true }),
      403,
      forbidden("You can only hide other people's replies in your own conversations."),
    );
  });

  test("an app alone writes nothing", async () => {
    const me = owner();
    const heard = await app(me.sandbox).post("/2/tweets", { text: "By nobody" });
    refused(heard, 403, {
      title: "Unsupported Authentication",
      detail:
        "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint. Supported authentication types are [OAuth 2.0 User Context, OAuth 1.0a User Context].",
      type: "https://api.twitter.com/2/problems/unsupported-authentication",
      status: 403,
    });
  });
});
