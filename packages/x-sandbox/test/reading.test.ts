import { describe, expect, test } from "vitest";
import { app, as, owner } from "./caller.ts";

describe("fields and expansions", () => {
  test("without any, a post is its id, its text and its versions", async () => {
    const me = owner();
    const post = me.sandbox.say("sandbox_friend", "Hello @sandbox_owner #maps");
    expect((await me.get(`/2/tweets/${post.id}`)).body).toEqual({
      data: { id: post.id, text: "Hello @sandbox_owner #maps", edit_history_post_ids: [post.id] },
    });
  });

  test("fields that were asked for are added, and an expansion brings what it names", async () => {
    const me = owner();
    const { sandbox } = me;
    const first = sandbox.say("sandbox_owner", "First");
    const answer = sandbox.say("sandbox_friend", "Second", { inReplyTo: first.id });
    const heard = await me.get(
      `/2/tweets/${answer.id}?post.fields=created_at,entities,lang,public_metrics,conversation_id&expansions=author_id,referenced_posts,in_reply_to_user_id&user.fields=verified_type`,
    );
    const [mine, friend] = [sandbox.person("sandbox_owner"), sandbox.person("sandbox_friend")];
    expect(heard.body).toEqual({
      data: {
        id: answer.id,
        text: "@sandbox_owner Second",
        edit_history_post_ids: [answer.id],
        created_at: "2026-09-01T12:00:00.000Z",
        entities: { mentions: [{ start: 0, end: 14, username: "sandbox_owner", id: mine.id }] },
        lang: "en",
        public_metrics: {
          repost_count: 0,
          reply_count: 0,
          like_count: 0,
          quote_count: 0,
          bookmark_count: 0,
          impression_count: 0,
        },
        conversation_id: first.id,
        author_id: friend.id,
        in_reply_to_user_id: mine.id,
        referenced_posts: [{ type: "replied_to", id: first.id }],
      },
      includes: {
        users: [
          {
            id: friend.id,
            name: "Sandbox Friend",
            username: "sandbox_friend",
            verified_type: friend.verified,
          },
          { id: mine.id, name: "Sandbox Owner", username: "sandbox_owner", verified_type: "none" },
        ],
        posts: [
          expect.objectContaining({ id: first.id, text: "First", created_at: "2026-09-01T12:00:00.000Z" }),
        ],
      },
    });
  });

  test("callers who say tweet are answered in the older words", async () => {
    const me = owner();
    const first = me.sandbox.say("sandbox_owner", "First");
    const answer = me.sandbox.say("sandbox_friend", "Second", { inReplyTo: first.id });
    const heard = await me.get(
      `/2/tweets/${answer.id}?tweet.fields=author_id,public_metrics,referenced_tweets&expansions=referenced_tweets.id,referenced_tweets.id.author_id&user.fields=public_metrics`,
    );
    expect(heard.at("data")).toMatchObject({
      edit_history_tweet_ids: [answer.id],
      author_id: me.sandbox.person("sandbox_friend").id,
      public_metrics: { retweet_count: 0 },
      referenced_tweets: [{ type: "replied_to", id: first.id }],
    });
    expect(heard.at("includes", "tweets", 0, "id")).toBe(first.id);
    expect(heard.at("includes", "users", 0, "public_metrics", "tweet_count")).toBeTypeOf("number");
  });

  test("metrics count what is there", async () => {
    const me = owner();
    const { sandbox } = me;
    const post = sandbox.say("sandbox_friend", "Count me");
    sandbox.say("sandbox_unknown", "Answer", { inReplyTo: post.id });
    sandbox.say("sandbox_unknown", "Quote", { quoting: post.id });
    const id = sandbox.person("sandbox_owner").id;
    expect((await me.post(`/2/users/${id}/retweets`, { tweet_id: post.id })).at("data", "retweeted")).toBe(
      true,
    );
    await me.post(`/2/users/${id}/bookmarks`, { tweet_id: post.id });
    const read = () => me.get(`/2/tweets/${post.id}?post.fields=public_metrics`);
    expect((await read()).at("data", "public_metrics")).toMatchObject({
      reply_count: 1,
      quote_count: 1,
      repost_count: 1,
      bookmark_count: 1,
    });
    expect((await me.post(`/2/users/${id}/retweets`, { tweet_id: post.id })).status).toBe(403);
    await me.delete(`/2/users/${id}/retweets/${post.id}`);
    await me.delete(`/2/users/${id}/bookmarks/${post.id}`);
    expect((await read()).at("data", "public_metrics")).toMatchObject({ repost_count: 0, bookmark_count: 0 });
  });
});

describe("partial errors", () => {
  test("what cannot be shown is named beside what can", async () => {
    const me = owner();
    const { sandbox } = me;
    const seen = sandbox.say("sandbox_friend", "Here");
    const hidden = sandbox.say("sandbox_shy", "For followers");
    const heard = await me.get(`/2/tweets?ids=${seen.id},${hidden.id},42`);
    expect(heard.status).toBe(200);
    expect(heard.ids).toEqual([seen.id]);
    expect(heard.at("errors")).toEqual([
      {
        value: hidden.id,
        detail: `Sorry, you are not authorized to see the tweet with ids: [${hidden.id}].`,
        title: "Authorization Error",
        section: "data",
        resource_type: "tweet",
        parameter: "ids",
        resource_id: hidden.id,
        type: "https://api.x.com/2/problems/not-authorized-for-resource",
      },
      {
        value: "42",
        detail: "Could not find tweet with ids: [42].",
        title: "Not Found Error",
        resource_type: "tweet",
        parameter: "ids",
        resource_id: "42",
        type: "https://api.x.com/2/problems/resource-not-found",
      },
    ]);
  });

  test("a suspended person is said to be so", async () => {
    const heard = await owner().get("/2/users/by/username/sandbox_gone");
    expect(heard.status).toBe(200);
    expect(heard.body).toEqual({
      errors: [
        {
          value: "sandbox_gone",
          detail: "User has been suspended: [sandbox_gone].",
          title: "Forbidden",
          resource_type: "user",
          parameter: "username",
          resource_id: "sandbox_gone",
          type: "https://api.x.com/2/problems/resource-not-found",
        },
      ],
    });
  });

  test("a deleted post that another refers to is missing from the includes", async () => {
    const me = owner();
    const first = me.sandbox.say("sandbox_friend", "Soon gone");
    const quote = me.sandbox.say("sandbox_unknown", "Look", { quoting: first.id });
    me.sandbox.world.removePost(first);
    const heard = await me.get(`/2/tweets/${quote.id}?expansions=referenced_posts`);
    expect(heard.at("data", "referenced_posts")).toEqual([{ type: "quoted", id: first.id }]);
    expect(heard.at("includes")).toBeUndefined();
    expect(heard.at("errors", 0, "resource_id")).toBe(first.id);
  });

  test("private metrics are for the author", async () => {
    const me = owner();
    const mine = me.sandbox.say("sandbox_owner", "Mine");
    const theirs = me.sandbox.say("sandbox_friend", "Theirs");
    const heard = await me.get(`/2/tweets?ids=${mine.id},${theirs.id}&post.fields=non_public_metrics`);
    expect(heard.at("data", 0, "non_public_metrics")).toBeDefined();
    expect(heard.at("data", 1, "non_public_metrics")).toBeUndefined();
    expect(heard.at("errors", 0)).toMatchObject({
      field: "non_public_metrics",
      type: "https://api.x.com/2/problems/not-authorized-for-field",
    });
  });
});

describe("requests are checked against the operation table", () => {
  test.each([
    [
      "/2/users/me?colour=red",
      "colour",
      "The query parameter [colour] is not one of [user.fields,expansions,post.fields,tweet.fields]",
    ],
    [
      "/2/tweets/search/recent?query=maps&max_results=9",
      "max_results",
      "The `max_results` query parameter value [9] is not between 10 and 100",
    ],
    [
      "/2/tweets/search/recent?query=maps&max_results=ten",
      "max_results",
      "The `max_results` query parameter value [ten] is not valid",
    ],
    ["/2/tweets/search/recent", "query", "The `query` query parameter can not be empty"],
    ["/2/tweets/abc", "id", "The `id` query parameter value [abc] does not match ^[0-9]{1,19}$"],
    ["/2/users?ids=1,x", "ids", "The `ids` query parameter value [x] does not match ^[0-9]{1,19}$"],
    [
      "/2/users/me?expansions=author_id",
      "expansions",
      "The `expansions` query parameter value [author_id] is not one of",
    ],
    ["/2/tweets/search/recent?query=maps&start_time=yesterday", "start_time", "must be an ISO 8601 time"],
    [
      "/2/tweets/search/recent?query=maps&query=bread",
      "query",
      "The query parameter [query] must be given once",
    ],
    ["/2/tweets/search/recent?query=colour:red", "query", "Reference to invalid operator 'colour'"],
    [`/2/tweets/search/recent?query=${"m".repeat(513)}`, "query", "the limit of your access level is 512"],
  ])("%s", async (path, parameter, words) => {
    const heard = await owner().get(path);
    expect(heard.status).toBe(400);
    expect(heard.body).toMatchObject({
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: "https://api.twitter.com/2/problems/invalid-request",
    });
    expect(heard.at("errors", 0, "parameters", parameter)).toBeDefined();
    expect(heard.word("errors", 0, "message")).toContain(words);
  });

  test.each([
    [{ name: "n".repeat(26) }, "$.name: must be at most 25 characters long"],
    [{ description: "no name" }, "$.name: is missing but it is required"],
    [{ name: "x", private: "yes" }, "$.private: must be of type boolean"],
  ])("the body %o of a new list", async (body, words) => {
    const heard = await owner().post("/2/lists", body);
    expect(heard.status).toBe(400);
    expect(heard.word("errors", 0, "message")).toBe(words);
  });

  test("a body must be JSON and say so", async () => {
    const me = owner();
    const { accessToken } = me.sandbox.signIn();
    const send = (body: string, type: string) =>
      me.sandbox.fetch("https://api.x.com/2/tweets", {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${accessToken}`, "content-type": type },
      });
    expect((await send("text=x", "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await send("{", "application/json")).status).toBe(400);
    expect((await send("[]", "application/json")).status).toBe(400);
    expect((await send(JSON.stringify({ text: "x".repeat(2_000_000) }), "application/json")).status).toBe(
      413,
    );
  });
});

describe("people, lists and messages", () => {
  test("muting, following lists and pinning are seen by the one who did it", async () => {
    const me = owner();
    const { sandbox } = me;
    const [id, stranger] = [sandbox.person("sandbox_owner").id, sandbox.person("sandbox_unknown").id];
    expect((await me.post(`/2/users/${id}/muting`, { target_user_id: stranger })).body).toEqual({
      data: { muting: true },
    });
    expect((await me.get(`/2/users/${id}/muting`)).ids).toContain(stranger);
    expect((await me.delete(`/2/users/${id}/muting/${stranger}`)).body).toEqual({ data: { muting: false } });
    expect((await me.get(`/2/users/${id}/muting`)).ids).not.toContain(stranger);
    expect((await me.post(`/2/users/${id}/muting`, { target_user_id: id })).status).toBe(400);
    expect((await me.post(`/2/users/${id}/muting`, { target_user_id: "12" })).status).toBe(404);
  });

  test("a private list exists for its owner only, and only the owner changes a list", async () => {
    const me = owner();
    const friend = as(me.sandbox, "sandbox_friend");
    const hidden = (await me.post("/2/lists", { name: "Quiet", private: true })).word("data", "id");
    const open = (await me.post("/2/lists", { name: "Loud" })).word("data", "id");
    expect((await me.get(`/2/lists/${hidden}`)).at("data", "name")).toBe("Quiet");
    expect((await friend.get(`/2/lists/${hidden}`)).at("errors", 0, "resource_type")).toBe("list");
    expect((await friend.put(`/2/lists/${open}`, { name: "Mine now" })).body).toEqual({
      detail: "You are not allowed to change this list.",
      type: "about:blank",
      title: "Forbidden",
      status: 403,
    });
    await me.post(`/2/lists/${open}/members`, { user_id: me.sandbox.person("sandbox_friend").id });
    const post = me.sandbox.say("sandbox_friend", "For the list");
    expect((await me.get(`/2/lists/${open}/tweets?max_results=1`)).ids).toEqual([post.id]);
    await me.delete(`/2/lists/${open}`);
    expect((await me.get(`/2/lists/${open}`)).at("data")).toBeUndefined();
  });

  test("a message reaches both, and deleting it removes it for one", async () => {
    const me = owner();
    const friend = as(me.sandbox, "sandbox_friend");
    const [mine, theirs] = [me.sandbox.person("sandbox_owner").id, me.sandbox.person("sandbox_friend").id];
    const sent = await me.post(`/2/dm_conversations/with/${theirs}/messages`, { text: "Hello" });
    const event = sent.word("data", "dm_event_id");
    expect((await friend.get(`/2/dm_conversations/with/${mine}/dm_events?max_results=1`)).ids).toEqual([
      event,
    ]);
    await me.delete(`/2/dm_events/${event}`);
    expect((await me.get("/2/dm_events?max_results=1")).ids).not.toContain(event);
    expect((await friend.get("/2/dm_events?max_results=1")).ids).toEqual([event]);
    const stranger = as(me.sandbox, "sandbox_unknown");
    expect(
      (await stranger.get(`/2/dm_conversations/${sent.word("data", "dm_conversation_id")}/dm_events`)).ids,
    ).toEqual([]);
  });

  test("a post is shared in a message by its address", async () => {
    const me = owner();
    const post = me.sandbox.say("sandbox_unknown", "Share me");
    const friend = me.sandbox.person("sandbox_friend").id;
    const text = `Look: https://x.com/sandbox_unknown/status/${post.id}`;
    const sent = await me.post(`/2/dm_conversations/with/${friend}/messages`, { text });
    const heard = await me.get(
      `/2/dm_events/${sent.word("data", "dm_event_id")}?expansions=referenced_posts`,
    );
    expect(heard.at("data", "referenced_posts")).toEqual([{ id: post.id }]);
    expect(heard.at("includes", "posts", 0, "text")).toBe("Share me");
  });

  test("a message to somebody who does not take it is refused", async () => {
    const me = owner();
    const send = (user: string) =>
      me.post(`/2/dm_conversations/with/${me.sandbox.person(user).id}/messages`, { text: "Hi" });
    expect((await send("sandbox_unknown")).body).toMatchObject({
      detail: "You cannot send messages to this user.",
      status: 403,
    });
    expect((await send("sandbox_foe")).status).toBe(403);
    expect((await send("sandbox_owner")).status).toBe(400);
  });

  test("one who has blocked the caller cannot be followed, and a protected one does not answer", async () => {
    const me = owner({ plan: "enterprise" });
    const id = me.sandbox.person("sandbox_owner").id;
    const follow = (user: string) =>
      me.post(`/2/users/${id}/following`, { target_user_id: me.sandbox.person(user).id });
    expect((await follow("sandbox_foe")).body).toMatchObject({
      detail: "You have been blocked from following this account at their request.",
    });
    expect((await follow("sandbox_shy")).body).toEqual({ data: { following: false, pending_follow: true } });
  });

  test("only its creator sees who bought a ticket to a Space", async () => {
    const me = owner();
    const [space] = me.sandbox.world.spaces.values();
    const heard = await me.get(`/2/spaces/${space?.id}/buyers`);
    expect(heard.body).toMatchObject({ detail: "Only the creator of a Space can see who bought a ticket." });
    expect((await app(me.sandbox).get(`/2/spaces/${space?.id}`)).at("data", "state")).toBe(space?.state);
  });
});
