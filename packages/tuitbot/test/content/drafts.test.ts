import type { Sandbox } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem } from "../../src/approval/release.ts";
import type { Draft } from "../../src/drafts/draft.ts";
import { type ContentRules, discardDraft, editDraft, scheduleDraft } from "../../src/drafts/edit-draft.ts";
import { findDraft, listDrafts, listRevisions } from "../../src/drafts/find-draft.ts";
import { type PublishContext, publishDraft } from "../../src/drafts/publish-draft.ts";
import { createDraft } from "../../src/drafts/store-draft.ts";
import { deleteOldRows } from "../../src/storage/retention.ts";
import { queuedItem } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import type { ServerSetting, TestServer } from "../storage/server.ts";
import { newSandbox, postedBy, serverOn } from "../storage/world.ts";

const HOUR = 3_600_000;

interface Scene {
  readonly sandbox: Sandbox;
  readonly server: TestServer;
  readonly book: PublishContext & ContentRules;
  readonly compose: (...texts: readonly string[]) => Promise<Draft>;
}

onBothEngines("a draft", (stores) => {
  async function scene(setting: ServerSetting = {}): Promise<Scene> {
    const sandbox = newSandbox();
    const store = await stores.open();
    const server = serverOn(store, sandbox, setting);
    const book = {
      ...server.session,
      access: server.x.access,
      mediaRoots: [],
      now: () => sandbox.clock.now(),
      call: server.callOwn,
    };
    const compose = (...texts: readonly string[]) =>
      createDraft(book, { texts, topic: "bread", framework: "tip", writer: "made-up/model" });
    return { sandbox, server, book, compose };
  }

  test("keeps every revision", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("First words.");
    await editDraft(book, id, { texts: ["Better words."], by: "agent" });
    await editDraft(book, id, { texts: ["Better words.", "And more."], by: "terminal" });
    const dueAt = sandbox.clock.now() + HOUR;
    await scheduleDraft(book, id, { dueAt: dueAt, by: "agent" });
    await discardDraft(book, id, "terminal");
    expect(await listRevisions(book, id)).toMatchObject([
      { revision: 1, what: "composed", by: "made-up/model", texts: ["First words."] },
      { revision: 2, what: "edited", by: "agent", texts: ["Better words."] },
      { revision: 3, what: "edited", by: "terminal", texts: ["Better words.", "And more."] },
      { revision: 4, what: "scheduled", status: "scheduled", scheduledFor: dueAt },
      { revision: 5, what: "discarded", status: "discarded" },
    ]);
  });

  test("is published once, with its text", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Fresh from the oven.");
    const published = await publishDraft(book, id, { by: "agent" });
    const [post] = postedBy(sandbox);
    expect(post?.text).toBe("Fresh from the oven.");
    expect(published).toMatchObject({ value: { status: "published", result: { id: post?.id } } });
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({
      failure: { code: "validation_error" },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
    const row = await book.store.db
      .selectFrom("publications")
      .select(["post_id", "topic", "format"])
      .executeTakeFirst();
    expect(row).toEqual({ post_id: post?.id, topic: "bread", format: "tip" });
  });

  test("goes out once if two processes publish it at the same time", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Fresh from the oven.");
    const ends = await Promise.all([
      publishDraft(book, id, { by: "one" }),
      publishDraft(book, id, { by: "two" }),
    ]);
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("with several texts goes out as a thread and continues where the thread was cut", async () => {
    const { book, compose, sandbox } = await scene();
    const texts = ["One.", "Two.", "Three."];
    const { id } = await compose(...texts);
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({
      failure: {
        code: "thread_partial_failure",
        suggestedFix: expect.stringMatching(/^Call publish_draft again/),
      },
    });
    expect(await editDraft(book, id, { texts: ["Other."], by: "agent" })).toMatchObject({
      failure: { code: "validation_error" },
    });
    sandbox.clock.advance(HOUR);
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "published" } });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(texts);
  });

  test("returns to status draft with the reason if X rejects it", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Said before.");
    sandbox.say("sandbox_owner", "Said before.");
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ failure: { code: "x_forbidden" } });
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "draft" } });
    const last = (await listRevisions(book, id)).at(-1);
    expect(last).toMatchObject({ what: "failed", note: expect.stringContaining("X") });
  });

  test("goes out at its scheduled time even if an earlier attempt to publish it failed", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("See https://example.com/rye");
    const dueAt = sandbox.clock.now() + HOUR;
    await scheduleDraft(book, id, { dueAt, acceptUrlPrice: true, by: "agent" });
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await publishDraft(book, id, { by: "agent", acceptUrlPrice: true })).toMatchObject({
      failure: { code: "x_rate_limited" },
    });
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "scheduled", scheduledFor: dueAt } });
    const rows = await book.store.db
      .selectFrom("scheduled_posts")
      .select(["status", "due_at", "accepts_url_price"])
      .execute();
    expect(rows).toEqual([{ status: "scheduled", due_at: dueAt, accepts_url_price: 1 }]);
  });

  test("cannot be edited while the outcome of its publication is unknown", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Into the dark.");
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 500, count: 20 });
    const first = await publishDraft(book, id, { by: "agent" });
    expect(first).toMatchObject({ ok: false });
    expect(await editDraft(book, id, { texts: ["Light."], by: "agent" })).toMatchObject({
      failure: { code: "validation_error" },
    });
    sandbox.faults.clear();
    sandbox.clock.advance(HOUR);
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "published" } });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("is published once by another process if its publisher stopped midway", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Left in the middle.");
    const dies = async (tool: string, args: Parameters<PublishContext["call"]>[1]) => {
      await book.call(tool, args);
      throw new Error("The process ends here.");
    };
    await expect(publishDraft({ ...book, call: dies }, id, { by: "agent" })).rejects.toThrow("ends here");
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({
      failure: { details: { status: "publishing" } },
    });
    sandbox.clock.advance(HOUR);
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "published" } });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test.each([["One."], ["One.", "Two."]])(
    "is not sent again days after its publisher died with an answer of X (%s)",
    async (...texts) => {
      const { book, compose, sandbox } = await scene();
      const { id } = await compose(...texts);
      await publishDraft(book, id, { by: "agent" });
      await book.store.db.updateTable("drafts").set({ status: "publishing", result_json: null }).execute();
      sandbox.clock.advance(50 * HOUR);
      expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "published" } });
      expect(postedBy(sandbox).map(({ text }) => text)).toEqual(texts);
    },
  );

  test("is published once its lost answer was found at X", async () => {
    const { book, compose, sandbox, server } = await scene();
    const { id } = await compose("Into the dark.");
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 500, count: 20 });
    await publishDraft(book, id, { by: "agent" });
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "publishing" } });
    sandbox.faults.clear();
    sandbox.clock.advance(HOUR);
    await server.settle();
    const [post] = postedBy(sandbox);
    expect(await findDraft(book, id)).toMatchObject({
      value: { status: "published", result: { id: post?.id } },
    });
  });

  describe("whose publisher died", () => {
    const ends = () => {
      throw new Error("The process ends here.");
    };
    const diesBefore = (book: PublishContext): PublishContext => ({ ...book, call: async () => ends() });
    const diesAfter = (book: PublishContext): PublishContext => ({
      ...book,
      call: async (tool, args) => {
        await book.call(tool, args);
        return ends();
      },
    });

    test("before anything went out is its owner's again", async () => {
      const { book, compose, sandbox } = await scene();
      const [plain, planned] = [await compose("Plain."), await compose("Planned.")];
      const dueAt = sandbox.clock.now() + 2 * HOUR;
      await scheduleDraft(book, planned.id, { dueAt, by: "agent" });
      for (const { id } of [plain, planned])
        await expect(publishDraft(diesBefore(book), id, { by: "agent" })).rejects.toThrow("ends here");
      expect(await findDraft(book, plain.id)).toMatchObject({ value: { status: "publishing" } });
      sandbox.clock.advance(HOUR);
      expect(await editDraft(book, plain.id, { texts: ["Other."], by: "agent" })).toMatchObject({ ok: true });
      expect(await findDraft(book, planned.id)).toMatchObject({
        value: { status: "scheduled", scheduledFor: dueAt },
      });
    });

    test("after a part of it went out shows that, and goes on from there", async () => {
      const { book, compose, sandbox } = await scene();
      const texts = ["One.", "Two.", "Three."];
      const { id } = await compose(...texts);
      sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
      await expect(publishDraft(diesAfter(book), id, { by: "agent" })).rejects.toThrow("ends here");
      sandbox.clock.advance(HOUR);
      const [post] = postedBy(sandbox);
      expect(await findDraft(book, id)).toMatchObject({
        value: { status: "draft", result: { thread_tweet_ids: [post?.id] } },
      });
      expect(await editDraft(book, id, { texts: ["Other."], by: "agent" })).toMatchObject({
        failure: { code: "validation_error" },
      });
      expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "published" } });
      expect(postedBy(sandbox).map(({ text }) => text)).toEqual(texts);
    });

    test("after a person was asked waits for that person", async () => {
      const { book, compose, sandbox } = await scene({ config: { approval_mode: true } });
      const { id } = await compose("May I?");
      await expect(publishDraft(diesAfter(book), id, { by: "agent" })).rejects.toThrow("ends here");
      sandbox.clock.advance(HOUR);
      expect(await findDraft(book, id)).toMatchObject({ value: { status: "queued", approvalId: 1 } });
    });
  });

  test("stays partly published if the reviewer rejects the rest", async () => {
    const { book, compose, sandbox, server } = await scene({ config: { approval_mode: true } });
    const { id } = await compose("One.", "Two.");
    const waiting = () =>
      book.store.db
        .selectFrom("approvals")
        .selectAll()
        .where("status", "=", "pending")
        .executeTakeFirstOrThrow();
    await publishDraft(book, id, { by: "agent" });
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    const item = await waiting();
    await releaseItem(server.releasing, item.id, { digest: item.digest, by: "person" });
    await publishDraft(book, id, { by: "agent" });
    const rest = await waiting();
    await rejectItem(book.store.db, book.account, rest.id, {
      digest: rest.digest,
      by: "person",
      now: book.now(),
    });
    const [post] = postedBy(sandbox);
    expect(await findDraft(book, id)).toMatchObject({
      value: { status: "draft", resume: expect.any(String), result: { thread_tweet_ids: [post?.id] } },
    });
    expect(await editDraft(book, id, { texts: ["Other."], by: "agent" })).toMatchObject({
      failure: { code: "validation_error" },
    });
  });

  test("waits for approval and follows the decision", async () => {
    const { book, compose, sandbox, server } = await scene({ config: { approval_mode: true } });
    const [yes, no] = [await compose("Yes."), await compose("No.")];
    const queued = await publishDraft(book, yes.id, { by: "agent" });
    expect(queued).toMatchObject({ value: { status: "queued", approvalId: expect.any(Number) } });
    await publishDraft(book, no.id, { by: "agent" });
    expect(postedBy(sandbox)).toEqual([]);

    const items = await book.store.db.selectFrom("approvals").selectAll().orderBy("id").execute();
    await releaseItem(server.releasing, items[0]?.id ?? 0, { digest: items[0]?.digest ?? "", by: "person" });
    await rejectItem(book.store.db, book.account, items[1]?.id ?? 0, {
      digest: items[1]?.digest ?? "",
      by: "person",
      note: "Too short.",
      now: book.now(),
    });
    const [post] = postedBy(sandbox);
    expect(await findDraft(book, yes.id)).toMatchObject({
      value: { status: "published", result: { id: post?.id } },
    });
    expect(await findDraft(book, no.id)).toMatchObject({ value: { status: "draft" } });
    expect((await listRevisions(book, no.id)).at(-1)).toMatchObject({ what: "rejected", note: "Too short." });
  });

  test("returns to status draft if its approval expires", async () => {
    const { book, compose, sandbox } = await scene({ config: { approval_mode: true } });
    const { id } = await compose("Anybody?");
    await publishDraft(book, id, { by: "agent" });
    sandbox.clock.advance(24 * HOUR);
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "draft" } });
  });

  test("continues after the part that went out with an approval", async () => {
    const { book, compose, sandbox, server } = await scene({ config: { approval_mode: true } });
    const texts = ["One.", "Two.", "Three."];
    const { id } = await compose(...texts);
    await publishDraft(book, id, { by: "agent" });
    const release = async () => {
      const waiting = book.store.db.selectFrom("approvals").selectAll().where("status", "=", "pending");
      const item = await waiting.executeTakeFirstOrThrow();
      return releaseItem(server.releasing, item.id, { digest: item.digest, by: "person" });
    };
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    expect(await release()).toMatchObject({ failure: { code: "thread_partial_failure" } });
    expect(await findDraft(book, id)).toMatchObject({
      value: { status: "draft", resume: expect.any(String) },
    });
    sandbox.clock.advance(HOUR);
    expect(await publishDraft(book, id, { by: "agent" })).toMatchObject({ value: { status: "queued" } });
    expect(await release()).toMatchObject({ ok: true });
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "published" } });
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(texts);
  });

  test("has one row in the schedule, which follows its changes", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("Later.");
    const [soon, late] = [sandbox.clock.now() + HOUR, sandbox.clock.now() + 2 * HOUR];
    await scheduleDraft(book, id, { dueAt: soon, by: "agent" });
    await editDraft(book, id, { texts: ["Later, better."], by: "agent" });
    await scheduleDraft(book, id, { dueAt: late, by: "agent" });
    const waiting = () =>
      book.store.db.selectFrom("scheduled_posts").selectAll().where("status", "=", "scheduled").execute();
    expect(await waiting()).toMatchObject([
      { draft_id: id, due_at: late, texts_json: '["Later, better."]', topic: "bread", format: "tip" },
    ]);
    await discardDraft(book, id, "agent");
    expect(await waiting()).toEqual([]);
  });

  test.each([
    { end: "posted", status: "published" },
    { end: "queued", status: "queued" },
    { end: "failed", status: "draft" },
  ] as const)("is $status if its scheduled post is $end", async ({ end, status }) => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("By itself.");
    await scheduleDraft(book, id, { dueAt: sandbox.clock.now(), by: "agent" });
    const error_json =
      end === "failed" ? JSON.stringify({ code: "x_forbidden", message: "X said no." }) : null;
    await book.store.db
      .updateTable("scheduled_posts")
      .set({ status: end, post_id: "77", error_json })
      .execute();
    const found = await findDraft(book, id);
    expect(found).toMatchObject({ value: { status, ...(end === "posted" && { result: { id: "77" } }) } });
    if (end !== "failed") return;
    expect((await listRevisions(book, id)).at(-1)).toMatchObject({ what: "failed", note: "X said no." });
    // Another try is not taken for the one that failed.
    await scheduleDraft(book, id, { dueAt: sandbox.clock.now() + HOUR, by: "agent" });
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "scheduled" } });
  });

  test.each([
    { end: "posted", status: "published" },
    { end: "failed", status: "draft" },
    { end: "queued", status: "published" },
  ] as const)("learns that its scheduled post is $end, however long ago it was put there", async (the) => {
    const { book, compose, sandbox, server } = await scene({ config: { approval_mode: true } });
    const { id } = await compose("By itself.");
    await scheduleDraft(book, id, { dueAt: sandbox.clock.now() + 40 * 24 * HOUR, by: "agent" });
    const tool = await server.call("x_post_tweet", { text: "By itself." });
    const item = await book.store.db.selectFrom("approvals").selectAll().executeTakeFirstOrThrow();
    expect(queuedItem(tool)).toBe(item.id);
    await releaseItem(server.releasing, item.id, { digest: item.digest, by: "person" });
    sandbox.clock.advance(40 * 24 * HOUR);
    await book.store.db
      .updateTable("scheduled_posts")
      .set({ status: the.end, approval_id: the.end === "queued" ? item.id : null })
      .execute();
    const tidy = () => deleteOldRows(book.store, { now: book.now(), days: 30 });
    await tidy();
    expect(await findDraft(book, id)).toMatchObject({ value: { status: the.status } });
    expect(await tidy()).toMatchObject({ scheduled_posts: 1 });
  });

  test("gets the status of an item that was decided long ago", async () => {
    const { book, compose, sandbox } = await scene({ config: { approval_mode: true } });
    const { id } = await compose("No.");
    await publishDraft(book, id, { by: "agent" });
    const { digest } = await book.store.db.selectFrom("approvals").selectAll().executeTakeFirstOrThrow();
    await rejectItem(book.store.db, book.account, 1, { digest, by: "person", now: book.now() });
    sandbox.clock.advance(40 * 24 * HOUR);
    const tidy = () => deleteOldRows(book.store, { now: book.now(), days: 30 });
    await tidy();
    expect(await findDraft(book, id)).toMatchObject({ value: { status: "draft" } });
    expect(await tidy()).toMatchObject({ approvals: 1 });
  });

  test("is left alone while it is being published on schedule", async () => {
    const { book, compose, sandbox } = await scene();
    const { id } = await compose("By itself.");
    await scheduleDraft(book, id, { dueAt: sandbox.clock.now(), by: "agent" });
    await book.store.db.updateTable("scheduled_posts").set({ status: "publishing" }).execute();
    const acts = [
      editDraft(book, id, { texts: ["Other."], by: "agent" }),
      scheduleDraft(book, id, { dueAt: sandbox.clock.now() + HOUR, by: "agent" }),
      publishDraft(book, id, { by: "agent" }),
      discardDraft(book, id, "agent"),
    ];
    for (const act of acts) expect(await act).toMatchObject({ failure: { code: "validation_error" } });
    expect(postedBy(sandbox)).toEqual([]);
  });

  test("rejects text that X would reject", async () => {
    const { book, compose } = await scene();
    const { id } = await compose("Fine.");
    const edit = (...texts: readonly string[]) => editDraft(book, id, { texts, by: "agent" });
    expect(await edit("x".repeat(281))).toMatchObject({ failure: { code: "tweet_too_long" } });
    expect(await edit("Fine.", "パン".repeat(71))).toMatchObject({ failure: { code: "tweet_too_long" } });
    expect(await edit(" ")).toMatchObject({ failure: { code: "invalid_input" } });
    expect(await findDraft(book, id)).toMatchObject({ value: { texts: ["Fine."], revision: 1 } });
  });

  test("rejects an edit that is based on an older revision", async () => {
    const { book, compose } = await scene();
    const { id } = await compose("One.");
    await editDraft(book, id, { texts: ["Two."], revision: 1, by: "agent" });
    expect(await editDraft(book, id, { texts: ["Three."], revision: 1, by: "terminal" })).toMatchObject({
      failure: { code: "validation_error" },
    });
  });

  test("is visible only to its account", async () => {
    const { book, compose } = await scene();
    const { id } = await compose("Mine.");
    const other = { ...book, account: "1" };
    expect(await findDraft(other, id)).toMatchObject({ failure: { code: "not_found" } });
    expect((await listDrafts(other, { limit: 10 })).items).toEqual([]);
    expect(await publishDraft(other, id, { by: "agent" })).toMatchObject({ failure: { code: "not_found" } });
  });

  test("is listed, newest first, until it is decided", async () => {
    const { book, compose } = await scene();
    const [first, second, third] = [await compose("1"), await compose("2"), await compose("3")];
    await discardDraft(book, second.id, "agent");
    const ids = async (filter: Parameters<typeof listDrafts>[1]) =>
      (await listDrafts(book, filter)).items.map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual([third.id, first.id]);
    expect(await ids({ limit: 1 })).toEqual([third.id]);
    expect(await ids({ limit: 10, status: "discarded" })).toEqual([second.id]);
  });
});
