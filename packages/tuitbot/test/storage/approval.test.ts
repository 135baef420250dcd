import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { afterAll, expect, test } from "vitest";
import { editItem } from "../../src/approval/edit.ts";
import type { QueuedMutation } from "../../src/approval/item.ts";
import { findItem, pendingItems } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem, resumeReleases } from "../../src/approval/release.ts";
import { settleRelease, unsettledReleases } from "../../src/approval/unsettled-release.ts";
import { identityOf } from "../../src/guards/receipts/receipt.ts";
import { queuedItem } from "../live-server.ts";
import { onBothEngines, type Stores } from "../postgres/both-engines.ts";
import { approvalKey, type TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const HOUR = 3_600_000;
const composer = { config: { mode: "composer" } } as const;
const hello = { text: "Good morning" };
const folder = await mkdtemp(join(tmpdir(), "tuitbot-approval-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

onBothEngines("an approval", (stores) => {
  test("is required before anything is sent", async () => {
    const { sandbox, server } = await newWorld(stores);
    const routed = await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    expect(routed).toMatchObject({
      success: true,
      data: {
        status: "queued",
        policy_decision: "routed_to_approval",
        approval_queue_id: item?.id,
        matched_rule_id: "hard:composer_approval",
        message: expect.stringContaining("Nothing was sent yet"),
        expires_at: expect.any(String),
      },
    });
    expect(sandbox.journal.entries).toEqual([]);
    // The same call waits once.
    expect(queuedItem(await server.call("x_post_tweet", hello))).toBe(item?.id);
    expect(await waiting(server)).toHaveLength(1);
  });

  test("does not cover another call with the same key", async () => {
    const { server } = await newWorld(stores);
    await server.call("x_post_tweet", { ...hello, idempotency_key: "k" });
    expect(await server.call("x_post_tweet", { text: "Another", idempotency_key: "k" })).toMatchObject({
      success: false,
      error: { code: "validation_error", reason: "idempotency_key_reused" },
    });
    expect(queuedItem(await server.call("x_post_tweet", { ...hello, idempotency_key: "k" }))).toBe(
      (await waiting(server))[0]?.id,
    );
    expect(await waiting(server)).toHaveLength(1);
  });

  test("with an unknown outcome is listed until a person records the result", async () => {
    for (const isOut of [true, false]) {
      const { sandbox, server } = await newWorld(stores);
      const { store, account } = server.session;
      await server.call("x_post_tweet", hello);
      const [item] = await waiting(server);
      sandbox.faults.add({ operation: "createPosts", kind: "drop", when: isOut ? "after" : "before" });
      sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 50 });
      await approve(server, item);
      expect(await unsettledReleases(store.db, account)).toMatchObject([
        { id: item?.id, status: "releasing" },
      ]);
      const finding = { isOut, by: "terminal", now: sandbox.clock.now() };
      expect(await settleRelease(store, account, item?.id ?? 0, finding)).toMatchObject({
        ok: true,
        value: { status: isOut ? "executed" : "rejected" },
      });
      expect(await unsettledReleases(store.db, account)).toEqual([]);
      const receipt = await store.db.selectFrom("receipts").select("state").executeTakeFirst();
      expect(receipt).toEqual({ state: isOut ? "confirmed" : "failed" });
    }
  });

  test("of a failed call expires like a waiting one", async () => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    sandbox.faults.add({ operation: "createPosts", kind: "error", when: "before", status: 403 });
    await approve(server, item);
    sandbox.clock.advance(30 * 24 * HOUR);
    expect(await approve(server, item)).toMatchObject({ ok: false, failure: { reason: "already_decided" } });
    expect(postedBy(sandbox)).toEqual([]);
  });

  test("carries out exactly what waited, at once, and the call then gets its answer", async () => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const released = await approve(server, (await waiting(server))[0]);
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual([hello.text]);
    const result = { id: postedBy(sandbox)[0]?.id };
    expect(released).toMatchObject({
      ok: true,
      value: { status: "executed", decidedBy: "terminal", result },
    });
    sandbox.clock.advance(HOUR);
    expect(await server.call("x_post_tweet", hello)).toMatchObject({
      success: true,
      data: result,
      meta: { replayed: true },
    });
  });

  test("of a like only likes, and of a deletion only deletes", async () => {
    const { sandbox, server } = await newWorld(stores);
    const friends = sandbox.say(cast.friend, "Something to like");
    const own = sandbox.say(cast.owner, "Something to delete");
    await server.call("x_like_tweet", { tweet_id: friends.id });
    await server.call("x_delete_tweet", { tweet_id: own.id });
    for (const item of await waiting(server)) expect((await approve(server, item)).ok).toBe(true);
    expect(sandbox.world.likes.has(sandbox.person(cast.owner).id, friends.id)).toBe(true);
    expect(sandbox.world.posts.has(own.id)).toBe(false);
    expect(sandbox.journal.of("createPosts")).toEqual([]);
  });

  test("publishes once if two people approve at the same time", async () => {
    const sandbox = newSandbox();
    const place = await stores.place();
    const [one, two] = [
      serverOn(await stores.open(place), sandbox, composer),
      serverOn(await stores.open(place), sandbox, composer),
    ];
    await one.call("x_post_tweet", hello);
    const [item] = await waiting(one);
    const both = await Promise.all([approve(one, item), approve(two, item), approve(one, item)]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(both.filter(({ ok }) => !ok)).toMatchObject([
      { failure: { reason: "already_decided" } },
      { failure: { reason: "already_decided" } },
    ]);
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test.each<readonly [string, JsonObject]>([
    ["text", { args_json: JSON.stringify({ text: "Good mornind" }) }],
    ["target", { args_json: JSON.stringify({ text: "Good morning", media_ids: ["1"] }) }],
    ["tool", { tool: "x_delete_tweet" }],
    ["digest", { digest: "0".repeat(64) }],
  ])("is void if the %s was changed in the database", async (_, change) => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    await server.session.store.db.updateTable("approvals").set(change).execute();
    expect(await approve(server, item)).toMatchObject({ ok: false, failure: { reason: "content_changed" } });
    expect(sandbox.journal.entries).toEqual([]);
  });

  test("counts for the account it was given for, and no other", async () => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    await server.session.store.db
      .updateTable("approvals")
      .set({ account: "999" } as never)
      .execute();
    const moved = { ...server.releasing, account: "999" };
    const seen = { digest: item?.digest ?? "", by: "somebody" };
    expect(await releaseItem(moved, item?.id ?? 0, seen)).toMatchObject({
      failure: { reason: "content_changed" },
    });
    expect(sandbox.journal.entries).toEqual([]);
  });

  test("is void if one byte of a file has changed", async () => {
    const sandbox = newSandbox();
    const server = serverOn(await stores.open(), sandbox, { ...composer, mediaRoots: [folder] });
    const file_path = join(folder, "picture.png");
    await writeFile(file_path, picture(1));
    await server.call("x_upload_media", { file_path });
    const [item] = await waiting(server);
    expect(item?.media).toHaveLength(1);
    await writeFile(file_path, picture(2));
    expect(await approve(server, item)).toMatchObject({ ok: false, failure: { reason: "content_changed" } });
    expect(sandbox.journal.entries).toEqual([]);
    await writeFile(file_path, picture(1));
    expect((await approve(server, item)).ok).toBe(true);
  });

  test("covers the bytes of the pictures in a post", async () => {
    const sandbox = newSandbox();
    const setting = { mediaRoots: [folder] };
    const store = await stores.open();
    const file_path = join(folder, "other.png");
    await writeFile(file_path, picture(3));
    const uploaded = await serverOn(store, sandbox, setting).call("x_upload_media", { file_path });
    const { media_id } = uploaded.data as { media_id: string };
    const server = serverOn(store, sandbox, { ...composer, ...setting });
    await server.call("x_post_tweet", { ...hello, media_ids: [media_id] });
    const [item] = await waiting(server);
    expect(item?.media).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await store.db
      .updateTable("media")
      .set({ sha256: "f".repeat(64) } as never)
      .execute();
    expect(await approve(server, item)).toMatchObject({ failure: { reason: "content_changed" } });
  });

  test("is void for an older revision and valid for the current one", async () => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    const args = { text: "Good evening" };
    const edited = await editItem(server.session.store, approvalKey, {
      ...server.session,
      id: item?.id ?? 0,
      digest: item?.digest ?? "",
      args,
      media: [],
      claim: identityOf(server.session.account, "x_post_tweet", args).claim,
      estimatedMicros: 15_000,
      editor: "terminal",
      now: sandbox.clock.now(),
    });
    const { store, account } = server.session;
    const no = { digest: item?.digest ?? "", by: "terminal", now: sandbox.clock.now() };
    // Neither a yes nor a no to what the person saw counts for what is there now.
    expect(await approve(server, item)).toMatchObject({ failure: { reason: "content_changed" } });
    expect(await rejectItem(store.db, account, item?.id ?? 0, no)).toMatchObject({
      failure: { reason: "content_changed" },
    });
    expect((await approve(server, edited.ok ? edited.value : undefined)).ok).toBe(true);
    expect(postedBy(sandbox).map(({ text }) => text)).toEqual(["Good evening"]);
    expect(await server.session.store.db.selectFrom("approval_edits").selectAll().execute()).toMatchObject([
      {
        editor: "terminal",
        old_args_json: '{"text":"Good morning"}',
        new_args_json: '{"text":"Good evening"}',
      },
    ]);
  });

  test("is rejected if an edit gave the item the text of another waiting item", async () => {
    const { sandbox, server } = await newWorld(stores);
    const { store, account } = server.session;
    await server.call("x_post_tweet", hello);
    await server.call("x_post_tweet", { text: "Good evening" });
    const [first, second] = await waiting(server);
    const edited = await editItem(store, approvalKey, {
      ...server.session,
      id: second?.id ?? 0,
      digest: second?.digest ?? "",
      args: hello,
      media: [],
      claim: identityOf(account, "x_post_tweet", hello).claim,
      estimatedMicros: 15_000,
      editor: "terminal",
      now: sandbox.clock.now(),
    });
    expect(edited).toMatchObject({
      ok: false,
      failure: { code: "validation_error", reason: "duplicate_request", details: { same_as: first?.id } },
    });
    expect(await waiting(server)).toMatchObject([{ args: hello }, { args: { text: "Good evening" } }]);
  });

  test("expires, can be refused, and has to exist", async () => {
    const { sandbox, server } = await newWorld(stores);
    const { store, account } = server.session;
    await server.call("x_post_tweet", hello);
    const [old] = await waiting(server);
    sandbox.clock.advance(24 * HOUR);
    expect(await approve(server, old)).toMatchObject({ failure: { details: { status: "expired" } } });
    expect(queuedItem(await server.call("x_post_tweet", hello))).not.toBe(old?.id);
    const [item] = await waiting(server);
    const by = { digest: item?.digest ?? "", by: "terminal", note: "Not today", now: sandbox.clock.now() };
    expect(await rejectItem(store.db, account, item?.id ?? 0, by)).toMatchObject({
      ok: true,
      value: { status: "rejected", note: "Not today" },
    });
    expect(await approve(server, item)).toMatchObject({ failure: { reason: "already_decided" } });
    expect(await rejectItem(store.db, account, 4_711, by)).toMatchObject({ failure: { code: "not_found" } });
    expect(postedBy(sandbox)).toEqual([]);
  });

  test("waits again if X rejected the call temporarily", async () => {
    const { sandbox, server } = await newWorld(stores);
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await approve(server, item)).toMatchObject({ failure: { code: "x_rate_limited" } });
    expect(await waiting(server)).toMatchObject([{ id: item?.id, error: { code: "x_rate_limited" } }]);
    expect((await approve(server, item)).ok).toBe(true);
  });

  test("is completed once by the next process if its release was interrupted", async () => {
    const { sandbox, server } = await newWorld(stores);
    const { store, account } = server.session;
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    sandbox.faults.add({ operation: "getUsersPosts", kind: "error", count: 1 });
    expect(await approve(server, item)).toMatchObject({ failure: { code: "x_network_error" } });
    expect(await findItem(store.db, account, item?.id ?? 0)).toMatchObject({
      value: { status: "releasing" },
    });
    sandbox.clock.advance(61_000);
    expect(await resumeReleases(server.releasing)).toMatchObject([{ id: item?.id, status: "executed" }]);
    expect(await resumeReleases(server.releasing)).toEqual([]);
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("cannot be forged by copying the row of a rejected item to another id", async () => {
    const { sandbox, server } = await newWorld(stores);
    const { store, account } = server.session;
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    const now = sandbox.clock.now();
    const { id, ...row } = await store.db.selectFrom("approvals").selectAll().executeTakeFirstOrThrow();
    await rejectItem(store.db, account, id, { digest: row.digest, by: "terminal", now });
    await store.db
      .insertInto("approvals")
      .values(row as never)
      .execute();
    const [copy] = await waiting(server);
    expect(copy?.digest).toBe(item?.digest);
    expect(await approve(server, copy)).toMatchObject({ failure: { reason: "content_changed" } });
    expect(postedBy(sandbox)).toEqual([]);
  });

  test.each([
    ["that nobody has approved", { status: "releasing", decided_at: 0, decided_by: "terminal" }],
    ["whose words were changed since", { args_json: '{"text":"Buy my thing"}' }],
    ["whose digest was changed with its words", { args_json: '{"text":"B"}', digest: "f".repeat(64) }],
  ])("is not resumed for an item %s", async (name, tampered) => {
    const { sandbox, server } = await newWorld(stores);
    const { store, account } = server.session;
    await server.call("x_post_tweet", hello);
    const [item] = await waiting(server);
    if (!name.includes("nobody")) {
      // The process dies after the yes, before anything is sent.
      const dying = { ...server.releasing, execute: () => Promise.reject(new Error("killed")) };
      const approval = { digest: item?.digest ?? "", by: "terminal" };
      await expect(releaseItem(dying, item?.id ?? 0, approval)).rejects.toThrow("killed");
    }
    await store.db
      .updateTable("approvals")
      .set(tampered as never)
      .execute();
    sandbox.clock.advance(61_000);
    expect(await resumeReleases(server.releasing)).toEqual([]);
    expect(postedBy(sandbox)).toEqual([]);
    expect(await findItem(store.db, account, item?.id ?? 0)).toMatchObject({
      value: { status: "failed", error: { reason: "content_changed" } },
    });
  });
});

async function newWorld(stores: Stores): Promise<{ sandbox: Sandbox; server: TestServer }> {
  const sandbox = newSandbox();
  return { sandbox, server: serverOn(await stores.open(), sandbox, composer) };
}

function waiting({ session, clock }: TestServer): Promise<readonly QueuedMutation[]> {
  return pendingItems(session.store.db, session.account, clock.now());
}

function approve({ releasing }: TestServer, item: QueuedMutation | undefined) {
  return releaseItem(releasing, item?.id ?? 0, { digest: item?.digest ?? "", by: "terminal" });
}

/** A PNG of one pixel, and a byte that makes it this one. */
function picture(byte: number): Buffer {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  return Buffer.concat([Buffer.from(png, "base64"), Buffer.from([byte])]);
}
