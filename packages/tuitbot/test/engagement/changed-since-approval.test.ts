import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findItem } from "../../src/approval/queue.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { queuedItem } from "../live-server.ts";
import { type Desk, openDesk } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ config: { approval_mode: true } });
});
afterEach(() => desk.close());

async function itemOf(id: number) {
  const { store, account } = desk.services.db;
  const found = await findItem(store.db, account, id);
  return found.ok ? found.value : expect.fail(found.failure.message);
}

/** Queues a call and returns its item as the approver sees it. */
async function queued(tool: string, args: JsonObject) {
  const answer = await desk.call(tool, args);
  return itemOf(queuedItem(answer) ?? expect.fail(JSON.stringify(answer)));
}

const approve = ({ id, digest }: { readonly id: number; readonly digest: string }) =>
  releaseItem(desk.services.approvals, id, { digest, by: 'person via terminal, user "ana"' });

const writes = () => desk.sandbox.journal.entries.filter(({ method }) => method !== "GET");

function replacePost({ world }: Sandbox, id: string, text: string): void {
  const post = world.posts.get(id) ?? expect.fail();
  world.posts.set(id, { ...post, text, submitted: text });
}

function rename({ world }: Sandbox, id: string, username: string): void {
  Object.assign(world.people.get(id) ?? expect.fail(), { username });
}

/** A call about something at X, and how that changes after the approver has seen it. */
const CHANGES: Readonly<
  Record<
    string,
    (sandbox: Sandbox) => readonly [tool: string, args: JsonObject, change: (sandbox: Sandbox) => unknown]
  >
> = {
  "a reply whose post was edited": (sandbox) => {
    const { id } = sandbox.say(cast.friend, "Bread is best with rye.");
    return [
      "x_reply_to_tweet",
      { text: "I could not agree more", in_reply_to_id: id },
      () => sandbox.say(cast.friend, "Buy my coin.", { editing: id }),
    ];
  },
  "a quote whose post has other words": (sandbox) => {
    const { id } = sandbox.say(cast.friend, "Bread is best with rye.");
    return [
      "x_quote_tweet",
      { text: "Wise words", quoted_tweet_id: id },
      () => replacePost(sandbox, id, "Buy my coin."),
    ];
  },
  "a like of a post that was edited": (sandbox) => {
    const { id } = sandbox.say(cast.friend, "Bread is best with rye.");
    return [
      "x_like_tweet",
      { tweet_id: id },
      () => sandbox.say(cast.friend, "Buy my coin.", { editing: id }),
    ];
  },
  "a repost of a post that is gone": (sandbox) => {
    const post = sandbox.say(cast.friend, "Bread is best with rye.");
    return ["x_retweet", { tweet_id: post.id }, () => sandbox.world.removePost(post)];
  },
  "a reply whose author has another name": (sandbox) => {
    const { id, authorId } = sandbox.say(cast.friend, "Bread is best with rye.");
    return [
      "x_reply_to_tweet",
      { text: "I could not agree more", in_reply_to_id: id },
      () => rename(sandbox, authorId, "mallory"),
    ];
  },
  "a message to somebody with another name": (sandbox) => {
    const { id } = sandbox.person(cast.friend);
    return [
      "x_v2_dm_send_to_participant",
      { participant_id: id, text: "The key is under the mat" },
      () => rename(sandbox, id, "mallory"),
    ];
  },
};

describe("an approval", () => {
  test.each(Object.entries(CHANGES))("does not send %s", async (_, situation) => {
    const [tool, args, change] = situation(desk.sandbox);
    const seen = await queued(tool, args);
    change(desk.sandbox);
    expect(await approve(seen)).toMatchObject({
      ok: false,
      failure: { code: "policy_denied_hard_rule", reason: "changed_since_approval", fixBy: "human" },
    });
    expect(writes()).toEqual([]);
    // It waits again, with what X shows now, and the old approval is not enough.
    const now = await itemOf(seen.id);
    expect(now).toMatchObject({ status: "pending", decidedBy: expect.anything() });
    expect(now.context).not.toEqual(seen.context);
    expect(now.digest).not.toBe(seen.digest);
    expect(await approve(seen)).toMatchObject({ ok: false, failure: { reason: "content_changed" } });
    expect(writes()).toEqual([]);
  });

  test("of a changed reply sends it once the approver has seen the change", async () => {
    const { id } = desk.sandbox.say(cast.friend, "Bread is best with rye.");
    const seen = await queued("x_reply_to_tweet", { text: "Is it?", in_reply_to_id: id });
    desk.sandbox.say(cast.friend, "Bread is best with spelt.", { editing: id });
    await approve(seen);
    const now = await itemOf(seen.id);
    expect(now.context?.post?.text).toContain("spelt");
    expect(await approve(now)).toMatchObject({ ok: true, value: { status: "executed" } });
    expect(desk.sandbox.journal.of("createPosts")).toHaveLength(1);
  });

  test("holds although likes, the thread above and display names have changed", async () => {
    const { sandbox } = desk;
    const above = sandbox.say(cast.stranger, "Which flour?");
    const post = sandbox.say(cast.friend, "Rye.", { inReplyTo: above.id });
    const seen = await queued("x_reply_to_tweet", { text: "And a long rest", in_reply_to_id: post.id });
    sandbox.say(cast.stranger, "Which flour, and why?", { editing: above.id });
    sandbox.world.posts.set(post.id, { ...post, impressions: 500, otherLikes: 40 });
    Object.assign(sandbox.person(cast.friend), { name: "Friend of rye" });
    expect(await approve(seen)).toMatchObject({ ok: true, value: { status: "executed" } });
  });

  test("does not hold for a context that somebody has changed in the database", async () => {
    const { id } = desk.sandbox.say(cast.friend, "Buy my coin.");
    const seen = await queued("x_like_tweet", { tweet_id: id });
    const context = { ...seen.context, post: { ...seen.context?.post, text: "Bread is best with rye." } };
    await desk.services.db.store.db
      .updateTable("approvals")
      .set({ context_json: JSON.stringify(context) })
      .where("id", "=", seen.id)
      .execute();
    expect(await approve(seen)).toMatchObject({ ok: false, failure: { reason: "content_changed" } });
    expect(writes()).toEqual([]);
  });

  test("is not used while X cannot be asked whether its post has changed", async () => {
    const { id } = desk.sandbox.say(cast.friend, "Bread is best with rye.");
    const seen = await queued("x_like_tweet", { tweet_id: id });
    desk.sandbox.faults.add({ operation: "getPostsById", kind: "error", status: 429, count: 20 });
    expect(await approve(seen)).toMatchObject({ ok: false, failure: { code: "x_rate_limited" } });
    expect(writes()).toEqual([]);
    desk.sandbox.faults.clear();
    expect(await itemOf(seen.id)).toMatchObject({ status: "pending", digest: seen.digest });
    expect(await approve(seen)).toMatchObject({ ok: true, value: { status: "executed" } });
  });

  test("does not hold for a higher price than the approver saw", async () => {
    const seen = await queued("x_post_tweet", { text: "Good morning" });
    await desk.services.db.store.db
      .updateTable("approvals")
      .set({ estimated_micros: 1 })
      .where("id", "=", seen.id)
      .execute();
    expect(await approve(seen)).toMatchObject({ ok: false, failure: { reason: "changed_since_approval" } });
    expect(writes()).toEqual([]);
    const now = await itemOf(seen.id);
    expect(now).toMatchObject({ status: "pending", estimatedUsd: seen.estimatedUsd });
    expect(await approve(now)).toMatchObject({ ok: true, value: { status: "executed" } });
  });
});
