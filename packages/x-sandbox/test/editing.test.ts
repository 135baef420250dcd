import { describe, expect, test } from "vitest";
import { owner } from "./caller.ts";
import { forbidden, refused } from "./refusals.ts";

const hour = 3_600_000;

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
  test("deleting an own post removes it everywhere", async () => {
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

  test("replies of others can be hidden in one's own conversations", async () => {
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
});
