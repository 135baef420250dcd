import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { tick } from "../../src/autopilot/tick.ts";
import { resumeAll, stopAll } from "../../src/guards/stop/stop.ts";
import type { Desk } from "./desk.ts";
import { loopSetting, never, openBakery, pass, passWith, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

describe("mentions", () => {
  test("are answered once each, however many passes there are", async () => {
    desk = await openBakery({ sandbox: { plan: "self_serve" } });
    const { sandbox } = desk;
    const first = await pass(desk, "mentions");
    const asked = sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    sandbox.clock.advance(60_000);
    expect(await pass(desk, "mentions")).toMatchObject({
      mentions: { status: "completed", counts: { found: 1, sent: 1 } },
    });
    expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 0, sent: 0 } } });
    expect(postsOf(desk).filter(({ replyTo }) => replyTo?.postId === asked.id)).toHaveLength(1);
    expect(first.mentions?.status).toBe("completed");
  });

  test("wait for a person in approval mode, and in composer mode are only read", async () => {
    desk = await openBakery({ config: { approval_mode: true } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const { mentions } = await pass(desk, "mentions");
    expect(mentions).toMatchObject({ counts: { sent: 0 } });
    const { pending_count } = (await desk.call("get_pending_count")).data as { pending_count: number };
    expect(pending_count).toBeGreaterThan(0);
    expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 0, queued: 0 } } });
    expect(postsOf(desk)).toEqual([]);
    await desk.close();

    desk = await openBakery({ config: { mode: "composer" } });
    desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    await passWith(desk, {});
    expect((await desk.call("get_pending_count")).data).toEqual({ pending_count: 0 });
    const { tweets } = (await desk.call("list_unreplied_tweets")).data as { tweets: { text: string }[] };
    expect(tweets.map(({ text }) => text)).toContain(`@${cast.owner} what about rye?`);
  });

  test("are answered again once replies that nobody decided about have run out", async () => {
    desk = await openBakery({ config: { approval_mode: true, limits: { max_replies_per_day: 1 } } });
    const queuedFor = async (who: string) => {
      desk.sandbox.say(who, `@${cast.owner} what about rye?`);
      desk.sandbox.clock.advance(60_000);
      return pass(desk, "mentions");
    };
    expect(await queuedFor(cast.friend)).toMatchObject({ mentions: { counts: { queued: 1 } } });
    expect(await queuedFor(cast.stranger)).toMatchObject({ mentions: { counts: { queued: 0 } } });
    desk.sandbox.clock.advance(desk.config.approvals.expires_hours * 3_600_000);
    expect(await queuedFor(cast.friend)).toMatchObject({ mentions: { counts: { queued: 1 } } });
  });

  test("that failed for now are taken up later", async () => {
    desk = await openBakery();
    await pass(desk, "mentions");
    const asked = desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    desk.sandbox.faults.add({ operation: "createPosts", kind: "error", status: 503 });
    expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { sent: 0, later: 1 } } });
    // X may carry the first out until five minutes have passed.
    desk.sandbox.clock.advance(301_000);
    expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 0, sent: 1 } } });
    expect(postsOf(desk).filter(({ replyTo }) => replyTo?.postId === asked.id)).toHaveLength(1);
  });

  test("that a person's stop left without an answer get it after the stop", async () => {
    desk = await openBakery();
    await pass(desk, "mentions");
    const asked = desk.sandbox.say(cast.friend, `@${cast.owner} what about rye?`);
    desk.sandbox.clock.advance(60_000);
    const { store, account } = desk.services.db;
    const setting = loopSetting(desk);
    const call: typeof setting.workflow.call = async (...given) => {
      await stopAll(store.db, account, { at: setting.workflow.now(), by: "terminal", reason: undefined });
      return setting.workflow.call(...given);
    };
    const wish = { loops: ["mentions"], isDryRun: false, ignoresSchedule: false } as const;
    await tick({ ...setting, workflow: { ...setting.workflow, call } }, wish, never);
    expect(postsOf(desk)).toEqual([]);
    await resumeAll(store.db, account);
    expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 0, sent: 1 } } });
    expect(postsOf(desk)).toMatchObject([{ replyTo: { postId: asked.id } }]);
  });
});

test("mentions that are too many for one pass are read by the next", async () => {
  desk = await openBakery({ config: { mode: "composer" } });
  await pass(desk, "mentions");
  const calls = Array.from({ length: 620 }, (_, n) =>
    desk.sandbox.say(cast.friend, `@${cast.owner} call ${n}`),
  );
  desk.sandbox.clock.advance(60_000);
  expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 500 } } });
  calls.push(desk.sandbox.say(cast.friend, `@${cast.owner} one more`));
  desk.sandbox.clock.advance(60_000);
  expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 120 } } });
  expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 1 } } });
  expect(await pass(desk, "mentions")).toMatchObject({ mentions: { counts: { found: 0 } } });
  const kept = await desk.services.db.store.db.selectFrom("discovered_posts").select("id").execute();
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(calls.map(({ id }) => id)));
});
