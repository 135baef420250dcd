import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { microsOf } from "@toolpact/contract/internal/money";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { editItem } from "../../src/approval/edit.ts";
import { findItem } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { type Desk, openDesk } from "../engagement/desk.ts";
import { pass, postsOf } from "../engagement/passes.ts";

const DAY = 86_400_000;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

let desk: Desk;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "tuitbot-series-"));
  writeFileSync(join(folder, "loaf.png"), PNG);
});
afterEach(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

const open = (approval_mode: boolean) => openDesk({ config: { approval_mode, media: { roots: [folder] } } });
const inDays = (days: number) => new Date(desk.sandbox.clock.now() + days * DAY).toISOString();
const texts = () => postsOf(desk).map(({ text }) => text);
const series = (more: object = {}) =>
  desk.call("create_recurring_posts", {
    variants: ["Loaves are out.", "Fresh bread again."],
    repeats: "09:30",
    until: inDays(5),
    ...more,
  });
const drafts = async (args: object = {}) =>
  (
    (await desk.call("list_drafts", { ...args })).data as {
      drafts: { draft_id: number; status: string; texts: string[]; approval: string | null }[];
    }
  ).drafts;
/** A pass every three hours, as a runner would. */
async function live(days: number): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 3) {
    desk.sandbox.clock.advance(DAY / 8);
    await pass(desk, "scheduled");
  }
}
const item = async (id: number) => {
  const found = await findItem(desk.services.db.store.db, desk.services.db.account, id);
  if (!found.ok) throw new Error(found.failure.message);
  return found.value;
};
const approve = async (id: number) =>
  releaseItem(desk.services.approvals, id, { digest: (await item(id)).digest, by: "terminal" });

describe("recurring posts", () => {
  test("go out at each of their times, in variants that X does not take for duplicates", async () => {
    desk = await open(false);
    const media = [{ post: 2, file_path: join(folder, "loaf.png"), alt_text: "A loaf" }];
    expect(await series({ media })).toMatchObject({
      success: true,
      data: { series_id: 1, count: 5, next: { length: 5 }, runner: { alive: false } },
    });
    await live(6);
    expect(texts().map((text) => text.replace(/ https.*/, ""))).toEqual([
      "Loaves are out.",
      "Fresh bread again.",
      "Loaves are out.",
      "Fresh bread again.",
      "Loaves are out.",
    ]);
    expect(postsOf(desk).map(({ mediaIds }) => mediaIds.length)).toEqual([0, 1, 0, 1, 0]);
    expect(await drafts()).toEqual([]);
    expect(await drafts({ status: "published", expand_series: true })).toHaveLength(5);
  });

  test("are approved once, for all their contents and times", async () => {
    desk = await open(true);
    const created = await series({ media: [{ post: 1, file_path: join(folder, "loaf.png") }] });
    expect(created).toMatchObject({
      data: { approval_queue_id: 1, status: "queued", next_step: expect.stringContaining("tuitbot approve") },
    });
    expect(await desk.call("get_pending_count")).toMatchObject({ data: { pending_count: 1 } });
    const { data } = await desk.call("list_pending_approvals");
    const [waiting] = (data as { items: { series: { repeats: string; posts: object[] } }[] }).items;
    expect(waiting?.series.repeats).toBe("09:30 (UTC)");
    expect(waiting?.series.posts).toHaveLength(5);
    expect(waiting?.series.posts[1]).toMatchObject({ text: "Fresh bread again.", at: expect.any(String) });
    await live(0.1);
    expect(await approve(1)).toMatchObject({ ok: true });
    await live(6);
    expect(texts()).toHaveLength(5);
    expect(await desk.call("get_pending_count")).toMatchObject({ data: { pending_count: 0 } });
    expect(await item(1)).toMatchObject({ status: "executed" });
  });

  test("leave no secrets in the queue once they went out, or were taken off the schedule", async () => {
    desk = await open(true);
    const secret = "Bearer abcdefghijklmnopqrstuvwxyz0123456789";
    const { db, account } = { ...desk.services.db.store, account: desk.services.db.account };
    const secretsIn = async () => {
      const rows = await db.selectFrom("approvals").selectAll().where("account", "=", account).execute();
      return rows.filter((row) => JSON.stringify([row.args_json, row.schedule_json]).includes("ghijkl"));
    };
    await series({ variants: [`Loaves ${secret}`, `Bread ${secret}`] });
    expect(await secretsIn()).toHaveLength(1);
    expect(await approve(1)).toMatchObject({ ok: true });
    // Five posts that still go out, as they were approved; the item for all of them is decided.
    expect(await secretsIn()).toHaveLength(5);
    await live(3);
    expect(texts()).toHaveLength(3);
    expect(texts()[0]).toContain(secret);
    expect(await secretsIn()).toHaveLength(2);
    await desk.call("discard_draft", { id: (await drafts())[0]?.draft_id ?? 0, series: true });
    expect(await secretsIn()).toEqual([]);
  });

  test("send nothing that the person did not see", async () => {
    desk = await open(true);
    await series();
    const seen = (await item(1)).digest;
    const { db } = desk.services.db.store;
    await sql`update approvals set schedule_json = replace(schedule_json, 'Fresh bread', 'Forged bread')`.execute(
      db,
    );
    expect(await releaseItem(desk.services.approvals, 1, { digest: seen, by: "terminal" })).toMatchObject({
      failure: { reason: "content_changed" },
    });
    await live(6);
    expect(texts()).toEqual([]);
  });

  test.each(["another file", "the file of another of them"])(
    "are not approved with a file that became %s while the person's approval was checked",
    async (what) => {
      desk = await open(true);
      const [loaf, crumb] = [join(folder, "loaf.png"), join(folder, "crumb.png")];
      writeFileSync(crumb, Buffer.concat([PNG, Buffer.from("crumb")]));
      await series({
        media: [
          { post: 1, file_path: loaf },
          { post: 2, file_path: crumb },
        ],
      });
      const { approvals } = desk.services;
      const swapping: typeof approvals = {
        ...approvals,
        async mediaOf(one) {
          const files = await approvals.mediaOf(one);
          // Right after the whole of it was looked at.
          if (one.schedule?.series !== undefined)
            writeFileSync(loaf, what === "another file" ? Buffer.concat([PNG, PNG]) : readFileSync(crumb));
          return files;
        },
      };
      const { digest } = await item(1);
      expect(await releaseItem(swapping, 1, { digest, by: "terminal" })).toMatchObject({
        failure: { reason: "content_changed" },
      });
      expect(await item(1)).toMatchObject({ status: "pending" });
      await live(6);
      expect(texts()).toEqual([]);
    },
  );

  test("that were approved do not let the database change one of them", async () => {
    desk = await open(true);
    await series();
    await approve(1);
    const { db } = desk.services.db.store;
    await db
      .updateTable("approvals")
      .set({ args_json: JSON.stringify({ text: "Forged" }) })
      .where("id", "=", 3)
      .execute();
    await live(6);
    expect(texts()).toHaveLength(4);
    expect(texts()).not.toContain("Forged");
  });

  test("that a person rejects are gone, with the reason", async () => {
    desk = await open(true);
    await series();
    const { store, account } = desk.services.db;
    const { digest } = await item(1);
    await rejectItem(store.db, account, 1, { digest, by: "terminal", note: "Too often.", now: 1 });
    expect(await drafts()).toEqual([]);
    expect(await desk.call("get_draft", { id: 4 })).toMatchObject({
      data: {
        status: "discarded",
        revisions: expect.arrayContaining([expect.objectContaining({ note: "Too often." })]),
      },
    });
    await live(6);
    expect(texts()).toEqual([]);
  });

  test("list as one, the next of them, and can be changed and ended one by one or together", async () => {
    desk = await open(false);
    await desk.call("create_draft", { texts: ["Beside them"] });
    await series();
    expect(await drafts()).toMatchObject([
      { draft_id: 2, series: { id: 2, number: 1, of: 5, repeats: "09:30" } },
      { draft_id: 1, series: null },
    ]);
    expect(await drafts({ expand_series: true })).toHaveLength(6);
    await desk.call("discard_draft", { id: 2 });
    await desk.call("edit_draft", { id: 3, texts: ["Today with rye."] });
    await live(3);
    expect(texts()).toEqual(["Today with rye.", "Loaves are out."]);
    expect(await desk.call("discard_draft", { id: 5, series: true })).toMatchObject({
      data: { status: "discarded", discarded: 2 },
    });
    await live(4);
    expect(texts()).toHaveLength(2);
    expect(await drafts()).toMatchObject([{ draft_id: 1 }]);
  });

  test("keep their time of day when the clocks change, also those that were edited before", async () => {
    desk = await openDesk({
      sandbox: { start: Date.parse("2026-10-22T12:00:00Z") },
      config: { schedule: { timezone: "Europe/Vienna" } },
    });
    await series({ until: inDays(6) });
    const all = async () => (await drafts({ expand_series: true })) as unknown as { scheduled_for: string }[];
    const planned = (await all()).map(({ scheduled_for }) => scheduled_for).sort();
    expect(planned).toEqual([
      "2026-10-23T07:30:00.000Z",
      "2026-10-24T07:30:00.000Z",
      "2026-10-25T08:30:00.000Z",
      "2026-10-26T08:30:00.000Z",
      "2026-10-27T08:30:00.000Z",
      "2026-10-28T08:30:00.000Z",
    ]);
    await desk.call("edit_draft", { id: 3, texts: ["Today with rye."] });
    await desk.call("discard_draft", { id: 4 });
    const left = (await all()).map(({ scheduled_for }) => scheduled_for);
    expect(left).toHaveLength(5);
    for (const at of left) expect(planned).toContain(at);
    await live(7);
    expect(texts()).toHaveLength(5);
    expect(texts()).toContain("Today with rye.");
  });

  test("of which one was changed while they wait need an approval of that one too", async () => {
    desk = await open(true);
    await series();
    await desk.call("edit_draft", { id: 2, texts: ["Today with rye."] });
    expect(await item(1)).toMatchObject({ status: "pending" });
    await approve(1);
    await live(6);
    expect(texts()).toEqual(["Loaves are out.", "Loaves are out.", "Fresh bread again.", "Loaves are out."]);
  });

  test("are edited as drafts, not in the queue", async () => {
    desk = await open(true);
    await series();
    const { args, digest } = await item(1);
    const { store, account } = desk.services.db;
    expect(
      await editItem(store, desk.services.approvals.key, {
        account,
        id: 1,
        digest,
        args: { ...args, text: "Other" },
        media: [],
        claim: "other",
        estimatedMicros: microsOf(0),
        editor: "terminal",
        now: 1,
      }),
    ).toMatchObject({
      failure: { code: "validation_error", suggestedFix: expect.stringContaining("drafts") },
    });
  });

  test.each([
    [{ variants: ["One"] }, "invalid_input", /at least 2 variants/],
    [{ variants: ["One", " One "] }, "invalid_input", /the same words/],
    [{ repeats: "every day" }, "invalid_input", /cron expression/],
    [{ until: "tomorrow" }, "invalid_input", /time with a zone/],
    [{ until: "tomorrow", repeats: "every day" }, "invalid_input", /cron expression.*time with a zone/],
    [{ variants: ["One", "x".repeat(281)] }, "tweet_too_long", /281/],
    [{ variants: ["One", "See https://example.com"] }, "validation_error", /accept_url_price/],
  ])("with %j are refused, and nothing is stored", async (more, code, message) => {
    desk = await open(false);
    const { error } = await series(more);
    expect(error).toMatchObject({ code });
    expect(`${error?.message} ${error?.suggested_fix}`).toMatch(message);
    expect(await drafts()).toEqual([]);
  });

  test("of one text once a week are no duplicates", async () => {
    desk = await open(false);
    expect(
      await series({ variants: ["Office hours today."], repeats: "Mon 09:30", until: inDays(15) }),
    ).toMatchObject({ data: { count: 2 } });
    await live(16);
    expect(texts()).toHaveLength(2);
  });
});
