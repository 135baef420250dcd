import { afterEach, expect, test, vi } from "vitest";
import { takeLease } from "../../src/autopilot/lease.ts";
import { tick } from "../../src/autopilot/tick.ts";
import { resumeAll, stopAll } from "../../src/guards/stop/stop.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { type Desk, ownerOf } from "./desk.ts";
import { DAY, loopSetting, never, openBakery, pass, passWith, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

onBothEngines("scheduled posts", ({ place }) => {
  async function schedule(texts: readonly string[], due_at: number): Promise<number> {
    const { id } = await desk.services.db.store.db
      .insertInto("scheduled_posts")
      .values({
        account: ownerOf(desk),
        draft_id: null,
        texts_json: JSON.stringify(texts),
        topic: "crust",
        format: "tip",
        due_at,
        status: "scheduled",
        created_at: due_at,
        lease_until: 0,
        tries: 0,
        approval_id: null,
        post_id: null,
        error_json: null,
        accepts_url_price: 0,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }
  const rows = () =>
    desk.services.db.store.db
      .selectFrom("scheduled_posts")
      .select(["status", "post_id", "approval_id", "tries"])
      .orderBy("id")
      .execute();

  test("go out when they are due, once, with their topic", async () => {
    desk = await openBakery({ store: await place() });
    const now = desk.sandbox.clock.now();
    await schedule(["Due now"], now);
    await schedule(["One", "Two"], now - 60_000);
    await schedule(["Not yet"], now + 1);
    await schedule(["Long ago"], now - 2 * DAY);
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 2, failed: 1 } } });
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 0 } } });
    expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["One", "Two", "Due now"]);
    expect((await rows()).map(({ status }) => status)).toEqual(["posted", "posted", "scheduled", "failed"]);
    const topics = await desk.services.db.store.db
      .selectFrom("publications")
      .select(["topic", "format"])
      .where("position", "=", 0)
      .execute();
    expect(topics).toEqual([
      { topic: "crust", format: "tip" },
      { topic: "crust", format: "tip" },
    ]);
  });

  test("are not retried after X rejects them, and report the reason", async () => {
    desk = await openBakery();
    await schedule(["Refused"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 403 });
    expect(await pass(desk, "scheduled")).toMatchObject({
      scheduled: { counts: { failed: 1 }, codes: ["x_forbidden"] },
    });
    expect(await rows()).toMatchObject([{ status: "failed", post_id: null }]);
  });

  test("are left to another process that took over the lease", async () => {
    desk = await openBakery();
    const now = desk.sandbox.clock.now();
    await schedule(["Mine"], now - 1);
    await schedule(["Theirs"], now);
    const rest = async () => {
      desk.sandbox.clock.advance(31 * 60_000);
      const wish = { name: "tick", holder: "other", now: () => desk.sandbox.clock.now(), lifeMs: 60_000 };
      await takeLease(desk.services.db, wish);
    };
    expect(Object.keys(await passWith(desk, { rest }))).toEqual(["scheduled"]);
    expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["Mine"]);
  });

  test.each(["between two of them", "while one is about to be sent"])(
    "wait while a person has stopped everything %s, and go out once after that",
    async (when) => {
      desk = await openBakery({ store: await place() });
      const now = desk.sandbox.clock.now();
      await schedule(["First"], now - 1);
      await schedule(["Second"], now);
      const { store, account } = desk.services.db;
      const stop = () => stopAll(store.db, account, { at: now, by: "terminal", reason: undefined });
      const setting = loopSetting(desk);
      const call: typeof setting.workflow.call = async (...given) => {
        if (given[1].text === "Second" && when !== "between two of them") await stop();
        const executed = await setting.workflow.call(...given);
        if (given[1].text === "First" && when === "between two of them") await stop();
        return executed;
      };
      const wish = { loops: ["scheduled"], isDryRun: false, ignoresSchedule: false } as const;
      await tick({ ...setting, workflow: { ...setting.workflow, call } }, wish, never);
      expect(await rows()).toMatchObject([{ status: "posted" }, { status: "scheduled", tries: 0 }]);
      await resumeAll(store.db, account);
      expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
      expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["First", "Second"]);
    },
  );

  test("wait for a person in approval mode", async () => {
    desk = await openBakery({ config: { approval_mode: true } });
    await schedule(["Due now"], desk.sandbox.clock.now());
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { queued: 1 } } });
    expect(await rows()).toMatchObject([{ status: "queued", approval_id: 1, post_id: null }]);
  });

  test("wait for as long as X says", async () => {
    desk = await openBakery();
    await schedule(["Patient"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    const setting = loopSetting(desk);
    const call: typeof setting.workflow.call = async (...given) => {
      const executed = await setting.workflow.call(...given);
      return executed.ok !== false
        ? executed
        : { ...executed, failure: { ...executed.failure, retryAfterMs: DAY } };
    };
    const wish = { loops: ["scheduled"], isDryRun: false, ignoresSchedule: false } as const;
    await tick({ ...setting, workflow: { ...setting.workflow, call } }, wish, never);
    desk.sandbox.clock.advance(DAY - 1);
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 0, later: 0 } } });
    desk.sandbox.clock.advance(1);
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
  });

  test("are retried after a failure and posted once even if the answer was lost", async () => {
    desk = await openBakery();
    await schedule(["Stubborn"], desk.sandbox.clock.now());
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403 });
    await pass(desk, "scheduled");
    expect(await rows()).toMatchObject([{ status: "publishing", tries: 1 }]);
    desk.sandbox.clock.advance(2 * 60_000);
    expect(await pass(desk, "scheduled")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test.each(["after", "before"] as const)(
    "are resolved by the next runner if the last one was killed %s X had posted them",
    async (when) => {
      const store = await place();
      desk = await openBakery({ store });
      const { sandbox } = desk;
      const dead = await openBakery({ store, sandbox });
      await schedule(["Interrupted"], sandbox.clock.now());
      sandbox.faults.add({ operation: "createPosts", kind: "hang", when });
      void pass(dead, "scheduled");
      await vi.waitFor(async () => {
        const steps = await desk.services.db.store.db.selectFrom("steps").select("state").execute();
        expect(steps).toMatchObject([{ state: "pending" }]);
        // The step is stored before the request is sent, and time may move only when X has it.
        expect(sandbox.faults.planned).toEqual([]);
        if (when === "after") expect(postsOf(desk)).toHaveLength(1);
      }, 20_000);
      // The lease of the dead runner is over.
      sandbox.clock.advance(10_000);
      const isOut = when === "after";
      const atRest: string[] = [];
      const rest = async () => void atRest.push(...(await rows()).map(({ status }) => status));
      expect(await passWith(desk, { loops: ["scheduled"], rest })).toMatchObject({
        scheduled: { counts: { posted: isOut ? 1 : 0, later: isOut ? 0 : 1 } },
      });
      expect(await rows()).toMatchObject([{ status: isOut ? "posted" : "publishing" }]);
      // Not only when the runner has rested, as it does for minutes.
      expect(atRest).toEqual([isOut ? "posted" : "publishing"]);
      // X may still do what it does not show; only when it cannot any more is it sent again.
      sandbox.clock.advance(400_000);
      await pass(desk, "scheduled");
      expect(await rows()).toMatchObject([{ status: "posted" }]);
      expect(postsOf(desk).map(({ submitted }) => submitted)).toEqual(["Interrupted"]);
    },
  );
});
