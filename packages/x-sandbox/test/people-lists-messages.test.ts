import { describe, expect, test } from "vitest";
import { app, as, owner } from "./caller.ts";

describe("people, lists and messages", () => {
  test("muting, following lists and pinning are visible to the user who did it", async () => {
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

  test("a post is shared in a message by its URL", async () => {
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

  test("a message to somebody with closed messages is rejected", async () => {
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

  test("a user who blocked the caller cannot be followed, and a protected one does not accept", async () => {
    const me = owner({ plan: "enterprise" });
    const id = me.sandbox.person("sandbox_owner").id;
    const follow = (user: string) =>
      me.post(`/2/users/${id}/following`, { target_user_id: me.sandbox.person(user).id });
    expect((await follow("sandbox_foe")).body).toMatchObject({
      detail: "You have been blocked from following this account at their request.",
    });
    expect((await follow("sandbox_shy")).body).toEqual({ data: { following: false, pending_follow: true } });
  });

  test("only the creator of a Space sees its ticket buyers", async () => {
    const me = owner();
    const [space] = me.sandbox.world.spaces.values();
    const heard = await me.get(`/2/spaces/${space?.id}/buyers`);
    expect(heard.body).toMatchObject({ detail: "Only the creator of a Space can see who bought a ticket." });
    expect((await app(me.sandbox).get(`/2/spaces/${space?.id}`)).at("data", "state")).toBe(space?.state);
  });
});
