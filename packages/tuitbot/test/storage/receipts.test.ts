import { cast, type FaultKind, type Sandbox } from "@toolpact/x-sandbox";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mutationDetail } from "../../src/audit/mutations.ts";
import { endStep } from "../../src/guards/receipts/kysely-receipts.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const HOUR = 3_600_000;
const hello = { text: "Good morning" };

onBothEngines("a mutation", (stores) => {
  async function newWorld(): Promise<{ sandbox: Sandbox; store: Store; server: TestServer }> {
    const sandbox = newSandbox();
    const store = await stores.open();
    return { sandbox, store, server: serverOn(store, sandbox) };
  }

  test("returns its receipt and its cost, each once", async () => {
    const { sandbox, store, server } = await newWorld();
    const posted = await server.call("x_post_tweet", hello);
    const [post] = postedBy(sandbox);
    expect(posted).toMatchObject({ success: true, data: { id: post?.id, text: hello.text } });
    expect(posted.meta).toEqual({
      tool_version: "1.0",
      elapsed_ms: expect.any(Number),
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      cost: { settled_usd: 0.015, day_usd: 0.015 },
      mode: "autopilot",
      approval_mode: false,
    });
    expect(await receipts(store)).toEqual([{ state: "confirmed", tool: "x_post_tweet" }]);
  });

  test("is rejected if repeated within 30 s, with the first receipt and result", async () => {
    const { sandbox, server } = await newWorld();
    const first = await server.call("x_post_tweet", hello);
    sandbox.clock.advance(29_000);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: {
        code: "validation_error",
        reason: "duplicate_request",
        retryable: false,
        details: { receipt: { id: first.meta?.correlation_id, state: "confirmed", result: first.data } },
      },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("returns the first answer to a later repeat, in any process, for 24 hours", async () => {
    const { sandbox, server, store } = await newWorld();
    const first = await server.call("x_post_tweet", hello);
    const other = serverOn(store, sandbox);
    sandbox.clock.advance(23 * HOUR);
    expect(await other.call("x_post_tweet", hello)).toMatchObject({
      success: true,
      data: first.data,
      meta: { replayed: true, receipt_id: first.meta?.correlation_id },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
    sandbox.clock.advance(2 * HOUR);
    expect((await serverOn(store, sandbox).call("x_post_tweet", hello)).success).toBe(true);
    expect(postedBy(sandbox)).toHaveLength(2);
  });

  test("that marks a post returns the first answer until it is undone", async () => {
    const { sandbox, server } = await newWorld();
    const { id } = sandbox.say(cast.friend, "Something to like");
    const like = () => server.call("x_like_tweet", { tweet_id: id }, byPerson);
    const likes = () => sandbox.journal.of("likePost").length;
    await like();
    sandbox.clock.advance(1_000 * HOUR);
    expect(await like()).toMatchObject({ success: true, data: { liked: true }, meta: { replayed: true } });
    expect(likes()).toBe(1);
    expect((await server.call("x_unlike_tweet", { tweet_id: id })).success).toBe(true);
    const again = await like();
    expect(again).toMatchObject({ success: true, data: { liked: true } });
    expect(again.meta?.replayed).toBeUndefined();
    expect(likes()).toBe(2);
  });

  test.each([
    ["x_like_tweet", "x_unlike_tweet", "unlikePost", "likes"],
    ["x_bookmark_tweet", "x_unbookmark_tweet", "deleteUsersBookmark", "bookmarks"],
  ] as const)(
    "%s can be taken back though the answer is lost, however old it is",
    async (mark, takeBack, operation, marks) => {
      const { sandbox, server } = await newWorld();
      const me = sandbox.person(cast.owner).id;
      const { id } = sandbox.say(cast.friend, "Long ago");
      expect((await server.call(mark, { tweet_id: id }, byPerson)).success).toBe(true);
      for (let newer = 0; newer < 120; newer++) {
        sandbox.clock.advance(1_000);
        const { id: other } = sandbox.say(cast.friend, `Post ${newer}`);
        sandbox.world[marks].add(me, other, sandbox.world.relationKeyAt(sandbox.clock.now()));
      }
      sandbox.faults.add({ operation, kind: "drop", when: "before" });
      const undo = () => server.call(takeBack, { tweet_id: id }, byPerson);
      expect(await undo()).toMatchObject({
        success: false,
        error: { details: { receipt: { state: "unknown" } } },
      });
      expect(sandbox.world[marks].has(me, id)).toBe(true);
      expect(await undo()).toMatchObject({ success: true });
      expect(sandbox.world[marks].has(me, id)).toBe(false);
    },
  );

  test("that posts runs again after the post was deleted", async () => {
    const { sandbox, server } = await newWorld();
    const first = await server.call("x_post_tweet", hello);
    const { id } = first.data as { id: string };
    const raw = await server.call("x_delete", { path: `/2/tweets/${id}` });
    // Deleting needs a person, also in X's own terms.
    expect(raw).toMatchObject({ data: { policy_decision: "routed_to_approval" } });
    sandbox.world.removePost(sandbox.world.posts.get(id) as never);
    await undoneElsewhere(server, id);
    expect((await server.call("x_post_tweet", hello)).success).toBe(true);
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("that sends a message is rejected for 30 s and then runs again", async () => {
    const { sandbox, server } = await newWorld();
    const message = { participant_id: sandbox.person(cast.friend).id, text: "Are you there?" };
    const send = () => server.call("x_v2_dm_send_to_participant", message, byPerson);
    expect((await send()).success).toBe(true);
    expect(await send()).toMatchObject({ error: { reason: "duplicate_request" } });
    sandbox.clock.advance(30_000);
    expect((await send()).success).toBe(true);
    expect(sandbox.journal.of("createDirectMessagesByParticipantId")).toHaveLength(2);
  });

  test.each([
    [{ kind: "unauthorized" }, "x_auth_expired", undefined, "operator"],
    [{ kind: "error", status: 402 }, "x_forbidden", "credits_depleted", "operator"],
    [{ kind: "error", status: 400 }, "x_forbidden", "unspecified", "operator"],
  ] as const)("whose outcome cannot be read back under %j is %s until somebody acts", async (...row) => {
    const [fault, code, reason, fixBy] = row;
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", count: 1_000, ...fault });
    // The first answer and the repeat say the same.
    for (let call = 0; call < 2; call++) {
      const { error } = await server.call("x_post_tweet", hello);
      expect(error).toMatchObject({ code, retryable: false, fix_by: fixBy });
      expect([error?.reason, error?.retry_after_ms]).toEqual([reason, undefined]);
      expect(error?.details).toMatchObject({ receipt: { state: "unknown" } });
      expect(error?.suggested_fix).toContain("X is asked what became of it");
    }
    sandbox.faults.clear();
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ success: true });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test.each<unknown>([12, "", null, [], { id: "1" }])(
    "that X answers with the id %j is read back, and its undo names the real id",
    async (id) => {
      const sandbox = newSandbox();
      const store = await stores.open();
      const fetch: typeof globalThis.fetch = async (url, init) => {
        const response = await sandbox.fetch(url, init);
        const isPost = init?.method === "POST" && new URL(String(url)).pathname === "/2/tweets";
        return isPost ? Response.json({ data: { id, text: hello.text } }, { status: 201 }) : response;
      };
      const server = serverOn(store, sandbox, {}, fetch);
      const posted = await server.call("x_post_tweet", hello);
      const [post] = postedBy(sandbox);
      expect(posted).toMatchObject({ success: true, data: { id: post?.id } });
      const call = String(posted.meta?.correlation_id);
      expect(await mutationDetail(store.db, server.session.account, call)).toMatchObject({
        value: { rollback: { params: { tweet_id: post?.id } } },
      });
      expect(postedBy(sandbox)).toHaveLength(1);
    },
  );

  test("whose read-back meets a rate limit names the time at which the limit resets", async () => {
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "rate_limited" });
    for (let call = 0; call < 2; call++) {
      const { error } = await server.call("x_post_tweet", hello);
      expect(error).toMatchObject({ code: "x_network_error", retryable: true, fix_by: "agent" });
      expect(error?.retry_after_ms).toBeGreaterThan(10_000);
    }
    sandbox.clock.advance(16 * 60_000);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ success: true });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test.each([
    "Log in at https://ana:hunter2@example.com/ today",
    '{"password":"hunter2"}',
    "Bearer abcdefghijklmnop",
  ])("with text that looks like a secret is found at X: %s", async (text) => {
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    const posted = await server.call("x_post_tweet", { text, accept_url_price: true });
    expect(posted).toMatchObject({ success: true, data: { id: postedBy(sandbox)[0]?.id } });
    sandbox.faults.add({ operation: "createDirectMessagesByParticipantId", kind: "drop", when: "after" });
    const message = { participant_id: sandbox.person(cast.friend).id, text };
    expect(await server.call("x_v2_dm_send_to_participant", message, byPerson)).toMatchObject({
      success: true,
    });
    sandbox.faults.add({ operation: "createLists", kind: "drop", when: "after" });
    const list = { name: text.slice(0, 25), idempotency_key: "list" };
    expect(await server.call("x_v2_lists_create", list, byPerson)).toMatchObject({ success: true });
  });

  test("is found at X immediately if its answer was lost", async () => {
    const { sandbox, store, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    const posted = await server.call("x_post_tweet", hello);
    const [post] = postedBy(sandbox);
    expect(posted).toMatchObject({ success: true, data: { id: post?.id, text: hello.text } });
    expect(await receipts(store)).toEqual([{ state: "confirmed", tool: "x_post_tweet" }]);
  });

  test("sends nothing again while its outcome is unknown", async () => {
    const { sandbox, store, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "reset", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", count: 2 });
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: { code: "x_network_error", retryable: true, details: { receipt: { state: "unknown" } } },
    });
    sandbox.clock.advance(20_000);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: false,
      error: { code: "x_network_error", details: { receipt: { state: "unknown" } } },
    });
    sandbox.clock.advance(20_000);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
    expect(await receipts(store)).toEqual([{ state: "confirmed", tool: "x_post_tweet" }]);
  });

  test("that never reached X is sent once that is certain", async () => {
    const { sandbox, store, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "before" });
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ error: { code: "x_network_error" } });
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      error: { code: "x_network_error", retry_after_ms: 300_000 },
    });
    sandbox.clock.advance(299_000);
    expect((await server.call("x_post_tweet", hello)).success).toBe(false);
    sandbox.clock.advance(1_000);
    expect((await server.call("x_post_tweet", hello)).success).toBe(true);
    expect(postedBy(sandbox)).toHaveLength(1);
    expect(await receipts(store)).toEqual([
      { state: "failed", tool: "x_post_tweet" },
      { state: "confirmed", tool: "x_post_tweet" },
    ]);
  });

  test("gives every repeat the time at which it is certain, and is sent then", async () => {
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "before" });
    const until = async () => {
      const { error } = await server.call("x_post_tweet", hello);
      expect(error).toMatchObject({ code: "x_network_error", retryable: true });
      return sandbox.clock.now() + (error?.retry_after_ms ?? 0);
    };
    const certainAt = await until();
    for (const wait of [1_000, 19_000, 10_000, 30_000, 45_000]) {
      sandbox.clock.advance(wait);
      expect(await until()).toBe(certainAt);
    }
    sandbox.clock.advance(certainAt - sandbox.clock.now());
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ success: true });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("can be repeated immediately after X rejected it", async () => {
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await server.call("x_post_tweet", hello)).toMatchObject({ error: { code: "x_rate_limited" } });
    expect((await server.call("x_post_tweet", hello)).success).toBe(true);
  });

  test("runs once for many concurrent calls on two servers", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const servers = [
      serverOn(await stores.open(place), sandbox),
      serverOn(await stores.open(place), sandbox),
    ];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => (servers[i % 2] as TestServer).call("x_post_tweet", hello)),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    for (const { success, error } of answers) if (!success) expect(error?.reason).toBe("duplicate_request");
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("is identified by its idempotency key", async () => {
    const { sandbox, server } = await newWorld();
    const first = await server.call("x_post_tweet", { ...hello, idempotency_key: "monday" });
    sandbox.clock.advance(60_000);
    expect(await server.call("x_post_tweet", { ...hello, idempotency_key: "monday" })).toMatchObject({
      data: first.data,
      meta: { replayed: true },
    });
    expect(
      await server.call("x_post_tweet", { text: "Good evening", idempotency_key: "monday" }),
    ).toMatchObject({ error: { code: "validation_error", reason: "idempotency_key_reused" } });
    // Another key is another call, which X then judges by itself.
    expect(await server.call("x_post_tweet", { ...hello, idempotency_key: "tuesday" })).toMatchObject({
      error: { code: "x_forbidden", reason: "duplicate_content" },
    });
    expect(await server.call("x_post_tweet", { ...hello, idempotency_key: 7 })).toMatchObject({
      error: { code: "invalid_input" },
    });
  });

  test.each([
    ["refused", "rate_limited", "before"],
    ["lost before it took effect", "drop", "before"],
    ["lost after it took effect", "drop", "after"],
  ] as const)("with several posts continues after its second post was %s", async (_, kind, when) => {
    const { sandbox, server } = await newWorld();
    const thread = { tweets: ["One", "Two", "Three", "Four"] };
    sandbox.faults.add({ operation: "createPosts", kind, when, at: 2 });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", count: 1 });
    const cut = await server.call("x_post_thread", thread);
    expect(cut).toMatchObject({ success: false, error: { code: "thread_partial_failure" } });
    sandbox.clock.advance(301_000);
    sandbox.faults.clear();
    const whole = await server.call("x_post_thread", thread);
    expect(whole).toMatchObject({ success: true, data: { tweet_count: 4 } });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(thread.tweets);
    sandbox.clock.advance(60_000);
    expect(await server.call("x_post_thread", thread)).toMatchObject({
      data: whole.data,
      meta: { replayed: true },
    });
  });

  test("adds no second tail to a thread that was resumed with another tail", async () => {
    const { sandbox, server } = await newWorld();
    sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403, when: "before", at: 2 });
    const cut = await server.call("x_post_thread", { tweets: ["p1", "p2"] });
    const resume = cut.error?.details?.resume as string;
    const resumed = await server.call("x_post_thread", { tweets: ["p1", "q2"], resume });
    expect(resumed).toMatchObject({ success: true });
    expect(await server.call("x_post_thread", { tweets: ["p1", "p2"] })).toMatchObject({
      error: { code: "validation_error", reason: "duplicate_request" },
    });
    expect(await server.call("x_post_thread", { tweets: ["p1", "r2"], resume })).toMatchObject({
      error: { code: "invalid_input" },
    });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(["p1", "q2"]);
  });

  test("adds one tail to a thread that several calls resume on two servers", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const bothHaveLooked = meeting(2);
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await sandbox.fetch(input, init);
      // Both see the thread as it was left before either goes on with it.
      if (/\/users\/\d+\/tweets\?/.test(String(input))) await bothHaveLooked();
      return answer;
    };
    const servers = [
      serverOn(await stores.open(place), sandbox, {}, fetch),
      serverOn(await stores.open(place), sandbox, {}, fetch),
    ] as const;
    sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403, when: "before", at: 2 });
    const cut = await servers[0].call("x_post_thread", { tweets: ["p1", "p2"] });
    const resume = cut.error?.details?.resume as string;
    const answers = await Promise.all([
      servers[0].call("x_post_thread", { tweets: ["p1", "q2", "q3"], resume }),
      servers[1].call("x_post_thread", { tweets: ["p1", "r2", "r3"], resume }),
    ]);
    const won = answers.findIndex(({ success }) => success);
    expect(answers[1 - won]).toMatchObject({
      error: { reason: "duplicate_request", details: { continued_by: answers[won]?.meta?.correlation_id } },
    });
    const tail = won === 0 ? ["q2", "q3"] : ["r2", "r3"];
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(["p1", ...tail]);
  });

  test("of a thread is reported as posted after a late answer, even if another call continued it", async () => {
    const { store, server } = await newWorld();
    await server.call("x_post_thread", { tweets: ["p1", "p2"] });
    const [first, second] = await store.db.selectFrom("steps").selectAll().orderBy("seq").execute();
    if (first === undefined || second === undefined) throw new Error("Not both posts were sent.");
    await store.db.updateTable("steps").set({ state: "unknown" }).where("seq", "=", second.seq).execute();
    await endStep(store, { ...second, state: "failed" }, undefined);
    await store.db
      .updateTable("steps")
      .set({ continues: second.continues })
      .where("seq", "=", first.seq)
      .execute();
    await endStep(store, second, undefined);
    const states = await store.db.selectFrom("steps").select("state").orderBy("seq").execute();
    expect(states).toEqual([{ state: "confirmed" }, { state: "confirmed" }]);
  });

  test("is not sent without a receipt", async () => {
    const { sandbox, server } = await newWorld();
    const around = await server.x.client.call("createPosts", { body: hello });
    expect(around).toMatchObject({ ok: false, failure: { kind: "not_sent" } });
    expect(sandbox.journal.entries).toEqual([]);
  });

  test("replies to a post once", async () => {
    const { sandbox, server } = await newWorld();
    const { id } = sandbox.say(cast.friend, "Any news?");
    const reply = (text: string) => server.call("x_reply_to_tweet", { text, in_reply_to_id: id });
    expect((await reply("Yes")).success).toBe(true);
    expect(await reply("And no")).toMatchObject({
      error: { code: "policy_denied_hard_rule", details: { matched_rule_id: "hard:x_one_reply" } },
    });
    // Going on with one's own posts is no second reply.
    const own = (await server.call("x_post_tweet", hello)).data as { id: string };
    for (const text of ["More", "Still more"])
      expect((await server.call("x_reply_to_tweet", { text, in_reply_to_id: own.id })).success).toBe(true);
  });

  test("is neither lost nor done twice under random failures", async () => {
    const step = fc.record({
      server: fc.nat(1),
      text: fc.constantFrom("a", "b"),
      fault: fc.option(
        fc.record({
          kind: fc.constantFrom<FaultKind>("drop", "error", "html", "rate_limited", "unauthorized", "reset"),
          when: fc.constantFrom("before" as const, "after" as const),
        }),
      ),
      blind: fc.boolean(),
      wait: fc.constantFrom(0, 1_000, 31_000, 301_000, 3_600_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const sandbox = newSandbox();
        const place = await stores.place();
        const opened = [await stores.open(place), await stores.open(place)];
        const servers = opened.map((store) => serverOn(store, sandbox));
        for (const { server, text, fault, blind, wait } of steps) {
          sandbox.faults.clear();
          if (fault !== null) sandbox.faults.add({ operation: "createPosts", ...fault });
          if (blind) sandbox.faults.add({ operation: "getUsersPosts", kind: "error", count: 5 });
          await (servers[server] as TestServer).call("x_post_tweet", { text });
          sandbox.clock.advance(wait);
        }
        await expectAgreement(sandbox, (servers[0] as TestServer).session.store);
        await Promise.all(opened.map(stores.close));
      }),
      { numRuns: stores.engine === "sqlite" ? 25 : 5 },
    );
  }, 120_000);
});

/** Lets nobody go on before so many are there. */
function meeting(size: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    here += 1;
    if (here === size) all.resolve();
    return all.promise;
  };
}

const byPerson = { caller: { transport: "cli", client: "terminal" } } as const;

async function receipts(store: Store) {
  return store.db.selectFrom("receipts").select(["state", "tool"]).orderBy("created_at").execute();
}

/** Somebody deletes a post with an approved call. */
async function undoneElsewhere(server: TestServer, id: string): Promise<void> {
  const { store } = server.session;
  const made = store.db.selectFrom("steps").selectAll().where("makes", "=", `post:${id}`);
  await endStep(store, await made.executeTakeFirstOrThrow(), `post:${id}`);
}

/** The world and the receipts tell the same story. */
async function expectAgreement(sandbox: Sandbox, store: Store): Promise<void> {
  const posts = postedBy(sandbox);
  expect(new Set(posts.map(({ text }) => text)).size).toBe(posts.length);
  const rows = await store.db.selectFrom("receipts").selectAll().execute();
  const results = rows.flatMap(({ state, result_json }) =>
    state === "confirmed" && result_json !== null ? [(JSON.parse(result_json) as { id: string }).id] : [],
  );
  for (const id of results) expect(posts.map((post) => post.id)).toContain(id);
  for (const { id, text } of posts) {
    const knows = rows.some(
      ({ state, args_json }) =>
        (state === "unknown" || state === "confirmed") &&
        (JSON.parse(args_json) as { text: string }).text === text,
    );
    expect(knows || results.includes(id), `nobody remembers ${JSON.stringify(text)}`).toBe(true);
  }
}
