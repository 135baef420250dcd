import { describe, expect, test } from "vitest";
import { owner } from "./caller.ts";
import { refused } from "./refusals.ts";

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

  test("an app that is not enrolled is rejected everywhere", async () => {
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
