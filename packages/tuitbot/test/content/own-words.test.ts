import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findItem } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { localTime } from "../../src/config/schedule-window.ts";
import { type Desk, openDesk } from "../engagement/desk.ts";
import { pass, postsOf } from "../engagement/passes.ts";

const HOUR = 3_600_000;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

let desk: Desk;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "tuitbot-drafts-"));
  for (const name of ["cat.png", "dog.png"])
    writeFileSync(join(folder, name), Buffer.concat([PNG, Buffer.from(name)]));
});
afterEach(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

const open = (config: object = {}) => openDesk({ config: { media: { roots: [folder] }, ...config } });
const inHours = (hours: number) => new Date(desk.sandbox.clock.now() + hours * HOUR).toISOString();
const texts = () => postsOf(desk).map(({ text }) => text);

/** The alternative texts of what each post shows. */
function shown(): readonly (readonly (string | undefined)[])[] {
  const { media } = desk.sandbox.world;
  return postsOf(desk).map(({ mediaIds }) => mediaIds.map((id) => media.get(id)?.altText));
}

describe("a draft in the agent's own words", () => {
  test("needs no language model, and is published as it is", async () => {
    desk = await open();
    const { data } = await desk.call("create_draft", { texts: ["Good morning."] });
    expect(data).toMatchObject({ draft_id: 1, status: "draft", texts: ["Good morning."], topic: null });
    await desk.call("publish_draft", { id: 1 });
    expect(texts()).toEqual(["Good morning."]);
  });

  test("goes out at its time, as a thread", async () => {
    desk = await open();
    const answer = await desk.call("create_draft", { texts: ["One", "Two"], scheduled_for: inHours(1) });
    expect(answer).toMatchObject({ data: { status: "scheduled", runner: { alive: false } } });
    desk.sandbox.clock.advance(HOUR);
    await pass(desk, "scheduled");
    expect(texts()).toEqual(["One", "Two"]);
  });

  test("that cannot be scheduled is not stored", async () => {
    desk = await open();
    const link = { texts: ["Read https://example.com/rye"], scheduled_for: inHours(1) };
    expect(await desk.call("create_draft", link)).toMatchObject({ error: { reason: "url_price" } });
    expect(await desk.call("list_drafts")).toMatchObject({ data: { drafts: [] } });
  });

  test.each(["publish_draft", "the schedule"])("shows its media with their texts by %s", async (by) => {
    desk = await open();
    const media = [
      { post: 2, file_path: join(folder, "cat.png"), alt_text: "A cat, asleep" },
      { post: 2, file_path: join(folder, "dog.png") },
    ];
    // Longer than X keeps an upload that nothing uses.
    const scheduled_for = by === "the schedule" ? { scheduled_for: inHours(72) } : {};
    const { data } = await desk.call("create_draft", { texts: ["One", "Two"], media, ...scheduled_for });
    expect(data).toMatchObject({ media });
    if (by === "the schedule") {
      desk.sandbox.clock.advance(72 * HOUR);
      await pass(desk, "scheduled");
    } else await desk.call("publish_draft", { id: 1 });
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    // X ends the text of a post with media by a link to them.
    expect(texts()).toEqual(["One", expect.stringMatching(/^Two https/)]);
    expect(shown()).toEqual([[], ["A cat, asleep", undefined]]);
  });

  test("whose post was not sent uploads again only what X has forgotten", async () => {
    desk = await open();
    const uploads = () => desk.sandbox.world.media.size;
    const before = uploads();
    await desk.call("create_draft", { texts: ["One"], media: [{ file_path: join(folder, "cat.png") }] });
    const limited = { operation: "createPosts", kind: "rate_limited" } as const;
    desk.sandbox.faults.add(limited);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    desk.sandbox.clock.advance(HOUR);
    desk.sandbox.faults.add(limited);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    expect(uploads() - before).toBe(1);
    desk.sandbox.clock.advance(25 * HOUR);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    expect(shown()).toEqual([[undefined]]);
  });

  test.each([
    [{ post: 2, file_path: "cat.png" }, "invalid_input"],
    [{ file_path: "/etc/hostname" }, "invalid_input"],
    [{ file_path: "bird.png" }, "file_read_error"],
  ])("is refused with media %j", async (media, code) => {
    desk = await open();
    expect(await desk.call("create_draft", { texts: ["One"], media: [media] })).toMatchObject({
      error: { code },
    });
  });

  test("loses and gets media when it is edited", async () => {
    desk = await open();
    await desk.call("create_draft", { texts: ["One"], media: [{ file_path: join(folder, "cat.png") }] });
    const media = [{ post: 1, file_path: join(folder, "dog.png"), alt_text: "A dog" }];
    const files = async (args: object) =>
      (await desk.call("edit_draft", { id: 1, texts: ["Two"], ...args })).data;
    expect(await files({})).toMatchObject({ media: [{ file_path: join(folder, "cat.png") }] });
    expect(await files({ media })).toMatchObject({ media });
    expect(await files({ media: [] })).toMatchObject({ media: [] });
  });
});

describe("a schedule that a person has to approve", () => {
  const approved = { approval_mode: true };
  const item = async (id: number) => {
    const found = await findItem(desk.services.db.store.db, desk.services.db.account, id);
    if (!found.ok) throw new Error(found.failure.message);
    return found.value;
  };
  const approve = async (id: number) =>
    releaseItem(desk.services.approvals, id, { digest: (await item(id)).digest, by: "terminal" });
  const draft = async () => (await desk.call("get_draft", { id: 1 })).data;
  const pending = async () => (await desk.call("get_pending_count")).data;
  const later = async (hours: number) => {
    desk.sandbox.clock.advance(hours * HOUR);
    return pass(desk, "scheduled");
  };

  test("asks when it is scheduled, once, and goes out at its time", async () => {
    desk = await open(approved);
    const scheduled_for = inHours(72);
    const media = [{ file_path: join(folder, "cat.png"), alt_text: "A cat" }];
    expect(await desk.call("create_draft", { texts: ["Approved"], media, scheduled_for })).toMatchObject({
      success: true,
      data: {
        status: "scheduled",
        approval: "waiting",
        approval_queue_id: 1,
        next_step: expect.stringContaining("tuitbot approve"),
      },
    });
    expect(await desk.call("list_pending_approvals")).toMatchObject({
      data: { items: [{ params: { text: "Approved" }, scheduled_for, media: [expect.any(String)] }] },
    });
    expect(await approve(1)).toMatchObject({ ok: true, value: { status: "approved" } });
    expect(await draft()).toMatchObject({ status: "scheduled", approval: "approved" });
    await later(71);
    expect(texts()).toEqual([]);
    await later(1);
    expect(texts()).toEqual([expect.stringMatching(/^Approved https/)]);
    expect(shown()).toEqual([["A cat"]]);
    expect(await draft()).toMatchObject({ status: "published" });
    expect(await pending()).toEqual({ pending_count: 0 });
    expect(await item(1)).toMatchObject({ status: "executed" });
    await later(1);
    expect(texts()).toHaveLength(1);
  });

  test("waits past its time for the person, and not for ever", async () => {
    desk = await open(approved);
    await desk.call("create_draft", { texts: ["One"], scheduled_for: inHours(48) });
    await desk.call("create_draft", { texts: ["Two"], scheduled_for: inHours(48) });
    await later(49);
    expect(texts()).toEqual([]);
    await approve(1);
    await later(1);
    expect(texts()).toEqual(["One"]);
    await later(24);
    expect(texts()).toEqual(["One"]);
    expect(await desk.call("get_draft", { id: 2 })).toMatchObject({
      data: {
        status: "draft",
        revisions: expect.arrayContaining([expect.objectContaining({ what: "expired" })]),
      },
    });
    expect(await approve(2)).toMatchObject({ failure: { reason: "already_decided" } });
  });

  test.each([
    ["its text", () => desk.call("edit_draft", { id: 1, texts: ["Other"] })],
    ["its media", () => desk.call("edit_draft", { id: 1, texts: ["One"], media: [] })],
    ["its time", () => desk.call("schedule_draft", { id: 1, scheduled_for: inHours(2) })],
    ["that it goes out now", () => desk.call("publish_draft", { id: 1 })],
  ])("asks again when somebody changes %s", async (_, change) => {
    desk = await open(approved);
    const media = [{ file_path: join(folder, "cat.png") }];
    await desk.call("create_draft", { texts: ["One"], media, scheduled_for: inHours(1) });
    await approve(1);
    expect(await change()).toMatchObject({ data: { approval_queue_id: 2 } });
    await later(3);
    expect(texts()).toEqual([]);
    expect(await item(1)).toMatchObject({ status: "expired", decidedBy: "agent" });
    expect(await pending()).toEqual({ pending_count: 1 });
    await approve(2);
    await later(0);
    expect(texts()).toHaveLength(1);
    expect(await draft()).toMatchObject({ status: "published" });
  });

  test("sends nothing when a file is another one by then", async () => {
    desk = await open(approved);
    const media = [{ file_path: join(folder, "cat.png") }];
    await desk.call("create_draft", { texts: ["One"], media, scheduled_for: inHours(1) });
    await approve(1);
    writeFileSync(join(folder, "cat.png"), Buffer.concat([PNG, Buffer.from("a dog")]));
    await later(1);
    expect(texts()).toEqual([]);
    expect(await draft()).toMatchObject({ status: "draft", media });
  });

  test.each([
    { what: "another text", set: { texts_json: JSON.stringify(["Forged"]) }, sent: ["One"] },
    { what: "an earlier time", set: { due_at: 0 }, sent: [] },
    {
      what: "another file",
      set: { media_json: JSON.stringify([{ post: 1, file_path: "dog.png" }]) },
      sent: [],
    },
  ])("does not let the database alone send $what", async ({ set, sent }) => {
    desk = await open(approved);
    await desk.call("create_draft", { texts: ["One"], scheduled_for: inHours(1) });
    await approve(1);
    await desk.services.db.store.db.updateTable("scheduled_posts").set(set).execute();
    await later(set.due_at === undefined ? 1 : 0);
    expect(texts()).toEqual(sent);
  });

  test("does not let the database alone approve", async () => {
    desk = await open(approved);
    await desk.call("create_draft", { texts: ["One"], scheduled_for: inHours(1) });
    await desk.services.db.store.db
      .updateTable("approvals")
      .set({ status: "approved", decided_by: "terminal", decision: "forged" })
      .execute();
    await later(1);
    expect(texts()).toEqual([]);
  });

  test("that is rejected is a draft again, with the reason", async () => {
    desk = await open(approved);
    await desk.call("create_draft", { texts: ["One"], scheduled_for: inHours(1) });
    const { store, account } = desk.services.db;
    const { digest } = await item(1);
    await rejectItem(store.db, account, 1, { digest, by: "terminal", note: "Too early.", now: 1 });
    expect(await draft()).toMatchObject({
      status: "draft",
      scheduled_for: null,
      revisions: expect.arrayContaining([expect.objectContaining({ note: "Too early." })]),
    });
    await later(1);
    expect(texts()).toEqual([]);
  });

  test("goes on by itself after X could not take it, without another question", async () => {
    desk = await open(approved);
    await desk.call("create_draft", { texts: ["One", "Two", "Three"], scheduled_for: inHours(1) });
    await approve(1);
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2 });
    await later(1);
    expect(texts()).toEqual(["One"]);
    await later(1);
    expect(texts()).toEqual(["One", "Two", "Three"]);
    expect(await draft()).toMatchObject({ status: "published" });
    expect(await pending()).toEqual({ pending_count: 0 });
  });
});

describe("the next free slot", () => {
  test("is the next one at which nothing is scheduled", async () => {
    desk = await open({ schedule: { posting_slots: ["09:30", "18:00"], timezone: "Europe/Vienna" } });
    const at = async (tool: string, args: object) =>
      ((await desk.call(tool, { ...args, next_slot: true })).data as { scheduled_for: string }).scheduled_for;
    const slots = [
      await at("create_draft", { texts: ["One"] }),
      await at("create_draft", { texts: ["Two"] }),
      await at("create_draft", { texts: ["Three"] }),
    ];
    expect(new Set(slots).size).toBe(3);
    expect(slots).toEqual([...slots].sort());
    for (const slot of slots)
      expect(localTime(Date.parse(slot), "Europe/Vienna")).toMatchObject({
        minute: expect.toBeOneOf([30, 0]),
      });
    await desk.call("discard_draft", { id: 2 });
    await desk.call("create_draft", { texts: ["Four"] });
    expect(await at("schedule_draft", { id: 4 })).toBe(slots[1]);
  });

  test("is refused where there is none, or a time is given too", async () => {
    desk = await open({ schedule: { posting_slots: [] } });
    const refused = { error: { code: "invalid_input" } };
    expect(await desk.call("create_draft", { texts: ["One"], next_slot: true })).toMatchObject(refused);
    await desk.call("create_draft", { texts: ["One"] });
    expect(await desk.call("schedule_draft", { id: 1 })).toMatchObject(refused);
    const both = { id: 1, next_slot: true, scheduled_for: inHours(1) };
    expect(await desk.call("schedule_draft", both)).toMatchObject(refused);
  });
});

describe("refresh_analytics", () => {
  test("tells how posts do now, and counts those that are due once", async () => {
    desk = await open();
    await desk.call("x_post_tweet", { text: "How does this do?" });
    const [post] = postsOf(desk);
    const { world } = desk.sandbox;
    world.likes.add(desk.sandbox.person(cast.friend).id, post?.id ?? "", "1");
    const figures = { id: post?.id, text: "How does this do?", likes: 1 };
    expect(await desk.call("refresh_analytics")).toMatchObject({
      data: { measured: 0, posts: [figures], follower_count: expect.any(Number) },
    });
    desk.sandbox.clock.advance(25 * HOUR);
    expect(await desk.call("refresh_analytics")).toMatchObject({ data: { measured: 1, posts: [figures] } });
    expect(await desk.call("refresh_analytics")).toMatchObject({ data: { measured: 0, posts: [figures] } });
  });

  test("spends no more than the budget has left", async () => {
    desk = await open({ budget: { max_usd_per_day: 0.012 } });
    await desk.call("x_post_tweet", { text: "One" });
    expect(await desk.call("refresh_analytics")).toMatchObject({
      error: { code: expect.stringMatching(/^policy_denied/) },
    });
  });
});
