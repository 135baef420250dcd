import { cast } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { FOUND_FIELDS, type FoundPost, foundPosts } from "../../src/discovery/found-post.ts";
import { rememberPosts } from "../../src/discovery/remember.ts";
import { labelText } from "../../src/publications/labels.ts";
import { deleteOldRows } from "../../src/storage/retention.ts";
import type { XObject } from "../../src/x/shapes/x-object.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { newSandbox, postedBy, serverOn } from "../storage/world.ts";

const config = configSchema.parse({ business: { product_keywords: ["rust", "zig"] } });

onBothEngines("publications", ({ open }) => {
  test("whatever goes out is written down once, whichever tool sent it", async () => {
    const store = await open();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox);
    const theirs = sandbox.say(cast.friend, "What about rust?");
    await labelText(
      store.db,
      server.session.account,
      "A tip about rust",
      { topic: "rust", format: "tip" },
      1,
    );

    await server.call("x_post_tweet", { text: "A tip about rust" });
    await server.call("x_reply_to_tweet", { text: "I think so", in_reply_to_id: theirs.id });
    await server.call("x_post_thread", { tweets: ["One of two", "Two of two"] });
    await server.call("x_post", { path: "/2/tweets", body: JSON.stringify({ text: "By hand" }) });
    const [first] = postedBy(sandbox);
    await server.call("x_reply_to_tweet", { text: "One more thing", in_reply_to_id: first?.id ?? "" });

    const rows = await store.db
      .selectFrom("publications")
      .select(["kind", "position", "text", "reply_to", "topic", "format", "measured_at"])
      .orderBy("post_id")
      .execute();
    expect(rows).toEqual([
      row("tweet", 0, "A tip about rust", { topic: "rust", format: "tip" }),
      row("reply", 0, "I think so", { reply_to: theirs.id }),
      row("thread", 0, "One of two"),
      row("thread", 1, "Two of two", { reply_to: postedBy(sandbox)[2]?.id }),
      row("tweet", 0, "By hand"),
      row("thread", 1, "One more thing", { reply_to: first?.id }),
    ]);
    const posted = postedBy(sandbox).map(({ id }) => id);
    const recorded = await store.db.selectFrom("publications").select("post_id").orderBy("post_id").execute();
    expect(recorded.map(({ post_id }) => post_id)).toEqual(posted);
    expect(
      await store.db.selectFrom("publication_totals").select(["kind", "published"]).orderBy("kind").execute(),
    ).toEqual([
      { kind: "reply", published: 1 },
      { kind: "thread", published: 3 },
      { kind: "tweet", published: 2 },
    ]);
  });

  test("what waits for a person or was refused is not out", async () => {
    const store = await open();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox, { config: { approval_mode: true } });
    await server.call("x_post_tweet", { text: "Later, perhaps" });
    expect(await store.db.selectFrom("publications").selectAll().execute()).toEqual([]);
  });

  test("a post whose answer got lost is written down when it is found", async () => {
    const store = await open();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox);
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    await server.call("x_post_tweet", { text: "Lost and found" });
    sandbox.clock.advance(60_000);
    await server.call("x_post_tweet", { text: "Lost and found" });
    const rows = await store.db.selectFrom("publications").select("post_id").execute();
    expect(rows.map(({ post_id }) => post_id)).toEqual(postedBy(sandbox).map(({ id }) => id));
    expect(rows).toHaveLength(1);
  });

  test("replies add up by author and day, and mark what they answer", async () => {
    const store = await open();
    const sandbox = newSandbox();
    const server = serverOn(store, sandbox, { config: { limits: { max_replies_per_author_per_day: 9 } } });
    const posts = ["About rust", "About zig", "About nothing"].map((text) => sandbox.say(cast.friend, text));
    for (const [index, { id }] of posts.entries()) {
      await remember(id);
      if (index === 2) sandbox.clock.advance(24 * 3_600_000);
      const said = ["Yes, the borrow checker", "Comptime is the thing", "A fine day for a walk"][index] ?? "";
      expect(await server.call("x_reply_to_tweet", { text: said, in_reply_to_id: id })).toMatchObject({
        success: true,
      });
    }
    const friend = sandbox.person(cast.friend);
    expect(await store.db.selectFrom("authors").selectAll().execute()).toMatchObject([
      {
        author_id: friend.id,
        username: cast.friend,
        name_key: cast.friend,
        replies: 3,
        days: 2,
        measured: 0,
      },
    ]);
    const seen = await store.db
      .selectFrom("discovered_posts")
      .select(["answered", "matched_keyword"])
      .orderBy("id")
      .execute();
    expect(seen).toEqual([
      { answered: 1, matched_keyword: "rust" },
      { answered: 1, matched_keyword: "zig" },
      { answered: 1, matched_keyword: null },
    ]);

    async function remember(id: string): Promise<void> {
      const answer = await server.x.client.call<readonly XObject[]>("getPostsByIds", {
        query: { ids: [id], ...FOUND_FIELDS },
      });
      if (!answer.ok) throw new Error(answer.failure.message);
      const { session } = server;
      const found = foundPosts(answer.value, session.account);
      await rememberPosts(session, found, { config, source: "search", now: sandbox.clock.now() });
    }
  });

  test("history is forgotten in time, posts that nobody answered after a week", async () => {
    const store = await open();
    const session = { store, account: "1" };
    const day = 86_400_000;
    const now = 200 * day;
    const setting = (at: number) => ({ config, source: "search", now: at }) as const;
    await rememberPosts(session, [aPost("10")], setting(now - 8 * day));
    await rememberPosts(session, [aPost("11")], setting(now - 6 * day));
    await rememberPosts(session, [aPost("12")], setting(now - 80 * day));
    await store.db.updateTable("discovered_posts").set({ answered: 1 }).where("id", "=", "12").execute();
    await labelText(store.db, "1", "old", { topic: "rust" }, now - 91 * day);
    await labelText(store.db, "1", "new", { topic: "rust" }, now - 89 * day);
    expect(await deleteOldRows(store, { now, days: 90 })).toMatchObject({
      discovered_posts: 1,
      text_labels: 1,
      publications: 0,
    });
    const left = await store.db.selectFrom("discovered_posts").select("id").orderBy("id").execute();
    expect(left.map(({ id }) => id)).toEqual(["11", "12"]);
  });

  test("a post that is found again gets its new numbers and score", async () => {
    const store = await open();
    const session = { store, account: "1" };
    const post = { ...aPost("10"), isSummons: true };
    const setting = { config, source: "mention", now: 2_000 } as const;
    const [before] = await rememberPosts(session, [post, post], setting);
    const later = { ...post, likes: 100, isSummons: false };
    const [after] = await rememberPosts(session, [later], { ...setting, source: "search", now: 3_000 });
    expect(after?.score.total).toBeGreaterThan(before?.score.total ?? 100);
    expect(await store.db.selectFrom("discovered_posts").selectAll().execute()).toMatchObject([
      {
        likes: 100,
        score: after?.score.total,
        found_at: 2_000,
        seen_at: 3_000,
        is_summons: 1,
        source: "mention",
      },
    ]);
  });
});

function aPost(id: string): FoundPost {
  return {
    id,
    authorId: "2",
    authorUsername: "somebody",
    authorFollowers: 2_000,
    text: "rust and zig",
    postedAt: 1_000,
    likes: 0,
    reposts: 0,
    replies: 0,
    impressions: undefined,
    hasMedia: false,
    isQuote: false,
    aboutId: undefined,
    replySettings: undefined,
    isSummons: false,
  };
}

function row(kind: string, position: number, text: string, more: object = {}) {
  return { kind, position, text, reply_to: null, topic: null, format: null, measured_at: null, ...more };
}
