import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { takeLease } from "../../src/autopilot/lease.ts";
import { upcoming } from "../../src/autopilot/run.ts";
import { tick } from "../../src/autopilot/tick.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import type { Desk } from "./desk.ts";
import { DAY, loopSetting, never, openBakery, pass, passWith, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

onBothEngines("a whole pass", ({ place }) => {
  test("runs every loop", async () => {
    desk = await openBakery({ store: await place(), config: { targets: { accounts: [cast.friend] } } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const ends = await pass(desk);
    expect(Object.values(ends).map(({ status }) => status)).toEqual(Array(8).fill("completed"));
    desk.sandbox.clock.advance(DAY);
    expect((await pass(desk)).analytics).toMatchObject({ counts: { gone: 0, measured: expect.any(Number) } });
    expect(
      (await desk.call("recommend_engagement_action", { author_username: cast.friend, tweet_text: "rye" }))
        .success,
    ).toBe(true);
  });
});

describe("a pass", () => {
  test("keeps the active hours, except for what does not depend on them", async () => {
    desk = await openBakery({ config: { schedule: { active_hours_start: 1, active_hours_end: 2 } } });
    const ends = await pass(desk);
    const hushed = Object.entries(ends).filter(([, end]) => end.status === "skipped");
    expect(hushed.map(([name]) => name)).toEqual(["mentions", "targets", "discovery", "content", "threads"]);
    expect((await passWith(desk, { ignoresSchedule: true })).mentions?.status).toBe("completed");
  });

  test("that comes next is in the active hours for what keeps them", async () => {
    desk = await openBakery({ config: { schedule: { active_hours_start: 1, active_hours_end: 2 } } });
    const keeps = ["mentions", "targets", "discovery"];
    const now = desk.sandbox.clock.now();
    const next = await upcoming(loopSetting(desk));
    for (const { name, at } of next)
      if (keeps.includes(name)) expect([name, new Date(at).getUTCHours()]).toEqual([name, 1]);
      else expect([name, at <= now]).toEqual([name, true]);
    expect(next.map(({ name }) => name)).toEqual(expect.arrayContaining(["mentions", "analytics"]));
  });

  test("runs only what is due, and what failed after a while", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "getUsersMentions", kind: "error", status: 400 });
    const first = await pass(desk);
    expect(first).toMatchObject({
      mentions: { status: "failed", failure: { code: "invalid_input" } },
      discovery: { status: "completed" },
      analytics: { status: "completed" },
      retention: { status: "completed" },
    });
    const due = async () => {
      const ends = await pass(desk);
      return Object.keys(ends).filter((name) => ends[name]?.status === "completed");
    };
    expect(await due()).toEqual(["scheduled"]);
    desk.sandbox.clock.advance(300_000);
    expect(await due()).toEqual(["scheduled"]);
    desk.sandbox.clock.advance(300_000);
    expect(await due()).toEqual(["scheduled", "mentions"]);
    desk.sandbox.clock.advance(3_000_000);
    expect(await due()).toEqual(["scheduled", "mentions", "discovery", "analytics"]);
  });

  test("never runs twice at once, and goes on where a process died", async () => {
    desk = await openBakery();
    const now = () => desk.sandbox.clock.now();
    const wish = { name: "tick", holder: "somebody", now, lifeMs: 60_000 };
    expect(await takeLease(desk.services.db, wish)).toHaveProperty("release");
    const refused = await tick(loopSetting(desk), { isDryRun: false, ignoresSchedule: true }, never);
    expect(refused).toMatchObject({ ok: false, failure: { code: "validation_error" } });
    desk.sandbox.clock.advance(60_000);
    expect(await pass(desk, "retention")).toMatchObject({ retention: { status: "completed" } });
    // And lets go when it ends.
    expect(await pass(desk, "retention")).toMatchObject({ retention: { status: "completed" } });
  });

  test("keeps its turn while it lives, and loses it seconds after it died", async () => {
    desk = await openBakery();
    const { db } = desk.services;
    const beats: (() => void)[] = [];
    const setting = loopSetting(desk);
    const after = (ms: number, beat: () => void) => {
      // The other timer is the end of the lease.
      if (ms < 10_000) beats.push(beat);
      return () => {};
    };
    const until = async () =>
      (await db.store.db.selectFrom("leases").select("until").executeTakeFirstOrThrow()).until;
    const seen: number[] = [];
    await tick(
      {
        ...setting,
        workflow: {
          ...setting.workflow,
          after,
          async settle() {
            seen.push((await until()) - desk.sandbox.clock.now());
            desk.sandbox.clock.advance(60_000);
            beats.shift()?.();
            await expect.poll(async () => (await until()) - desk.sandbox.clock.now()).toBe(seen[0]);
            seen.push((await until()) - desk.sandbox.clock.now());
          },
        },
      },
      { isDryRun: false, ignoresSchedule: false, loops: ["retention"] },
      never,
    );
    expect(seen[0]).toBe(10_000);
    expect(seen[1]).toBe(seen[0]);
  });

  test("stops when its lease could not be renewed for as long as it lasts, whatever the clock says", async () => {
    desk = await openBakery();
    const setting = loopSetting(desk);
    const timers: { readonly ms: number; readonly fire: () => void; isCancelled: boolean }[] = [];
    const after = (ms: number, fire: () => void) => {
      const timer = { ms, fire, isCancelled: false };
      timers.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    };
    const ended = await tick(
      {
        ...setting,
        workflow: {
          ...setting.workflow,
          after,
          // The clock stands still, and only the timer of the whole lease fires.
          settle: async () => timers.find(({ ms, isCancelled }) => ms === 10_000 && !isCancelled)?.fire(),
        },
      },
      { isDryRun: false, ignoresSchedule: true },
      never,
    );
    expect(ended.ok && [...ended.value.loops]).toEqual([]);
    expect(timers.filter(({ isCancelled }) => !isCancelled).map(({ ms }) => ms)).toEqual([]);
  });

  test("goes on when the clock was ahead for a while", async () => {
    desk = await openBakery();
    const { store, account } = desk.services.db;
    await pass(desk);
    const future = desk.sandbox.clock.now() + 365 * DAY;
    await store.db.updateTable("loops").set({ ran_at: future }).execute();
    await store.db
      .insertInto("leases")
      .values({ account, name: "tick", holder: "somebody", until: future })
      .execute();
    expect(await pass(desk)).toMatchObject({
      mentions: { status: "completed" },
      analytics: { status: "completed" },
    });
    expect(await pass(desk)).toMatchObject({ mentions: { status: "skipped", reason: "not due yet" } });
  });

  test("that is dry looks and changes nothing", async () => {
    desk = await openBakery();
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const dry = await passWith(desk, { isDryRun: true });
    expect(dry).toMatchObject({ content: { counts: { due: 1 } }, analytics: { status: "skipped" } });
    expect(postsOf(desk)).toEqual([]);
    const { db } = desk.services.db.store;
    expect(await db.selectFrom("approvals").select("id").execute()).toEqual([]);
    expect(await db.selectFrom("loops").select("name").execute()).toEqual([]);
    expect(await pass(desk, "mentions")).toMatchObject({
      mentions: { counts: dry.mentions && { sent: expect.any(Number) } },
    });
  });

  test("says so when the database cannot be used", async () => {
    desk = await openBakery();
    const { db } = desk.services.db.store;
    await db.schema.alterTable("leases").renameTo("gone").execute();
    const ticked = await tick(loopSetting(desk), { isDryRun: false, ignoresSchedule: true }, never);
    expect(ticked).toMatchObject({ ok: false, failure: { code: "db_error" } });
  });

  test("in composer mode every answer says that a person approves", async () => {
    desk = await openBakery({ config: { mode: "composer" } });
    for (const tool of ["get_stats", "get_discovery_feed", "find_reply_opportunities"])
      expect((await desk.call(tool, {})).meta).toMatchObject({ mode: "composer", approval_mode: true });
  });

  test("puts what it reads on the ledger, and keeps within the caps", async () => {
    desk = await openBakery({ config: { budget: { max_usd_per_day: 0.001 } } });
    expect(await pass(desk, "discovery")).toMatchObject({
      discovery: { status: "failed", failure: { code: "policy_denied_user_rule", reason: "budget" } },
    });
    expect(desk.sandbox.journal.of("searchPostsRecent")).toEqual([]);
  });
});
