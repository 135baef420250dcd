import { describe, expect, test } from "vitest";
import { owner } from "./caller.ts";

describe("fields and expansions", () => {
  test("without any, a post is its id, its text and its versions", async () => {
    const me = owner();
    const post = me.sandbox.say("sandbox_friend", "Hello @sandbox_owner #maps");
    expect((await me.get(`/2/tweets/${post.id}`)).body).toEqual({
      data: { id: post.id, text: "Hello @sandbox_owner #maps", edit_history_post_ids: [post.id] },
    });
  });

  test("requested fields are added, and an expansion includes its resources", async () => {
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

  test("callers that use the old names get them back", async () => {
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

  test("metrics match the data", async () => {
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
  test("unavailable resources are listed next to available ones", async () => {
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

  test("a suspended person is reported as suspended", async () => {
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
