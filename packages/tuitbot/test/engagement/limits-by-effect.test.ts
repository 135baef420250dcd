import { EFFECTS, type JsonObject } from "@toolpact/contract";
import { type OperationId, operations } from "@toolpact/x-api";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { releaseItem } from "../../src/approval/release.ts";
import { configSchema } from "../../src/config/schema.ts";
import { createDraft } from "../../src/drafts/store-draft.ts";
import { mutationOf } from "../../src/guards/call/mutation.ts";
import { isRaw } from "../../src/guards/call/tool-facts.ts";
import { limitsFor } from "../../src/guards/policy/limits.ts";
import { fullCatalog } from "../../src/server/catalog.ts";
import { THREAD_SIZE } from "../../src/writing/write.ts";
import { type Engagement, operationRow, operationTable } from "../../src/x/operation-table.ts";
import { policy } from "../policies.ts";
import { type Desk, openDesk, ownerOf } from "./desk.ts";
import { pass, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

/** Tools that a client can make X publish something with: typed, in X's own terms, or through another tool. */
const publishing = fullCatalog.tools.filter(
  ({ facts, effects, openWorld }) =>
    effects.some((effect) => EFFECTS[effect].mutates) &&
    (facts.operations?.some((id) => operationRow(id)?.publishes !== undefined) ||
      (isRaw(facts) && effects.includes("create")) ||
      (facts.isLocal && openWorld && facts.action === undefined)),
);

/** Tools covered by other tests: approvals, drafts, replies to others, and undoing. */
const besides = ["approve_all", "approve_item", "compose_tweet", "propose_and_queue_replies", "undo_last"];

let counter = 0;
/** Different words each time, to avoid the rules about repetition. */
const words = () => `Thought number ${++counter} about ${["rye", "wheat", "spelt", "oats"][counter % 4]}`;
const raw = (body: JsonObject) => desk.call("x_post", { path: "/2/tweets", body: JSON.stringify(body) });
const ownPost = () => postsOf(desk).find(({ repostOf }) => repostOf === undefined)?.id ?? "";
const friendsPost = () => desk.sandbox.say(cast.friend, `A question, number ${++counter}?`).id;
const draftOf = async (...texts: string[]) =>
  (await createDraft(bookOf(), { texts, topic: "bread", framework: "tip", writer: "a person" })).id;
const bookOf = () => ({
  ...desk.services.db,
  now: () => desk.sandbox.clock.now(),
  access: desk.services.x.access,
});

/** Ways to publish, by the tool that a client calls: each is tried on its own and after all the others. */
const ways: Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>> = {
  x_post_tweet: { "a post": () => desk.call("x_post_tweet", { text: words() }) },
  make_calls: {
    "a post in a list of calls": () =>
      desk.call("make_calls", { calls: [{ tool: "x_post_tweet", args: { text: words() } }] }),
  },
  x_reply_to_tweet: {
    "a reply to oneself": () => desk.call("x_reply_to_tweet", { text: words(), in_reply_to_id: ownPost() }),
  },
  x_quote_tweet: {
    "a quote": () => desk.call("x_quote_tweet", { text: words(), quoted_tweet_id: friendsPost() }),
    "a quote of oneself": () => desk.call("x_quote_tweet", { text: words(), quoted_tweet_id: ownPost() }),
  },
  x_post_thread: {
    "a thread": () => desk.call("x_post_thread", { tweets: [words(), words()] }),
    "a long thread": () => desk.call("x_post_thread", { tweets: Array.from({ length: 25 }, words) }),
    "a thread of one": () => desk.call("x_post_thread", { tweets: [words()] }),
    "a thread that is cut": async () => {
      desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
      const tweets = [words(), words()];
      const { error } = await desk.call("x_post_thread", { tweets });
      await desk.call("x_post_thread", { tweets, resume: String(error?.details?.resume) });
      await desk.call("x_post_thread", { tweets });
      desk.sandbox.faults.clear();
    },
  },
  x_post: {
    "a raw post": () => raw({ text: words() }),
    "a raw reply to oneself": () => raw({ text: words(), reply: { in_reply_to_tweet_id: ownPost() } }),
    "a raw quote": () => raw({ text: words(), quote_tweet_id: friendsPost() }),
    "a raw poll": () => raw({ text: words(), poll: { options: ["a", "b"], duration_minutes: 60 } }),
  },
  publish_draft: {
    "a draft": async () => desk.call("publish_draft", { id: await draftOf(words()) }),
    "a draft of a thread": async () => desk.call("publish_draft", { id: await draftOf(words(), words()) }),
    "a scheduled draft": async () => {
      const id = await draftOf(words(), words());
      const scheduled_for = new Date(desk.sandbox.clock.now() + 60_000).toISOString();
      await desk.call("schedule_draft", { id, scheduled_for });
      desk.sandbox.clock.advance(61_000);
      await pass(desk, "scheduled");
    },
  },
  x_retweet: {},
};

async function releaseAll() {
  const { db } = desk.services.db.store;
  for (const { id, digest } of await db.selectFrom("approvals").select(["id", "digest"]).execute())
    await releaseItem(desk.services.approvals, id, { digest, by: "somebody" });
}

/** The owner's published texts as X has them: replies to others have a separate limit. */
function published() {
  const owner = ownerOf(desk);
  return postsOf(desk).filter(
    ({ repostOf, replyTo }) => repostOf === undefined && (replyTo === undefined || replyTo.userId === owner),
  );
}

const MOST = 3;
const limits = { max_tweets_per_day: MOST };

describe("the limit of posts a day", () => {
  test("is tried through every tool that can publish", () => {
    expect([...Object.keys(ways), ...besides].sort()).toEqual(publishing.map(({ name }) => name).sort());
  });

  const each = Object.values(ways).flatMap((byName) => Object.entries(byName));
  test.each(each)("is not exceeded by %s", async (_, publish) => {
    desk = await openDesk({ config: { limits } });
    await desk.call("x_post_tweet", { text: words() });
    for (let i = 0; i < MOST + 2; i++) await publish();
    expect(published().length).toBeLessThanOrEqual(MOST);
    expect(published().length).toBeGreaterThan(0);
    // Unpublished posts have used up nothing: the day can be filled to its last place.
    while (published().length < MOST)
      expect(await desk.call("x_post_tweet", { text: words() })).toMatchObject({ success: true });
    expect(await desk.call("x_post_tweet", { text: words() })).toMatchObject({
      error: { code: "policy_denied_rate_limited", details: { limit: "tweets_per_day" } },
    });
    await publish();
    expect(published()).toHaveLength(MOST);
  });

  test("is not exceeded by approvals that are released later", async () => {
    desk = await openDesk({ config: { approval_mode: true, limits } });
    for (let i = 0; i < MOST + 2; i++) await desk.call("x_post_tweet", { text: words() });
    await desk.call("x_post_thread", { tweets: [words(), words()] });
    await releaseAll();
    expect(published()).toHaveLength(MOST);
  });

  test("holds for the posts of a thread that is continued on another day", async () => {
    desk = await openDesk({ config: { limits } });
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    const tweets = [words(), words(), words()];
    await desk.call("x_post_thread", { tweets });
    desk.sandbox.faults.clear();
    desk.sandbox.clock.advance(25 * 3_600_000);
    const nextDay = desk.sandbox.clock.now();
    const today = () => published().filter(({ at }) => at >= nextDay);
    await desk.call("x_post_tweet", { text: words() });
    await desk.call("x_post_thread", { tweets });
    for (let i = 0; i < MOST; i++) await desk.call("x_post_tweet", { text: words() });
    expect(today()).toHaveLength(MOST);
  });

  test("refuses a thread that is longer than a day allows, and does not say to wait", async () => {
    desk = await openDesk({ config: { limits } });
    const { error } = await desk.call("x_post_thread", { tweets: Array.from({ length: 25 }, words) });
    expect(error).toMatchObject({
      code: "policy_denied_rate_limited",
      details: { limit: "tweets_per_day", max: MOST, needed: 25 },
      message: expect.stringContaining("can never fit"),
      suggested_fix: `Publish at most ${MOST} posts, or have the operator raise limits.max_tweets_per_day to 25 or more.`,
    });
    expect(error).not.toHaveProperty("rate_limit_reset");
  });

  test("leaves room for the longest thread that we write ourselves, with the default settings", async () => {
    desk = await openDesk({ config: { limits: { ...configSchema.parse({}).limits } } });
    const tweets = Array.from({ length: THREAD_SIZE[1] }, words);
    expect(await desk.call("x_post_thread", { tweets })).toMatchObject({ success: true });
    expect(published()).toHaveLength(THREAD_SIZE[1]);
  });

  test("is used up by everything that publishes at X, whichever request does it", () => {
    for (const [id, row] of Object.entries(operationTable)) {
      if (row.publishes !== "post") continue;
      const { path, method } = operations[id as OperationId];
      const tool = fullCatalog.get("x_post");
      const parsed = tool?.parse({ path: path.replace(/\{\w+\}/g, "1"), body: '{"text":"a"}' });
      if (tool === undefined || !parsed?.ok || method !== "POST") throw new Error(id);
      const mutation = mutationOf({ tool, ...parsed.value });
      if (mutation === undefined) throw new Error(id);
      const action = { ...mutation.policy, isByPerson: false, isSecondReply: false, mentions: false };
      expect(limitsFor(policy(), action).map(({ key }) => key)).toContain("tweets_per_day");
    }
  });
});

describe("the limit of replies a day", () => {
  const replies = () => postsOf(desk).filter(({ replyTo }) => replyTo !== undefined);
  const replying: Readonly<Record<string, () => Promise<unknown>>> = {
    x_reply_to_tweet: () => desk.call("x_reply_to_tweet", { text: words(), in_reply_to_id: friendsPost() }),
    x_post: () => raw({ text: words(), reply: { in_reply_to_tweet_id: friendsPost() } }),
    "x_post with a quote": () =>
      raw({ text: words(), quote_tweet_id: ownPost(), reply: { in_reply_to_tweet_id: friendsPost() } }),
    propose_and_queue_replies: async () => {
      const candidate_id = friendsPost();
      desk.sandbox.clock.advance(60_000);
      await desk.call("find_reply_opportunities", { query: "question", min_score: 0 });
      await desk.call("propose_and_queue_replies", { items: [{ candidate_id, pre_drafted_text: words() }] });
    },
  };
  test.each(Object.entries(replying))("is reached and not exceeded by %s", async (_, reply) => {
    desk = await openDesk({ config: { limits: { max_replies_per_day: MOST } } });
    await desk.call("x_post_tweet", { text: words() });
    for (let i = 0; i < MOST + 2; i++) await reply();
    expect(replies()).toHaveLength(MOST);
    for (const other of Object.values(replying)) await other();
    expect(replies()).toHaveLength(MOST);
  });
});

describe("a mention of somebody who did not ask for it", () => {
  const mention = () => `Hello @${cast.stranger}, ${words()}`;
  const thread = () => [words(), mention()];
  const mentioning: Readonly<Record<string, () => Promise<unknown>>> = {
    "a post": () => desk.call("x_post_tweet", { text: mention() }),
    "a reply to oneself": () => desk.call("x_reply_to_tweet", { text: mention(), in_reply_to_id: ownPost() }),
    "a reply to somebody else": () =>
      desk.call("x_reply_to_tweet", { text: mention(), in_reply_to_id: friendsPost() }),
    "a quote": () => desk.call("x_quote_tweet", { text: mention(), quoted_tweet_id: friendsPost() }),
    "a thread": () => desk.call("x_post_thread", { tweets: thread() }),
    "a raw post": () => raw({ text: mention() }),
    "a raw reply to oneself": () => raw({ text: mention(), reply: { in_reply_to_tweet_id: ownPost() } }),
    "a raw reply": () => raw({ text: mention(), reply: { in_reply_to_tweet_id: friendsPost() } }),
    "a person tagged in a picture": () =>
      raw({
        text: words(),
        media: { media_ids: ["1"], tagged_user_ids: [desk.sandbox.person(cast.stranger).id] },
      }),
    "a draft": async () => desk.call("publish_draft", { id: await draftOf(mention()) }),
    "a draft of a thread": async () => desk.call("publish_draft", { id: await draftOf(...thread()) }),
  };

  test.each(Object.entries(mentioning))("in %s waits for a person", async (what, publish) => {
    desk = await openDesk();
    await desk.call("x_post_tweet", { text: words() });
    await publish();
    expect(postsOf(desk)).toHaveLength(1);
    const waiting = await desk.services.db.store.db.selectFrom("approvals").select("rule_id").execute();
    // In a reply to somebody else, a name that is not the account's own is already a sign of injection.
    const isJudged = ["a reply to somebody else", "a raw reply"].includes(what);
    expect(waiting).toEqual([{ rule_id: isJudged ? "hard:injection" : "hard:x_unsolicited_mention" }]);
  });

  test("is not seen in a reply that names its author", async () => {
    desk = await openDesk();
    const answer = await desk.call("x_reply_to_tweet", {
      text: `@${cast.friend} ${words()}`,
      in_reply_to_id: friendsPost(),
    });
    expect(answer).toMatchObject({ success: true });
  });
});

describe("what publishes asks a person", () => {
  const { require_approval_for } = configSchema.parse({}).mcp_policy;
  const others = ["a repost", "a raw repost"];
  const all: Readonly<Record<string, () => Promise<unknown>>> = {
    ...Object.fromEntries(Object.values(ways).flatMap((byName) => Object.entries(byName))),
    "a reply": () => desk.call("x_reply_to_tweet", { text: words(), in_reply_to_id: friendsPost() }),
    "a repost": () => desk.call("x_retweet", { tweet_id: friendsPost() }),
    "a raw repost": () =>
      desk.call("x_post", {
        path: `/2/users/${ownerOf(desk)}/retweets`,
        body: JSON.stringify({ tweet_id: friendsPost() }),
      }),
  };

  test.each(Object.entries(all))("by default, also without approval mode: %s", async (_, publish) => {
    desk = await openDesk({ config: { mcp_policy: { require_approval_for: [...require_approval_for] } } });
    await desk.call("x_post_tweet", { text: words() });
    await releaseAll();
    await publish();
    expect(postsOf(desk)).toHaveLength(1);
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 1 });
  });

  const posts = Object.entries(all).filter(([name]) => ![...others, "a reply"].includes(name));
  test.each(posts)("where only posts are named: %s", async (_, publish) => {
    desk = await openDesk({ config: { mcp_policy: { require_approval_for: ["x_post_tweet"] } } });
    await desk.call("x_post_tweet", { text: words() });
    await releaseAll();
    await publish();
    expect(postsOf(desk)).toHaveLength(1);
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 1 });
  });

  // Without a post of the account there is no thread to continue.
  const first = posts.filter(([name]) => !name.includes("oneself"));
  test.each(first)("and nothing where posts are blocked: %s", async (_, publish) => {
    desk = await openDesk({ config: { mcp_policy: { blocked_tools: ["x_post_tweet"] } } });
    await publish();
    expect(postsOf(desk)).toEqual([]);
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 0 });
  });
});

describe("an operator's own limit", () => {
  const limit = (dimension: string, match_value: string) => ({
    mcp_policy: {
      rate_limits: [{ key: "mine", dimension, match_value, max_count: MOST, period_seconds: 86_400 }],
    },
  });
  const each = Object.values(ways).flatMap((byName) => Object.entries(byName));

  test.each(each)("on x_post_tweet counts every post of %s", async (_, publish) => {
    desk = await openDesk({ config: limit("tool", "x_post_tweet") });
    await desk.call("x_post_tweet", { text: words() });
    for (let i = 0; i < MOST + 2; i++) await publish();
    expect(published().length).toBeLessThanOrEqual(MOST);
  });

  /** Every typed tool and request in X's own terms that has an effect of this kind. */
  const engaging = (engagement: Engagement) =>
    (Object.keys(operationTable) as OperationId[]).filter(
      (id) => operationRow(id)?.engagement === engagement,
    );
  test.each(["like", "repost", "bookmark", "follow"] as const)(
    "on engagement %s holds for typed and raw calls together",
    async (engagement) => {
      desk = await openDesk({ config: limit("engagement_type", engagement) });
      const [operation, ...more] = engaging(engagement);
      if (operation === undefined || more.length > 0) throw new Error(`Which operation is ${engagement}?`);
      const tool = fullCatalog.tools.find(({ facts }) => facts.operations?.[0] === operation);
      const caller = { transport: "cli" } as const;
      const people = [...desk.sandbox.world.people.values()].filter(({ id }) => id !== ownerOf(desk));
      const one = (at: number) =>
        engagement === "follow" ? { target_user_id: people[at]?.id ?? "" } : { tweet_id: friendsPost() };
      for (let at = 0; at < MOST + 2; at++) {
        const body = one(at);
        const path = operations[operation].path.replace("{id}", ownerOf(desk));
        await desk.call("x_post", { path, body: JSON.stringify(body) }, caller);
        const [value = ""] = Object.values(one(at + 6));
        await desk.call(
          tool?.name ?? "",
          engagement === "follow" ? { target_user_id: value } : { tweet_id: value },
          caller,
        );
      }
      expect(desk.sandbox.journal.of(operation).filter(({ status }) => status === 200)).toHaveLength(MOST);
    },
  );
});

describe("the autopilot", () => {
  const bakery = { business: { industry_topics: ["crust"] }, schedule: { preferred_times: [] } };

  test("publishes threads that fit into the day, and writes none where there is no room", async () => {
    desk = await openDesk({ config: { ...bakery, limits: { max_tweets_per_day: 5 } } });
    expect(await pass(desk, "threads")).toMatchObject({ threads: { counts: { sent: 1 } } });
    const { length } = published();
    expect(length).toBeLessThanOrEqual(5);
    desk.sandbox.clock.advance(8 * 24 * 3_600_000);
    for (let i = 0; i < 2; i++) await desk.call("x_post_tweet", { text: words() });
    expect(await pass(desk, "threads")).toMatchObject({
      threads: { status: "skipped", reason: "limits.max_tweets_per_day leaves room for 3 posts" },
    });
    expect(published()).toHaveLength(length + 2);
  });
});
